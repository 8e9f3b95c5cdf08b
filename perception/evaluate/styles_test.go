package evaluate

import (
	"strings"
	"testing"
)

// Points are counted by the tenth of their confidence, and answers by style, wherever screens are joined.
func TestStylesAndTrust(t *testing.T) {
	t.Parallel()
	var a, b located
	a.Styles.count("terse", "found", true)
	a.Styles.count("", "found", false)
	a.Trust.count(0.95, true)
	b.Styles.count("terse", "missing", false)
	b.Trust.count(1, false)
	b.Trust.count(0.05, false)
	a.add(b)
	var out strings.Builder
	a.printStyles(&out)
	want := "  terse: found 1.000 of 1, ambiguous 0.000 of 0, missing 0.000 of 1\n" +
		"  right points by confidence: .0 0.00 of 1; .9 0.50 of 2; .8 and more 0.500 of 2\n"
	if out.String() != want {
		t.Errorf("got\n%s, want\n%s", out.String(), want)
	}
}
