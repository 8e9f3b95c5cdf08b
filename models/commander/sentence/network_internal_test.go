package sentence

import (
	"slices"
	"testing"
)

// A file that is cut or has too much is refused.
func TestLoad(t *testing.T) {
	t.Parallel()
	n, err := load(readerFile)
	if err != nil || len(n.act.bias.weights) != len(Acts) || len(n.role.bias.weights) != PathIn+1 || n.grams.rows != Grams || n.kinds.rows != Kinds {
		t.Fatalf("%v; the network has %d acts, %d roles, %d parts of words and %d kinds", err, len(n.act.bias.weights), len(n.role.bias.weights), n.grams.rows, n.kinds.rows)
	}
	if want := 5*n.in.bias.columns + n.kinds.columns + facts + len(Acts); n.mention.weights.columns != want {
		t.Errorf("a mention has %d numbers, not %d", n.mention.weights.columns, want)
	}
	for _, size := range []int{0, 8, 9, len(readerFile) / 2, len(readerFile) - 1} {
		if _, err := load(readerFile[:size]); err == nil {
			t.Errorf("%d bytes of %d are taken", size, len(readerFile))
		}
	}
	if _, err := load(append(slices.Clone(readerFile), 0)); err == nil {
		t.Error("a byte too many is taken")
	}
	huge := slices.Clone(readerFile)
	huge[3] = 0x7f
	if _, err := load(huge); err == nil {
		t.Error("a matrix of two billion rows is taken")
	}
}

// A word with a slip of the pen is known, and a short one is not guessed.
func TestIsSlip(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"forrmat", "format"}, {"atachment", "attachment"}, {"setings", "settings"}, {"opactiy", "opacity"}, {"straße", "strase"}} {
		if !isSlip(pair[0], pair[1]) || !isSlip(pair[1], pair[0]) {
			t.Errorf("%q is no slip of %q", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"page", "pages"}, {"save", "same"}, {"format", "fromat2"}, {"delete", "deselect"}, {"on", "in"}} {
		if isSlip(pair[0], pair[1]) {
			t.Errorf("%q is a slip of %q", pair[0], pair[1])
		}
	}
}

// The rest of a sentence has a name where it says "it" near its beginning.
func TestWithName(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"and click it":                         `and click "Save"`,
		"right-click it, then press Enter":     `right-click "Save", then press Enter`,
		"danach klicke darauf":                 `danach klicke "Save"`,
		"press Enter. It may take a while":     "press Enter. It may take a while",
		`type "it" into the field called Name`: `type "it" into the field called Name`,
	} {
		if got, ok := WithName(said, "Save"); got != want || ok != (got != said) {
			t.Errorf("%q: %q, %v", said, got, ok)
		}
	}
}
