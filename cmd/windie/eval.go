package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

func evalCommand(load loader) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "eval DIR",
		Short: "Measure how well and how fast the labelled screens of a folder are read",
		Long: "Reads every NAME.png of DIR, compares it with its true words in NAME.json, and asks the questions of questions.json.\n" +
			"Recall is the part of the words that was read rightly, precision the part of what was read that is there, located the\n" +
			"part of the words that was read at all. Times are in milliseconds: of a screen never seen, of the same again, and of\n" +
			"one of which a twenty-fifth has changed.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			e, err := evaluate(cmd.Context(), newScenes(c), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				out := json.NewEncoder(cmd.OutOrStdout())
				out.SetIndent("", "  ")
				return out.Encode(e)
			}
			return e.print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// evaluation is how well and how fast screens were read. Recall, precision,
// located and the answers to questions are fractions.
type evaluation struct {
	WordRecall float64    `json:"word_recall"`
	Precision  float64    `json:"precision"`
	Located    float64    `json:"located"`
	Resolve    resolved   `json:"resolve"`
	MSCold     float64    `json:"ms_cold_median"`
	MSSame     float64    `json:"ms_same_median"`
	MSChanged  float64    `json:"ms_changed_median"`
	Screens    []screened `json:"screens"`
}

// resolved is the part of the questions of each kind that was answered as it
// should be; 1 where none was asked.
type resolved struct {
	Found     float64 `json:"found"`
	Ambiguous float64 `json:"ambiguous"`
	Missing   float64 `json:"missing"`
}

// screened is the same for one screen.
type screened struct {
	Name       string       `json:"name"`
	Words      int          `json:"words"`
	WordRecall float64      `json:"word_recall"`
	Precision  float64      `json:"precision"`
	Located    float64      `json:"located"`
	Resolve    resolved     `json:"resolve"`
	MSCold     float64      `json:"ms_cold"`
	MSSame     float64      `json:"ms_same"`
	MSChanged  float64      `json:"ms_changed"`
	Missed     []missedWord `json:"missed"`

	score   score
	answers answers
}

// question is one line of questions.json that resolve-text can answer.
type question struct {
	Screen, Kind, Text, Expect string
	Box                        []float64 // x, y, width, height
}

// answers counts questions, asked and answered as they should be, by what was
// expected: found, ambiguous or missing.
type answers map[string][2]int

func (a answers) add(o answers) {
	for kind, n := range o {
		a[kind] = [2]int{a[kind][0] + n[0], a[kind][1] + n[1]}
	}
}

func (a answers) resolved() resolved {
	part := func(kind string) float64 {
		if a[kind][0] == 0 {
			return 1
		}
		return ratio(a[kind][1], a[kind][0])
	}
	return resolved{Found: part("found"), Ambiguous: part("ambiguous"), Missing: part("missing")}
}

// evaluate reads all screens of dir.
func evaluate(ctx context.Context, scenes *perception.Scenes, dir string) (*evaluation, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s holds no screens; expected NAME.png with NAME.json", dir)
	}
	if err != nil {
		return nil, err
	}
	questions, err := readQuestions(filepath.Join(dir, "questions.json"))
	if err != nil {
		return nil, err
	}
	var total score
	e, all := new(evaluation), answers{}
	for _, file := range files {
		s, err := evaluateScreen(ctx, scenes, strings.TrimSuffix(file, ".png"), questions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		total.add(s.score)
		all.add(s.answers)
		e.Screens = append(e.Screens, *s)
	}
	e.WordRecall, e.Precision, e.Located, e.Resolve = total.recall(), total.precision(), total.located(), all.resolved()
	e.MSCold = e.median(func(s screened) float64 { return s.MSCold })
	e.MSSame = e.median(func(s screened) float64 { return s.MSSame })
	e.MSChanged = e.median(func(s screened) float64 { return s.MSChanged })
	return e, nil
}

