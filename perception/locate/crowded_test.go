//go:build system

package locate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/perception/locate"
)

// Find takes less than a minute on a screen with more than 4000 elements, even for the slowest descriptions.
func TestCrowded(t *testing.T) {
	t.Parallel()
	screen := shop()
	for len(screen.Elements) < 4000 {
		screen.Elements = append(screen.Elements, screen.Elements...)
	}
	for _, description := range []string{
		"the selected item under the heading Latest orders", "switch in the dialog in the open submenu", "search box with a search icon of the card",
		strings.Repeat("the button between Anna and the button next to ", 20), strings.Repeat("with the 'Delete' of the last ", 40),
	} {
		start := time.Now()
		locate.Find(screen, description)
		if took := time.Since(start); took > time.Minute { // a race detector and a busy machine are slow; what tries all ways takes minutes
			t.Errorf("%q takes %v", description, took)
		}
	}
}
