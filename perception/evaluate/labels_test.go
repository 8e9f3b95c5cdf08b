package evaluate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
)

// The committed labels fit their pictures, and the questions have the answers
// they claim. What the pages look like is not rendered again here.
func TestCommittedLabels(t *testing.T) {
	t.Parallel()
	root := testkit.RepoRoot(t)
	for folder, pages := range map[string]string{
		"perception/testdata/screens": "perception/testdata/pages",
		"examples/click-target":       "examples/click-target",
	} {
		t.Run(folder, func(t *testing.T) {
			dir := filepath.Join(root, filepath.FromSlash(folder))
			list, err := readLabels(dir)
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]bool{}
			for _, l := range list {
				names[l.name] = true
				checkLabels(t, l)
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(pages), l.name+".html")); err != nil {
					t.Errorf("the page of %s: %v", l.file, err)
				}
			}
			asked, err := readQuestions(filepath.Join(dir, "questions.json"))
			if err != nil || len(asked) != len(list) {
				t.Errorf("%s asks about %d screens of %d (%v)", folder, len(asked), len(list), err)
			}
			for name := range asked {
				if !names[name] {
					t.Errorf("%s asks about %q, which is no screen", folder, name)
				}
			}
		})
	}
}

// A question about a screen that does not exist is an error that names the screen.
func TestQuestionAboutNoScreen(t *testing.T) {
	t.Parallel()
	for screen, want := range map[string]string{"a": "", "b": `the screen "b"`} {
		t.Run(screen, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{"a.png": "", "a.json": `{}`, "questions.json": `[{"screen":"` + screen + `","kind":"resolve","text":"x","expect":"missing"}]`} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := readLabels(dir); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

// checkLabels fails the test for labels of a screen that cannot be right.
func checkLabels(t *testing.T, l labelled) {
	t.Helper()
	data, err := os.ReadFile(l.file)
	if err != nil {
		t.Fatal(err)
	}
	_, h, err := perception.Decode(t.Context(), data)
	if err != nil {
		t.Fatalf("%s: %v", l.file, err)
	}
	var size struct{ Width, Height, DPR float64 }
	if err := readJSON(strings.TrimSuffix(l.file, ".png")+".json", &size); err != nil {
		t.Fatal(err)
	}
	if size.Width*size.DPR != float64(h.Width) || size.Height*size.DPR != float64(h.Height) {
		t.Errorf("%s: %d x %d pixels, and its labels say %+v", l.name, h.Width, h.Height, size)
	}
	inside := func(x, y, w, h float64) bool {
		const rounded = 0.01
		return x >= 0 && y >= 0 && w > 0 && h > 0 && x+w <= size.Width+rounded && y+h <= size.Height+rounded
	}
	for _, w := range l.truth.Words {
		if w.Text == "" || !inside(w.X, w.Y, w.W, w.H) {
			t.Errorf("%s: word %+v", l.name, w)
		}
	}
	for _, q := range l.questions {
		if places := l.truth.places(q); !q.isTrueOf(places, size.DPR) {
			t.Errorf("%s: %+v stands there %d times: %+v", l.name, q, len(places), places)
		}
		if len(q.Box) == 4 && !inside(q.Box[0]/size.DPR, q.Box[1]/size.DPR, q.Box[2]/size.DPR, q.Box[3]/size.DPR) {
			t.Errorf("%s: the box of %+v", l.name, q)
		}
	}
}

// places returns the first words of the places where a question's text stands
// in the truth, or in the truth of one field, whatever its case.
func (t truth) places(q question) []trueWord {
	text := strings.Fields(q.Text)
	var found []trueWord
	for i, first := range t.Words {
		if first.Field && strings.Contains(" "+strings.ToLower(first.Text)+" ", " "+strings.ToLower(q.Text)+" ") {
			found = append(found, first)
		}
		n := 0
		for n < len(text) && i+n < len(t.Words) && strings.EqualFold(t.Words[i+n].Text, text[n]) {
			n++
		}
		if n == len(text) {
			found = append(found, first)
		}
	}
	return found
}

// isTrueOf reports whether the answer that a question expects is right for
// the places where its text stands.
func (q question) isTrueOf(places []trueWord, dpr float64) bool {
	switch q.Expect {
	case "missing":
		return len(places) == 0
	case "ambiguous":
		return len(places) > 1
	}
	if len(places) != 1 {
		return false
	}
	p := places[0]
	return q.contains((p.X+p.W/2)*dpr, (p.Y+p.H/2)*dpr)
}

// Each screen of the list of real screens has a truth, whose words have boxes. The questions name these screens, and
// those about a screen that is held back are held back, too.
func TestRealScreens(t *testing.T) {
	t.Parallel()
	const folder = "../testdata/real/"
	list, err := os.ReadFile(folder + "LIST.tsv")
	if err != nil {
		t.Fatal(err)
	}
	questions, err := readQuestions(folder + "questions.json")
	if err != nil {
		t.Fatal(err)
	}
	var listed, held int
	for line := range strings.Lines(string(list)) {
		file, _, _ := strings.Cut(line, "\t")
		if file == "file" {
			continue
		}
		listed++
		name := strings.TrimSuffix(file, filepath.Ext(file))
		truth, err := readTruth(folder + name + ".json")
		if err != nil || len(truth.Words) == 0 {
			t.Fatalf("%s: %d words, %v", file, len(truth.Words), err)
		}
		if truth.Held {
			held++
		}
		for _, w := range truth.Words {
			if w.Text == "" || w.X < 0 || w.Y < 0 || w.W < 1 || w.H < 1 {
				t.Errorf("%s: %+v is no word", file, w)
			}
		}
		for _, q := range questions[name] {
			if q.Held != truth.Held {
				t.Errorf("%s is held back: %v; its question %q: %v", file, truth.Held, q.asked(), q.Held)
			}
		}
		delete(questions, name)
	}
	if len(questions) > 0 {
		t.Errorf("questions about screens that are not listed: %v", questions)
	}
	if files, _ := filepath.Glob(folder + "*.json"); len(files) != listed+1 || 2*held != listed {
		t.Errorf("%d truths for %d screens, of which %d are held back", len(files), listed, held)
	}
}
