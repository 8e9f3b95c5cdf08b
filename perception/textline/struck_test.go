package textline_test

import (
	"fmt"
	"image"
	"image/color"
	"testing"

	"golang.org/x/image/font/gofont/gomono"

	"github.com/windieos/windie/internal/test/testkit"
)

// The paper between a window's edge and a text right below it is no line through that text, though all of it is between
// things.
func TestTextAtTheTopOfAWindow(t *testing.T) {
	t.Parallel()
	for gap := 1; gap <= 5; gap++ {
		t.Run(fmt.Sprint(gap), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(600, 120, black)
			round(img, image.Rect(40, 10, 560, 110), 0, color.NRGBA{R: 210, G: 210, B: 210, A: 255})
			round(img, image.Rect(40, 31, 560, 110), 0, white)
			want := union(testkit.Pen{Em: 15, Font: gomono.TTF}.Write(img, 48, 31+gap+11, "Dear Ada"))
			if lines := find(t, img); !near(union(boxes(lines)), want, 2) {
				t.Errorf("lines %v, want %v", boxes(lines), want)
			}
		})
	}
}
