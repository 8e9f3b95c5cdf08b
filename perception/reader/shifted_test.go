//go:build system

package reader_test

import (
	"image"
	"image/draw"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// TestShiftedScreensReadAlike checks that a screen reads the same at any position of a larger
// screen, with boxes moved by the same distance.
func TestShiftedScreensReadAlike(t *testing.T) {
	t.Parallel()
	e := engine(t)
	for name, screen := range screens(t) {
		want := fresh(t)[name]
		for _, by := range []image.Point{{1, 0}, {0, 1}, {37, 61}, {64, 128}} {
			t.Run(name+" by "+by.String(), func(t *testing.T) {
				ground := screen.NRGBAAt(0, 0)
				canvas := testkit.Canvas(screen.Rect.Dx()+by.X, screen.Rect.Dy()+by.Y, ground)
				draw.Draw(canvas, screen.Rect.Add(by), screen, image.Point{}, draw.Src)
				if d := difference(want, read(t, e, canvas), by); d != "" {
					t.Errorf("%s by %v: %s", name, by, d)
				}
			})
		}
	}
}
