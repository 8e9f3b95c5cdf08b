package textline_test

import (
	"fmt"
	"image"
	"image/color"
	"testing"

	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/windieos/windie/internal/test/testkit"
)

// A text that a line goes through is one line, with letters of its height.
func TestStruckThroughText(t *testing.T) {
	t.Parallel()
	red := color.NRGBA{R: 220, G: 30, B: 40, A: 255}
	for face, font := range map[string][]byte{"regular": goregular.TTF, "mono": gomono.TTF} {
		for _, em := range []float64{12, 14, 16, 20, 24, 32} {
			for _, thick := range []int{1, 2} {
				for _, ink := range []color.NRGBA{black, red} {
					for _, text := range []string{"Delete account", "old price 48,90", "$1,299.00"} {
						t.Run(fmt.Sprint(face, " ", em, " ", thick, " ", ink == red, " ", text), func(t *testing.T) {
							img := testkit.Canvas(600, 100, white)
							want := union(testkit.Pen{Em: em, Font: font}.Write(img, 30, 60, text))
							y := 60 - int(0.3*em)
							round(img, image.Rect(want.Min.X-1, y, want.Max.X+1, y+thick), 0, ink)
							lines := find(t, img).Lines
							if !near(union(boxes(lines)), want, 2) {
								t.Errorf("lines %v, want %v", boxes(lines), want)
							}
							for _, l := range lines { // of words with a wide space between
								if 10*l.Box.Dy() < 7*want.Dy() {
									t.Errorf("%v is a part of the letters in %v", l.Box, want)
								}
							}
						})
					}
				}
			}
		}
	}
}

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
			if lines := find(t, img).Lines; !near(union(boxes(lines)), want, 2) {
				t.Errorf("lines %v, want %v", boxes(lines), want)
			}
		})
	}
}