func (e *evaluation) median(of func(screened) float64) float64 {
	values := make([]float64, len(e.Screens))
	for i, s := range e.Screens {
		values[i] = of(s)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func readQuestions(file string) ([]question, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []question
	return list, json.Unmarshal(data, &list)
}

// evaluateScreen reads the screen in base.png three times, scores it by
// base.json, and asks the questions about it.
func evaluateScreen(ctx context.Context, scenes *perception.Scenes, base string, questions []question) (*screened, error) {
	want, err := readTruth(base + ".json")
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(base + ".png")
	if err != nil {
		return nil, err
	}
	changed, err := change(data)
	if err != nil {
		return nil, err
	}
	s := &screened{Name: filepath.Base(base), answers: answers{}}
	scene, err := timed(ctx, scenes, data, &s.MSCold)
	_, err2 := timed(ctx, scenes, data, &s.MSSame)
	_, err3 := timed(ctx, scenes, changed, &s.MSChanged)
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, err
	}
	s.score = want.score(scene.Rows)
	index := match.NewIndex(scene.Rows)
	for _, q := range questions {
		if q.Screen == s.Name && q.Kind == "resolve" {
			right := 0
			if q.answered(index) {
				right = 1
			}
			s.answers.add(answers{q.Expect: {1, right}})
		}
	}
	s.Words, s.WordRecall, s.Precision, s.Located = s.score.words, s.score.recall(), s.score.precision(), s.score.located()
	s.Missed, s.Resolve = s.score.missed, s.answers.resolved()
	return s, nil
}

// timed reads a screen and tells how many milliseconds that took.
func timed(ctx context.Context, scenes *perception.Scenes, data []byte, ms *float64) (*perception.Scene, error) {
	start := time.Now()
	scene, err := scenes.Scene(ctx, perception.SourceOf(data))
	*ms = float64(time.Since(start).Microseconds()) / 1000
	return scene, err
}

// change returns the screen with a plain box, a fifth as wide and high as it,
// in its middle: a dialog has opened.
func change(data []byte) ([]byte, error) {
	screen, h, err := perception.Decode(data)
	if err != nil {
		return nil, err
	}
	box := image.Rect(h.Width*2/5, h.Height*2/5, h.Width*3/5, h.Height*3/5)
	draw.Draw(screen, box, image.NewUniform(color.NRGBA{240, 240, 240, 255}), image.Point{}, draw.Src)
	var out strings.Builder
	err = overlay.Encode(&out, screen)
	return []byte(out.String()), err
}

// answered reports whether the question is answered as it should be: with a
// point in the box, or with the failure that is due.
func (q question) answered(index *match.Index) bool {
	one, rivals := match.Choose(index.Rank(q.Text), sdkapi.DefaultThreshold)
	switch {
	case q.Expect == "ambiguous":
		return len(rivals) > 0
	case q.Expect == "missing":
		return one == nil && len(rivals) == 0
	case one == nil || len(q.Box) != 4:
		return false
	}
	p := perception.Center(one.Row.Box)
	x, y := float64(p.X), float64(p.Y)
	return x >= q.Box[0] && x <= q.Box[0]+q.Box[2] && y >= q.Box[1] && y <= q.Box[1]+q.Box[3]
}

// print writes the evaluation as a table.
func (e *evaluation) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "screen\twords\trecall\tprecision\tlocated\tcold ms\tsame ms\tchanged ms\t")
	words := 0
	for _, s := range e.Screens {
		words += s.Words
		fmt.Fprintf(table, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.0f\t%.2f\t%.0f\t\n", s.Name, s.Words, s.WordRecall, s.Precision, s.Located, s.MSCold, s.MSSame, s.MSChanged)
	}
	fmt.Fprintf(table, "all\t%d\t%.3f\t%.3f\t%.3f\t%.0f\t%.2f\t%.0f\t\n", words, e.WordRecall, e.Precision, e.Located, e.MSCold, e.MSSame, e.MSChanged)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "resolve: found %.3f, ambiguous %.3f, missing %.3f\n", e.Resolve.Found, e.Resolve.Ambiguous, e.Resolve.Missing)
	return err
}
