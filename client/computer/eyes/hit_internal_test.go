package eyes

import "testing"

// The answer names what was hit, and what was asked for where that reads otherwise.
func TestHit(t *testing.T) {
	t.Parallel()
	score := 0.62
	for _, tt := range []struct {
		kind, label, asked string
		score              *float64
		want               string
	}{
		{"menu item", "Save", "Save As ...", &score, `the menu item "Save" (for "Save As ...", score 0.62)`},
		{"text", "Save", "save", &score, `the text "Save"`},
		{"slider", "", "the slider below X", &score, `the slider (for "the slider below X", score 0.62)`},
		{"text", "Save", "other", nil, `the text "Save"`},
	} {
		t.Run(tt.want, func(t *testing.T) {
			t.Parallel()
			if got := hit(tt.kind, tt.label, tt.asked, tt.score); got != tt.want {
				t.Errorf("got %s", got)
			}
		})
	}
}
