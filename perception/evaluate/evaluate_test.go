package evaluate

import (
	"encoding/json"
	"image"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
)

// The JSON of an evaluation has exactly the names that programs read. A screen has the same names as the whole.
func TestEvaluationAsJSON(t *testing.T) {
	t.Parallel()
	f := newFigures(score{words: 1}, answers{}, looked{Elements: recalled{All: part{1, 3}}}, times{}, nil)
	e := Evaluation{f, nil, []screened{{
		Name: "a", Words: 1, figures: f, Missed: []missedWord{{Text: "Save"}},
		MissedElements:  []missedElement{{Tag: "a", Text: "Save", Box: [4]int{1, 2, 3, 4}, Nearest: elements.Text, Overlap: 0.25}},
		FalseElements:   []falseElement{{elements.Link, "Note", [4]int{5, 6, 7, 8}}},
		MissedQuestions: []missedQuestion{{"locate", "the Save button", "found", "missing: Save", false}},
	}}, []Bin{{0.9, 20, 0.93, 0.95}}}
	got, err := json.Marshal(e)
	none := `{"count":0,"of":0,"ratio":0}`
	questions := `{"found":` + none + `,"ambiguous":` + none + `,"missing":` + none + `,"wrong_clicks":` + none + `}`
	figures := `"word_recall":0,"precision":0,"located":0,"resolve":{"found":1,"ambiguous":1,"missing":1},` +
		`"elements":{"all":{"count":1,"of":3,"ratio":0.3333},"controls":` + none + `,"false":` + none + `},"locate":` + questions + `,"locate_held":` + questions + `,` +
		`"ms_cold_median":0,"ms_same_median":0,"ms_changed_median":0,"ms_elements_median":0,"ms_locate_median":0`
	want := `{` + figures + `,"screens":[{"name":"a","words":1,` + figures + `,"missed":[{"text":"Save","read":null}],` +
		`"missed_elements":[{"tag":"a","text":"Save","box":[1,2,3,4],"nearest":"text","overlap":0.25}],` +
		`"false_elements":[{"role":"link","text":"Note","box":[5,6,7,8]}],` +
		`"missed_questions":[{"kind":"locate","asked":"the Save button","expect":"found","got":"missing: Save"}]}],` +
		`"confidence":[{"from":0.9,"words":20,"said":0.93,"right":0.95}]}`
	if err != nil || string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
}

// Which words count as read, and which words do not count at all.
func TestScore(t *testing.T) {
	t.Parallel()
	want := truth{DPR: 2, Ignore: [][4]float64{{200, 0, 50, 50}}, Words: []trueWord{
		{Text: "Don’t", X: 0, Y: 0, W: 20, H: 10},
		{Text: "Save", X: 30, Y: 0, W: 20, H: 10},
		{Text: "Open", X: 60, Y: 0, W: 20, H: 10},
		{Text: "•", X: 90, Y: 0, W: 5, H: 10},
		{Text: "secret", X: 100, Y: 0, W: 50, H: 10, Field: true},
	}}
	word := func(text string, x int) perception.Word {
		return perception.Word{Text: text, Box: image.Rect(x, 2, x+40, 18)}
	}
	got := want.score([]perception.Row{{Words: []perception.Word{
		word("Don't", 0), word("Safe", 62), word("ghost", 500), word("secret", 210), word("ignored", 410), word("|", 300), word("twice", 2),
	}}})
	if got.words != 3 || got.hit != 1 || got.placed != 2 || got.extra != 3 {
		t.Errorf("%+v", got)
	}
	if len(got.missed) != 2 || *got.missed[0].Read != "Safe" || got.missed[1].Read != nil {
		t.Errorf("missed %+v", got.missed)
	}
}

// rowOf is a row of words, each with where it begins.
func rowOf(wordsAndPlaces ...any) []perception.Row {
	var row perception.Row
	for i := 0; i < len(wordsAndPlaces); i += 2 {
		x := wordsAndPlaces[i+1].(int)
		row.Words = append(row.Words, perception.Word{Text: wordsAndPlaces[i].(string), Box: image.Rect(x, 0, x+40, 18)})
	}
	return []perception.Row{row}
}
