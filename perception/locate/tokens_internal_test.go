package locate

import (
	"slices"
	"testing"
)

// "not" before what a button does asks for the button that does the opposite.
func TestNot(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"do not keep my changes":   "discard my changes",
		"don't accept the cookies": "decline the cookies",
		"do not disturb":           "do not disturb",
		"save my changes":          "save my changes",
	} {
		t.Run(asked, func(t *testing.T) {
			t.Parallel()
			if got := joined(new(screen).withoutNot(tokens(asked))); got != want {
				t.Errorf("%q is read as %q, want %q", asked, got, want)
			}
		})
	}
}

// A word is proper if its first letter is a capital, with an accent or of another script too.
func TestProper(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"Save": true, "save": false, "Élan": true, "élan": false, "Über": true, "über": false, "Ω": true, "ω": false, "Ёлка": true, "ёлка": false, "7": false, "€": false,
	} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			if got := tokens(word); len(got) != 1 || got[0].proper != want {
				t.Errorf("%q: %+v; want proper %t", word, got, want)
			}
		})
	}
}

// Ordinals follow the rules of English. Other words of digits and letters stay whole.
func TestOrdinalNumber(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]int{
		"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "10th": 10, "11th": 11, "12th": 12, "13th": 13, "21st": 21, "22nd": 22, "23rd": 23, "30th": 30, "101st": 101, "111th": 111, "112th": 112,
		"": -1, "th": -1, "3": -1, "3d": -1, "10s": -1, "4h": -1, "2t": -1, "11st": -1, "12nd": -1, "3th": -1, "1th": -1, "-3rd": -1, "+3rd": -1, "99999999999999999999th": -1,
	} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			if got, ok := ordinalNumber(word); ok != (want >= 0) || ok && got != want {
				t.Errorf("got %d, %t, want %d (-1: not an ordinal)", got, ok, want)
			}
		})
	}
}

// A word such as "3d" is text to look for, not the number of an element.
func TestWordsWithDigits(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{"the 3d button": "3d", "the 10s entry": "10s", "the button 4h": "4h", "the 30th": "30"} {
		t.Run(asked, func(t *testing.T) {
			t.Parallel()
			q := parse(tokens(asked), 0)
			if !slices.Contains(q.words, want) || q.ordinal != 0 {
				t.Errorf("got the words %q and the ordinal %d, want the word %q and no ordinal", q.words, q.ordinal, want)
			}
		})
	}
}

// A text fits a label if the label has it somewhere as whole words, also behind a part of another word.
func TestFitOfALaterWord(t *testing.T) {
	t.Parallel()
	for text, labels := range map[string]map[string]bool{
		"save": {"autosave: save now": true, "save now": true, "autosave": false, "autosave, saved": false, "do not save": false, "autosaves, do not save": false},
		"1":    {"10 of 1": true, "10 of 11": false},
		"é":    {"été é": true, "été": false},
	} {
		for label, want := range labels {
			t.Run(text+"/"+label, func(t *testing.T) {
				t.Parallel()
				if got := fit(label, text); (got > nearMiss) != want {
					t.Errorf("it fits with %.2f; more than %.2f: want %t", got, nearMiss, want)
				}
			})
		}
	}
}
