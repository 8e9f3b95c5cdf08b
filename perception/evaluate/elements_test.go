package evaluate

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/locate"
)

// What is kept of the figures of our own screens: a change that loses some of
// it loses more than it gains. Raise them when they have become better.
var keptFigures = []struct {
	name  string
	least float64
	of    func(*Evaluation) float64
}{
	{"elements", 0.911, func(e *Evaluation) float64 { return e.Elements.All.ratio() }},
	{"controls", 0.930, func(e *Evaluation) float64 { return e.Elements.Controls.ratio() }},
	{"found", 0.855, func(e *Evaluation) float64 { return e.Locate.Found.ratio() }},
	{"ambiguous", 0.93, func(e *Evaluation) float64 { return e.Locate.Ambiguous.ratio() }},
	{"missing", 0.98, func(e *Evaluation) float64 { return e.Locate.Missing.ratio() }},
	{"no wrong click", 0.98, func(e *Evaluation) float64 { return 1 - e.Locate.Wrong.ratio() }},
	{"held, found", 0.83, func(e *Evaluation) float64 { return e.Held.Found.ratio() }},
	{"held, ambiguous", 0.75, func(e *Evaluation) float64 { return e.Held.Ambiguous.ratio() }},
	{"held, missing", 0.88, func(e *Evaluation) float64 { return e.Held.Missing.ratio() }},
	{"nothing false", 0.86, func(e *Evaluation) float64 { return 1 - e.Elements.False.ratio() }},
	{"held, no wrong click", 0.97, func(e *Evaluation) float64 { return 1 - e.Held.Wrong.ratio() }},
}

// Elements and descriptions of our own screens are found at least as well as keptFigures require.
func TestKeptFigures(t *testing.T) {
	t.Parallel()
	screens := elements.NewScreens(gatewaytest.Scenes(t))
	labels, err := readLabels(filepath.Join(testkit.RepoRoot(t), "perception", "testdata", "screens"))
	if err != nil {
		t.Fatal(err)
	}
	var list []screened
	for _, l := range labels {
		data, err := os.ReadFile(l.file)
		if err != nil {
			t.Fatal(err)
		}
		screen, err := screens.Screen(t.Context(), perception.SourceOf(data))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, *l.judge(screen, times{}))
	}
	e := summed(list)
	if e.Elements.Controls.Of < 300 || e.Locate.Wrong.Of < 380 || e.Held.Wrong.Of < 75 {
		t.Errorf("%+v: fewer than there were", e.looked)
	}
	for _, kept := range keptFigures {
		if got := kept.of(e); got < kept.least {
			t.Errorf("%s: %.3f, was %.3f and more", kept.name, got, kept.least)
		} else if testing.Verbose() {
			t.Logf("%s: %.3f", kept.name, got)
		}
	}
}

