package screen

import (
	"strings"
	"testing"
)

// A call that lacks an argument fails before it asks the display.
func TestMissingArguments(t *testing.T) {
	t.Parallel()
	for _, in := range []captureInput{{X: 5}, {Y: 5}, {X: 5, Y: 5, Width: 9}, {Height: 9}} {
		if _, err := capture(t.Context(), nil, in); err == nil || !strings.Contains(err.Error(), "needs width and height") {
			t.Errorf("%+v is captured: %v", in, err)
		}
	}
	if _, err := activate(t.Context(), nil, windowInput{}); err == nil || !strings.Contains(err.Error(), "id or title") {
		t.Errorf("no window is activated: %v", err)
	}
}
