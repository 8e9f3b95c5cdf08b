package match_test

import (
	"testing"

	"github.com/windieos/windie/perception/match"
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
