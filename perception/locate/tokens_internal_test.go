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