// Which elements count as clickable, and which count as found.
func TestFindElements(t *testing.T) {
	t.Parallel()
	page := truth{DPR: 2, Els: []trueElement{
		{Tag: "button", Text: "Save", X: 10, Y: 10, W: 50, H: 20},
		{Tag: "a", Text: "More", X: 10, Y: 50, W: 50, H: 20},
		{Tag: "div", Role: "tab", X: 10, Y: 90, W: 50, H: 20},
		{Tag: "a", Cls: "btn primary", X: 190, Y: 10, W: 50, H: 20},     // mostly outside
		{Tag: "input", Type: "checkbox", X: 100, Y: 10, W: 1, H: 1},     // hidden behind what is drawn
		{Tag: "img", X: 100, Y: 50, W: 20, H: 20},                       // nothing to act on
		{Tag: "div", Role: "dialog", X: 0, Y: 0, W: 200, H: 150},        // nor this
		{Tag: "button", Text: "Far away", X: 300, Y: 300, W: 50, H: 20}, // outside
	}}
	on := &elements.Screen{
		Scene: &perception.Scene{Header: perception.Header{Width: 400, Height: 300}},
		Elements: []elements.Element{
			{Role: elements.Button, Box: image.Rect(20, 20, 120, 60)},
			{Role: elements.Text, Box: image.Rect(20, 100, 68, 140)},   // 0.48 of the link
			{Role: elements.Tab, Box: image.Rect(20, 180, 72, 220)},    // 0.52 of the tab
			{Role: elements.Button, Box: image.Rect(380, 20, 400, 60)}, // what can be seen of it
			{Role: elements.Link, Label: "Note", Box: image.Rect(200, 220, 260, 240)},
			{Role: elements.Icon, Box: image.Rect(200, 100, 240, 140)}, // nobody is said to click on it
		},
	}
	var s screened
	s.find(page, on)
	if s.Elements != (recalled{All: part{3, 4}, Controls: part{2, 2}, False: part{1, 4}}) {
		t.Errorf("%+v", s.Elements)
	}
	if want := (clicks{"button": {2, 2}, "link": {0, 1}, "tab": {1, 1}}); !reflect.DeepEqual(s.Clicks, want) {
		t.Errorf("clicks %v, want %v", s.Clicks, want)
	}
	if len(s.MissedElements) != 1 || s.MissedElements[0] != (missedElement{"a", "More", [4]int{20, 100, 100, 40}, elements.Text, 0.48, false}) {
		t.Errorf("missed %+v", s.MissedElements)
	}
	var menus screened
	menus.find(truth{DPR: 2, Els: []trueElement{{Tag: "div", Role: "menuitem", Text: "File", X: 0, Y: 0, W: 20, H: 10}}}, on)
	if menus.Elements.False.Of != 0 {
		t.Errorf("of a screen of which only the menus are known, %v are false", menus.Elements.False)
	}
	if len(s.FalseElements) != 1 || s.FalseElements[0] != (falseElement{elements.Link, "Note", [4]int{200, 220, 60, 20}}) {
		t.Errorf("false %+v", s.FalseElements)
	}
}

// An answer is a wrong click if it has one point and the question expects another point, or none at all.
func TestJudgeAnswer(t *testing.T) {
	t.Parallel()
	on := &elements.Screen{Elements: []elements.Element{{Role: elements.Button, Label: "Save"}, {Role: elements.Link, Label: "Save"}}}
	point := locate.Answer{Matches: []locate.Match{{Point: image.Pt(15, 15), Score: 1}}}
	rivals := locate.Answer{Matches: []locate.Match{{Score: 0.9}, {Element: 1, Score: 0.8}}}
	missing := locate.Answer{Unmet: []string{"save", "red"}}
	found := question{Expect: "found", Box: []float64{10, 10, 10, 10}}
	elsewhere := question{Expect: "found", Box: []float64{20, 10, 10, 10}}
	ambiguous, absent := question{Expect: "ambiguous"}, question{Expect: "missing"}
	for name, tt := range map[string]struct {
		q            question
		answer       locate.Answer
		right, wrong bool
		got          string
	}{
		"found":                        {found, point, true, false, `(15,15) button "Save" 1.00`},
		"another found":                {elsewhere, point, false, true, `(15,15) button "Save" 1.00`},
		"found where two are":          {ambiguous, point, false, true, `(15,15) button "Save" 1.00`},
		"found where none is":          {absent, point, false, true, `(15,15) button "Save" 1.00`},
		"ambiguous":                    {ambiguous, rivals, true, false, `ambiguous: button "Save" 0.90, link "Save" 0.80`},
		"asked back":                   {found, rivals, false, false, `ambiguous: button "Save" 0.90, link "Save" 0.80`},
		"asked back where none is":     {absent, rivals, false, false, `ambiguous: button "Save" 0.90, link "Save" 0.80`},
		"missing":                      {absent, missing, true, false, "missing: save, red"},
		"not found":                    {found, missing, false, false, "missing: save, red"},
		"not found where several are ": {ambiguous, missing, false, false, "missing: save, red"},
	} {
		t.Run(name, func(t *testing.T) {
			if right, wrong, got := tt.q.judge(on, tt.answer); right != tt.right || wrong != tt.wrong || got != tt.got {
				t.Errorf("%s: %v, %v, %q", name, right, wrong, got)
			}
		})
	}
}

