package match_test

import (
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/sdkapi"
)

// What a reader cut apart on one line is found by its text, and nothing else is.
func TestAcrossRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		rows       []perception.Row
		want       string // the text of the match; "": none
	}{
		{"two spaces of a terminal", "F1 Help", placed("0 0 F1", "40 0 Help", "600 0 F2"), "F1 Help"},
		{"no space at all", "F1Help", placed("0 0 F1", "20 0 Help"), "F1 Help"},
		{"a part of each", "cold water", placed("0 0 with cold", "110 0 water twice"), "cold water"},
		{"three", "ls -la /", placed("0 0 ls", "40 0 -la", "90 0 /"), "ls -la /"},
		{"a slip", "Notficatons sent", placed("0 0 Notifications", "150 0 sent"), "Notifications sent"},
		{"a column farther on", "F1 Help", placed("0 0 F1", "60 0 Help"), ""},
		{"a line below", "F1 Help", placed("0 0 F1", "30 20 Help"), ""},
		{"another order", "Help F1", placed("0 0 F1", "40 0 Help"), ""},
		{"another word", "Log out", placed("0 0 Log", "50 0 in"), ""},
		{"another number", "Order 2218", placed("0 0 Order", "70 0 2217"), ""},
		{"one number of two", "12", placed("0 0 1", "20 0 2"), ""},
		{"one number of two, as in groups", "1000", placed("0 0 1", "20 0 000"), ""},
		{"negated", "signed in", placed("0 0 is not", "80 0 signed", "160 0 in"), ""},
		{"words of a row that equal it", "Log in", placed("0 0 Log in now", "0 50 Log", "50 50 in"), "Log in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			one, rivals := match.NewIndex(tt.rows).Find(match.Query{Text: tt.text, Threshold: sdkapi.DefaultThreshold}).Resolve()
			got := ""
			if one != nil {
				got = one.Row.Text
			}
			if got != tt.want || len(rivals) > 0 && tt.want == "" {
				t.Errorf("%q is %q, with rivals %v; want %q", tt.text, got, rivals, tt.want)
			}
		})
	}
}

func TestAcrossRowsTwice(t *testing.T) {
	t.Parallel()
	rows := placed("0 0 F1", "40 0 Help", "0 50 F1", "40 50 Help")
	one, rivals := match.NewIndex(rows).Find(match.Query{Text: "F1 Help", Threshold: sdkapi.DefaultThreshold}).Resolve()
	if one != nil || places(rivals) != "0,0 0,50" || rivals[0].Index != 0 || rivals[1].Index != 2 {
		t.Fatalf("one is %v, rivals are %v", one, rivals)
	}
	scene := &perception.Scene{Rows: rows}
	if row, index, ok := scene.Find(rivals[1].Row.ID); !ok || index != 2 || row.Box != rivals[1].Row.Box {
		t.Errorf("the candidate is %v at %d, %v", row, index, ok)
	}
}
