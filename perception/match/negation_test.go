package match_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/sdkapi"
)

// Words are negations however their marks are read.
func TestIsNegation(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"Not": true, "NO": true, "(not": true, "NOT,": true, "don't": true, "Don’t": true, "Don`t": true, "Don´t": true, "Dont": true, "Can‘t": true, "cant": true, "Keinen": true,
		"no.": false, "note": false, "want": false, "font": false, "cannon": false, "": false,
	} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			if got := match.IsNegation(word); got != want {
				t.Errorf("%q: %t", word, got)
			}
		})
	}
}

// A "no" within running text is no label's, and that of a label is: its first word, or one of few.
func TestNoInRunningText(t *testing.T) {
	t.Parallel()
	for row, found := range map[string]bool{
		"there is no room for them": true, `fprintf(stderr, "orchard: no room for %s"`: true, "Use no room for them": false,
		"No room for them is left here": false, "there is not room for them here": false,
	} {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			one, _ := match.NewIndex(placed("0 0 " + row)).Find(match.Query{Text: "room for", Threshold: sdkapi.DefaultThreshold}).Resolve()
			if (one != nil) != found {
				t.Errorf("found %+v", one)
			}
		})
	}
}

// A negation says something of the first word behind it that has a meaning of its own.
func TestNegated(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{ // the text is behind the bar
		"Don't | save": true, "Do not automatically | save": true, "I do not wish to | receive emails": true, "Never ever | delete it": true,
		"Check out but not | Delete": true, "They cannot be | brought back": true, "Nicht mehr | anzeigen": true, "Nicht automatisch | speichern": true,
		"Ne jamais | enregistrer": true, "without an | account": true, "No longer | available": true, "not 7 but | 8": false, "not | 7": true,
		"Do not | 5 things": true, "no | one": true, "no | 5G": true,
		"Do not save, | close": false, "Do not read the | file": false, "no sound on | exit": false, "Do not | send emails": true, "Do not send | emails": false, "Check | out but not Delete": false, "| Save": false,
		"Do not, automatically, | save": false, "not to be to be | sent": false, "Order no | 2217": false, "Order No | #2217": false, "Order no. | 2217": false, "Apply | it": false,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			before, behind, _ := strings.Cut(text, "|")
			if got := match.Negated(strings.Fields(before), strings.TrimSpace(behind)); got != want {
				t.Errorf("%t, want %t", got, want)
			}
			row := rows(strings.ReplaceAll(text, "|", ""))
			one, _ := match.NewIndex(row).Find(match.Query{Text: behind, Threshold: sdkapi.DefaultThreshold}).Resolve()
			if (one == nil) != want {
				t.Errorf("on a row: %+v", one)
			}
		})
	}
}

// A negation counts too where the reader cut the line behind it.
func TestNegatedInTheRowBefore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		rows  []perception.Row
		found bool
	}{
		{"a space farther", placed("0 0 Do not", "76 0 save"), false},
		{"over a word of each", placed("0 0 I do not wish", "146 0 to save"), false},
		{"by itself", placed("0 0 Don't", "60 0 save"), false},
		{"a column farther", placed("0 0 Do not", "77 0 save"), true},
		{"on the next line", placed("0 0 Do not", "70 20 save"), true},
		{"to its right", placed("0 0 save", "46 0 do not"), true},
		{"that says it of another word", placed("0 0 Do not close", "130 0 save"), true},
		{"behind another word", placed("0 0 Do not", "76 0 close save"), true},
		{"an answer", placed("0 0 No", "30 0 save"), true},
		{"no answer", placed("0 0 With no", "80 0 save"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			one, _ := match.NewIndex(tt.rows).Find(match.Query{Text: "save", Threshold: sdkapi.DefaultThreshold}).Resolve()
			if (one != nil) != tt.found {
				t.Errorf("found %+v", one)
			}
		})
	}
}
