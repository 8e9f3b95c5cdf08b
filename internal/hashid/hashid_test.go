package hashid_test

import (
	"testing"

	"github.com/windieos/windie/internal/hashid"
)

// The names are on disk: they stay as they are.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		size int
		want string
	}{
		{"", 4, "e3b0c442"},
		{"ada", 8, "fdee430d40bd57de"},
		{"ada", 32, "fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := hashid.Of(c.text, c.size); got != c.want {
				t.Errorf("Of(%q, %d) = %s", c.text, c.size, got)
			}
		})
	}
}
