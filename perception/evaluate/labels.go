package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// labelled is a screen with its truth and questions.
type labelled struct {
	name, file   string // file is the picture; name is its file name without .png
	truth        truth
	questions    []question // by text
	descriptions []question
}

// truth is the content of a screen, in CSS pixels: words and elements with their boxes, as a
// browser laid them out.
type truth struct {
	DPR    float64 // image pixels per CSS pixel
	Kind   string  // of program, for example "terminal"; empty for pages of one kind
	Lang   string  // language of the text, for example "ru"; empty if every word must be read
	Held   bool    // held back from tuning
	Words  []trueWord
	Ignore [][4]float64 // x, y, width, height of areas whose words do not count
	Els    []trueElement
}

// readable reports whether a word has only letters of supported scripts. On screens without a
// language every word counts as readable.
func (t truth) readable(w trueWord) bool {
	return t.Lang == "" || !strings.ContainsFunc(w.Text, func(r rune) bool {
		return unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
	})
}

type trueWord struct {
	Text       string
	X, Y, W, H float64
	Field      bool // a form field; its text does not count
}

// question is an entry of questions.json: about a text (kind "resolve") or a description (kind
// "locate"). Other kinds are ignored.
type question struct {
	Screen, Kind, Text, Description string

	Expect string      // found (default), ambiguous or missing
	Box    []float64   // x, y, width, height, in image pixels; only for found
	Boxes  [][]float64 // boxes of all matches of an ambiguous description
	Held   bool        // held back from tuning
	Style  string      // style of the question, for example "terse"; may be empty
}

// readLabels returns the screens of dir, sorted by name. An error names the invalid file.
func readLabels(dir string) ([]labelled, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s contains no screens; expected NAME.png with NAME.json", dir)
	}
	if err != nil {
		return nil, err
	}
	questions, err := readQuestions(filepath.Join(dir, "questions.json"))
	if err != nil {
		return nil, err
	}
	list, known := make([]labelled, len(files)), map[string]bool{}
	for i, file := range files {
		base := strings.TrimSuffix(file, ".png")
		t, err := readTruth(base + ".json")
		if err != nil {
			return nil, err
		}
		name := filepath.Base(base)
		known[name] = true
		list[i] = labelled{name: name, file: file, truth: t}
		for _, q := range questions[name] {
			if q.Kind == "locate" {
				list[i].descriptions = append(list[i].descriptions, q)
			} else {
				list[i].questions = append(list[i].questions, q)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(questions)) {
		if !known[name] {
			return nil, fmt.Errorf("%s: a question names the screen %q, but there is no %s.png", filepath.Join(dir, "questions.json"), name, name)
		}
	}
	return list, nil
}

// readTruth reads the truth of a screen. A file without a DPR means 1; a DPR that is not positive is an error.
func readTruth(file string) (truth, error) {
	t := truth{DPR: 1}
	if err := readJSON(file, &t); err != nil {
		return t, err
	}
	if t.DPR <= 0 {
		return t, fmt.Errorf("%s: dpr is %v; it must be more than 0", file, t.DPR)
	}
	return t, nil
}

// readQuestions returns the questions by screen. Without the file there are none.
func readQuestions(file string) (map[string][]question, error) {
	var list []question
	if err := readJSON(file, &list); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	byScreen := map[string][]question{}
	for i, q := range list {
		if q.Kind != "resolve" && q.Kind != "locate" {
			continue
		}
		if q.Expect == "" {
			q.Expect = "found"
		}
		if err := q.check(); err != nil {
			return nil, fmt.Errorf("%s: question %d: %w", file, i+1, err)
		}
		byScreen[q.Screen] = append(byScreen[q.Screen], q)
	}
	return byScreen, nil
}

// check returns an error for a question that cannot be asked or judged. Expect must be set.
func (q question) check() error {
	asked := q.asked()
	switch {
	case q.Screen == "" || asked == "":
		return errors.New("the question must name a screen, and a text or description to look for")
	case q.Expect != "found" && q.Expect != "ambiguous" && q.Expect != "missing":
		return fmt.Errorf(`the field "expect" of the question is %q; use "found", "ambiguous" or "missing"`, q.Expect)
	case q.Expect == "found" && len(q.Box) != 4:
		return fmt.Errorf("the question expects to find %q, but has no box of x, y, width, height", asked)
	}
	return nil
}

// asked returns the text or the description of the question.
func (q question) asked() string {
	if q.Kind == "locate" {
		return q.Description
	}
	return q.Text
}

// holds reports whether a point, in image pixels, is in the question's box.
func (q question) holds(p image.Point) bool { return q.contains(float64(p.X), float64(p.Y)) }

// contains reports whether the point x, y is in the question's box, edges included. The question must have a box.
func (q question) contains(x, y float64) bool {
	return x >= q.Box[0] && x <= q.Box[0]+q.Box[2] && y >= q.Box[1] && y <= q.Box[1]+q.Box[3]
}

// readJSON decodes a file into value. Its errors begin with the file's name.
func readJSON(file string, value any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		// the error of package os would repeat the file's name
		return fmt.Errorf("%s: cannot be read: %w", file, errors.Unwrap(err))
	}
	if err := json.Unmarshal(data, value); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
