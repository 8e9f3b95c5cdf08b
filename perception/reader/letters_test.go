package reader

import (
	"fmt"
	"testing"

	"github.com/windieos/windie/perception/textline"
)

// TestFitting checks that a fit that contradicts the letters makes a reading less sure.
func TestFitting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text    string
		letters textline.Heights
		want    float64
	}{
		{"Home", textline.Both, 1},
		{"HOME", textline.Tall, 1}, {"HOME", textline.Small, 0},
		{"area", textline.Small, 1}, {"area", textline.Tall, 0},
		{"10am", textline.Tall, 0.5}, {"10am", textline.Small, 0.5},
		{"-.", textline.Tall, 1},
	} {
		t.Run(fmt.Sprint(tt.text, " ", tt.letters), func(t *testing.T) {
			p := spellingOf(is(tt.text, make([]int, len(tt.text))...), low(0, 60))
			p.fit.Letters = tt.letters
			if got := p.fitting(); got != tt.want {
				t.Errorf("%q as %d: %g, want %g", tt.text, tt.letters, got, tt.want)
			}
			if sure := p.sureness(); tt.want == 1 && sure < 0.99 || tt.want == 0 && sure > 0.51 {
				t.Errorf("%q as %d: sure to %g", tt.text, tt.letters, sure)
			}
		})
	}
	if sure := spellingOf(nil).sureness(); sure != 0 {
		t.Errorf("nothing is sure to %g", sure)
	}
}
