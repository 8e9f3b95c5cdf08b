// Package evaluate measures how well and how fast the engine reads labelled screens.
//
//	e, err := evaluate.Folder(ctx, "perception/testdata/screens", evaluate.All, fresh)
//	err = e.Print(os.Stdout)
//
// A folder has a NAME.png for each screen, with its truth in NAME.json, and a questions.json with
// questions about the screens. The package compares words and elements with the truth, and measures
// the time of each step.
package evaluate

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
)

// Evaluation has the results for each screen, for each kind of screen, and for all screens
// together.
type Evaluation struct {
	figures
	// Kinds has the results for each kind of screen. It omits screens that do not state their kind.
	Kinds []group `json:"kinds,omitempty"`
	// Screens has the results for each screen.
	Screens []screened `json:"screens"`

	// Confidence has the share of correct words for each range of confidence.
	Confidence []Bin `json:"confidence,omitempty"`
}

// screened has the figures and misses of one screen.
type screened struct {
	Name     string `json:"name"`
	Kind     string `json:"kind,omitempty"`
	Words    int    `json:"words"`
	HeldBack bool   `json:"held,omitempty"` // held back from tuning, so its misses are not listed
	figures
	Missed          []missedWord     `json:"missed"`
	MissedElements  []missedElement  `json:"missed_elements"`
	FalseElements   []falseElement   `json:"false_elements"`
	MissedQuestions []missedQuestion `json:"missed_questions"` // without questions that are held back

	score score
}

// figures has the accuracy, as fractions, and the times.
type figures struct {
	WordRecall float64  `json:"word_recall"`
	Precision  float64  `json:"precision"`
	Located    float64  `json:"located"`
	Resolve    resolved `json:"resolve"`
	looked
	times
	// median time of one description in milliseconds, on a screen whose elements are cached
	Locating float64 `json:"ms_locate_median"`

	answers answers
	took    []float64
}

// newFigures computes the figures from counts. took has the times of the descriptions, in milliseconds; newFigures
// sorts it.
func newFigures(s score, a answers, l looked, t times, took []float64) figures {
	return figures{s.recall(), s.precision(), s.located(), a.resolved(), l, t, median(took), a, took}
}

// Folder evaluates the screens in the folder dir. The parameter part selects these screens. Folder
// calls newScenes for each screen, so that no result comes from a cache. Folder fails if a file is
// missing or invalid, if part selects no screens, or if reading fails.
func Folder(ctx context.Context, dir string, part Part, newScenes func() *perception.Scenes) (*Evaluation, error) {
	labels, err := readPart(dir, part)
	if err != nil {
		return nil, err
	}
	var list []screened
	for i, l := range labels {
		progress.Report(ctx, readScreens, int64(i), int64(len(labels)))
		data, err := os.ReadFile(l.file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.file, err)
		}
		screen, t, err := measure(ctx, newScenes, data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.file, err)
		}
		list = append(list, *l.judge(screen, t))
	}
	return summed(list), nil
}

// readScreens is the label of the progress of an evaluation.
const readScreens = "screens read"

// readPart returns a part of the screens of dir. It fails if there are none.
func readPart(dir string, of Part) ([]labelled, error) {
	labels, err := readLabels(dir)
	if err != nil {
		return nil, err
	}
	labels = slices.DeleteFunc(labels, func(l labelled) bool { return !of.takes(l.truth) })
	if len(labels) == 0 {
		return nil, fmt.Errorf("%s contains none of the requested screens", dir)
	}
	return labels, nil
}

// summed returns the evaluation of at least one screen.
func summed(list []screened) *Evaluation {
	var sure confidences
	for _, s := range list {
		sure.join(s.score.sure)
	}
	return &Evaluation{figuresOf(list), groups(list), list, sure.bins()}
}

// figuresOf returns the figures of at least one screen.
func figuresOf(list []screened) figures {
	var total score
	var seen looked
	var spent []times
	var took []float64
	var asked answers
	for _, s := range list {
		total.add(s.score)
		asked.add(s.answers)
		seen.add(s.looked)
		spent, took = append(spent, s.times), append(took, s.took...)
	}
	return newFigures(total, asked, seen, medians(spent), took)
}

// judge scores the rows and elements of a screen by the truth, and answers its questions.
func (l labelled) judge(screen *elements.Screen, t times) *screened {
	s := &screened{Name: l.name, Kind: l.truth.Kind, HeldBack: l.truth.Held, MissedElements: []missedElement{}, FalseElements: []falseElement{}, MissedQuestions: []missedQuestion{}}
	s.score = l.truth.score(screen.Rows)
	s.Words, s.Missed = s.score.words, s.score.missed
	s.find(l.truth, screen)
	s.resolve(l.questions, screen)
	s.locate(l.descriptions, screen)
	s.figures = newFigures(s.score, s.answers, s.looked, t, s.took)
	if s.HeldBack { // otherwise they would be used for tuning
		s.Missed, s.MissedElements, s.FalseElements, s.MissedQuestions = []missedWord{}, []missedElement{}, []falseElement{}, []missedQuestion{}
	}
	return s
}
