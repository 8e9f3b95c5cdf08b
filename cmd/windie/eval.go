package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/sdkapi"
)

func evalCommand(load loader) *cobra.Command {
	var asJSON bool
	var engine string
	cmd := &cobra.Command{
		Use:   "eval DIR",
		Short: "Measure how well and how fast the labelled screens of a folder are read",
		Long: "Reads every NAME.png of DIR, compares it with its true words in NAME.json, and asks the questions of questions.json.\n" +
			"Recall is the part of the words that was read rightly, precision the part of what was read that is there, located the\n" +
			"part of the words that was read at all. Times are in milliseconds, decoding included: of a screen never seen, of the\n" +
			"same again, and of one of which a twenty-fifth has changed.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if engine != "" {
				if err := cmd.Flags().Set("ocr-engine", engine); err != nil {
					return err
				}
			}
			c, err := load()
			if err != nil {
				return err
			}
			e, err := evaluate(cmd.Context(), func() *perception.Scenes { return newScenes(c, nil) }, args[0])
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
	cmd.Flags().StringVar(&engine, "engine", "", "what reads: short for --ocr-engine")
	return cmd
}

// evaluation is how well and how fast screens were read.
type evaluation struct {
	figures
	Screens []screened `json:"screens"`
}

// screened is the same for one screen.
type screened struct {
	Name  string `json:"name"`
	Words int    `json:"words"`
	figures
	Missed []missedWord `json:"missed"`

	score score
}

// figures say how well and how fast one or more screens were read. Recall,
// precision, located and the answers to questions are fractions.
type figures struct {
	WordRecall float64  `json:"word_recall"`
	Precision  float64  `json:"precision"`
	Located    float64  `json:"located"`
	Resolve    resolved `json:"resolve"`
	times

	answers answers
}

func newFigures(s score, a answers, t times) figures {
	return figures{s.recall(), s.precision(), s.located(), a.resolved(), t, a}
}

// resolved is the part of the questions of each kind that was answered as it
// should be; 1 where none was asked.
type resolved struct {
	Found     float64 `json:"found"`
	Ambiguous float64 `json:"ambiguous"`
	Missing   float64 `json:"missing"`
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

// evaluate reads all screens of dir with scenes made by fresh.
func evaluate(ctx context.Context, fresh func() *perception.Scenes, dir string) (*evaluation, error) {
	labels, err := readLabels(dir)
	if err != nil {
		return nil, err
	}
	var total score
	var spent []times
	e, all := new(evaluation), answers{}
	for _, l := range labels {
		s, err := l.evaluate(ctx, fresh)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.file, err)
		}
		total.add(s.score)
		all.add(s.answers)
		spent = append(spent, s.times)
		e.Screens = append(e.Screens, *s)
	}
	e.figures = newFigures(total, all, medians(spent))
	return e, nil
}

// evaluate reads one screen, scores it by its truth, and asks its questions.
func (l labelled) evaluate(ctx context.Context, fresh func() *perception.Scenes) (*screened, error) {
	data, err := os.ReadFile(l.file)
	if err != nil {
		return nil, err
	}
	scene, t, err := measure(ctx, fresh, data)
	if err != nil {
		return nil, err
	}
	index, a := match.NewIndex(scene.Rows), answers{}
	for _, q := range l.questions {
		right := 0
		if q.answered(index) {
			right = 1
		}
		a.add(answers{q.Expect: {1, right}})
	}
	s := l.truth.score(scene.Rows)
	return &screened{Name: l.name, Words: s.words, figures: newFigures(s, a, t), Missed: s.missed, score: s}, nil
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
	case one == nil:
		return false
	}
	p := perception.Center(one.Row.Box)
	return q.holds(float64(p.X), float64(p.Y))
}

// print writes the evaluation as a table.
func (e *evaluation) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "screen\twords\trecall\tprecision\tlocated\tcold ms\tsame ms\tchanged ms\t")
	row := func(name string, words int, f figures) {
		fmt.Fprintf(table, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.0f\t%.2f\t%.0f\t\n", name, words, f.WordRecall, f.Precision, f.Located, f.Cold, f.Same, f.Changed)
	}
	words := 0
	for _, s := range e.Screens {
		words += s.Words
		row(s.Name, s.Words, s.figures)
	}
	row("all", words, e.figures)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "resolve: found %.3f of %d, ambiguous %.3f of %d, missing %.3f of %d\n", e.Resolve.Found, e.answers["found"][0],
		e.Resolve.Ambiguous, e.answers["ambiguous"][0], e.Resolve.Missing, e.answers["missing"][0])
	_, err := fmt.Fprintf(w, "a screen never seen takes %.0f times as long as the same again, %.1f times as long as one that has changed\n",
		e.Cold/e.Same, e.Cold/e.Changed)
	return err
}
