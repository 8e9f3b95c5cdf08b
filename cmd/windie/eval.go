package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
)

func evalCommand(load loader) *cobra.Command {
	var asJSON, misses bool
	var engine string
	cmd := &cobra.Command{
		Use:   "eval DIR",
		Short: "Measure how well and how fast the labelled screens of a folder are read",
		Long: "Reads every NAME.png of DIR, compares it with its true words in NAME.json, and asks the questions of questions.json.\n" +
			"Recall is the part of the words that was read rightly, precision the part of what was read that is there, located the\n" +
			"part of the words that was read at all. Elements are the part of what can be acted on that was found, controls that of\n" +
			"buttons and fields. Times are in milliseconds, decoding included: of a screen never seen, of the same again, of one of\n" +
			"which a twenty-fifth has changed, and what elements add to a screen never seen.\n\n" +
			"Questions are of the kind resolve, about a text, or locate, about what a description means. A wrong click is a point\n" +
			"that is told and should not be clicked on. Questions that are held, which nothing may be tuned by, are counted apart,\n" +
			"and their misses are not listed.",
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
			if err := e.print(cmd.OutOrStdout()); err != nil || !misses {
				return err
			}
			return e.printMisses(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&misses, "misses", false, "list what was not found, and what was answered wrongly")
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
	Missed          []missedWord     `json:"missed"`
	MissedElements  []missedElement  `json:"missed_elements"`
	MissedQuestions []missedQuestion `json:"missed_questions"` // but those that are held

	score score
}

// figures say how well and how fast one or more screens were read. Recall,
// precision, located and the answers to questions are fractions.
type figures struct {
	WordRecall float64  `json:"word_recall"`
	Precision  float64  `json:"precision"`
	Located    float64  `json:"located"`
	Resolve    resolved `json:"resolve"`
	looked
	times
	Locating float64 `json:"ms_locate_median"` // of one description, on a screen already looked at

	answers answers
	took    []float64
}

func newFigures(s score, a answers, l looked, t times, took []float64) figures {
	return figures{s.recall(), s.precision(), s.located(), a.resolved(), l, t, median(took), a, took}
}

// evaluate reads all screens of dir with scenes made by fresh.
func evaluate(ctx context.Context, fresh func() *perception.Scenes, dir string) (*evaluation, error) {
	labels, err := readLabels(dir)
	if err != nil {
		return nil, err
	}
	var list []screened
	for _, l := range labels {
		s, err := l.evaluate(ctx, fresh)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.file, err)
		}
		list = append(list, *s)
	}
	return summed(list), nil
}

// summed is the evaluation of screens, of which there is at least one.
func summed(list []screened) *evaluation {
	var total score
	var seen looked
	var spent []times
	var took []float64
	asked := answers{}
	for _, s := range list {
		total.add(s.score)
		asked.add(s.answers)
		seen.add(s.looked)
		spent, took = append(spent, s.times), append(took, s.took...)
	}
	return &evaluation{newFigures(total, asked, seen, medians(spent), took), list}
}

// evaluate reads one screen, scores it by its truth, and asks its questions.
func (l labelled) evaluate(ctx context.Context, fresh func() *perception.Scenes) (*screened, error) {
	data, err := os.ReadFile(l.file)
	if err != nil {
		return nil, err
	}
	screen, t, err := measure(ctx, fresh, data)
	if err != nil {
		return nil, err
	}
	return l.judge(screen, t), nil
}

// judge scores what was found on a screen by its truth, and asks its questions.
func (l labelled) judge(screen *elements.Screen, t times) *screened {
	s := &screened{Name: l.name, MissedElements: []missedElement{}, MissedQuestions: []missedQuestion{}}
	s.score = l.truth.score(screen.Rows)
	s.Words, s.Missed = s.score.words, s.score.missed
	s.find(l.truth, screen)
	s.resolve(l.questions, screen)
	s.locate(l.descriptions, screen)
	s.figures = newFigures(s.score, s.answers, s.looked, t, s.took)
	return s
}