// Questions that are held back count separately, and no miss of them is listed.
func TestHeldQuestionsAreNotListed(t *testing.T) {
	t.Parallel()
	on := &elements.Screen{Scene: &perception.Scene{}}
	var s screened
	s.locate([]question{
		{Kind: "locate", Description: "a", Expect: "found", Box: []float64{0, 0, 1, 1}},
		{Kind: "locate", Description: "b", Expect: "found", Box: []float64{0, 0, 1, 1}, Held: true},
		{Kind: "locate", Description: "c", Expect: "missing", Held: true},
	}, on)
	open, held := located{answers: answers{Found: part{0, 1}}, Wrong: part{0, 1}}, located{answers: answers{Found: part{0, 1}, Missing: part{1, 1}}, Wrong: part{0, 2}}
	if !reflect.DeepEqual(s.Locate, open) || !reflect.DeepEqual(s.Held, held) {
		t.Errorf("%+v", s.looked)
	}
	if len(s.MissedQuestions) != 1 || s.MissedQuestions[0].Asked != "a" || len(s.took) != 3 {
		t.Errorf("%+v, %v", s.MissedQuestions, s.took)
	}
}

// The table lists all screens, and questions only if there are any. The misses follow, by screen.
func TestPrintEvaluation(t *testing.T) {
	t.Parallel()
	read := "Safe"
	seen := looked{Elements: recalled{All: part{3, 4}}, Clicks: clicks{"link": {2, 3}, "button": {1, 1}}, Locate: located{answers: answers{Found: part{1, 2}}, Wrong: part{1, 2}}}
	f := newFigures(score{words: 1}, answers{}, seen, times{Cold: 20, Same: 1, Changed: 10, Looking: 7}, []float64{3, 1, 2})
	e := Evaluation{f, nil, []screened{{Name: "clean", figures: f}, {
		Name: "mail", Words: 1, figures: f, Missed: []missedWord{{Text: "Save", Read: &read}, {Text: "Open"}},
		MissedElements:  []missedElement{{Tag: "a", Text: "More", Box: [4]int{1, 2, 3, 4}, Nearest: elements.Text, Overlap: 0.25}, {Tag: "a", Text: "Less", Overlap: 0.25, Nearest: elements.Link, Clicked: true}},
		MissedQuestions: []missedQuestion{{"locate", "the bell", "found", "missing: bell", false}, {"locate", "the gear", "missing", "(1,2) icon", true}},
	}}, nil}
	var table, misses strings.Builder
	if err := errors.Join(e.Print(&table), e.PrintMisses(&misses)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  0.750         -       20     1.00          10            7\n",
		"locate: wrong clicks 1 of 2 (0.500), found 0.500 of 2, ambiguous 0.000 of 0, missing 0.000 of 0\na description takes 2.00 ms\nelements: 0.750 of 4,",
		"\nclick points inside: button 1.000 of 1, link 0.667 of 3\n",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("without %q\n%s", want, table.String())
		}
	}
	if strings.Contains(table.String(), "held") {
		t.Errorf("tells of questions that were not asked\n%s", table.String())
	}
	if want := `
mail
  word     "Save": read as "Safe"
  word     "Open": not read
  element  a "More" [1 2 3 4]: nearest text, overlaps by 0.25, no click acts on it
  element  a "Less" [0 0 0 0]: nearest link, overlaps by 0.25
  wrong    "the gear" expects missing: (1,2) icon
  locate   "the bell" expects found: missing: bell

`; misses.String() != want {
		t.Errorf("misses\n%s", misses.String())
	}
}
