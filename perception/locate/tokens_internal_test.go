package locate

import "testing"

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
