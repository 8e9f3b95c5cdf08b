package overlay_test

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/windieos/windie/perception/overlay"
)

var red = color.NRGBA{200, 0, 0, 255}

func pointAt(x, y int) *image.Point { return &image.Point{X: x, Y: y} }

// A point has a ring, four ticks and a dot, and what it is on shows between
// them. It needs no box.
func TestDrawPoint(t *testing.T) {
	t.Parallel()
	screen := image.NewNRGBA(image.Rect(0, 0, 100, 100))
	got := draw(t, screen, []overlay.Mark{{Point: pointAt(50, 40), Color: red}}, labels)
	for name, at := range map[string]image.Point{"dot": {X: 50, Y: 40}, "ring": {X: 59, Y: 40}, "upper tick": {X: 50, Y: 28}, "left tick": {X: 38, Y: 40}} {
		t.Run(name, func(t *testing.T) {
			if c := got.NRGBAAt(at.X, at.Y); c != red {
				t.Errorf("the %s at %v is %v", name, at, c)
			}
		})
	}
	for _, at := range []image.Point{{X: 53, Y: 43}, {X: 60, Y: 50}, {X: 70, Y: 40}} {
		t.Run(at.String(), func(t *testing.T) {
			if c := got.NRGBAAt(at.X, at.Y); c.A != 0 {
				t.Errorf("%v is %v", at, c)
			}
		})
	}
}

// A box and a point in it are one mark; a point outside of the screen, or at
// its very edge, does not hurt.
func TestDrawPointAndBox(t *testing.T) {
	t.Parallel()
	screen := image.NewNRGBA(image.Rect(0, 0, 200, 100))
	got := draw(t, screen, []overlay.Mark{{Box: image.Rect(20, 20, 180, 80), Point: pointAt(100, 50), Color: red}}, labels)
	if frame, dot := got.NRGBAAt(17, 50), got.NRGBAAt(100, 50); frame != red || dot != red {
		t.Errorf("the frame is %v, the dot %v", frame, dot)
	}
	far := draw(t, screen, []overlay.Mark{{Point: pointAt(200, 50)}, {Point: pointAt(-1, 0)}, {Point: pointAt(math.MaxInt, math.MinInt), Label: "far"}}, labels)
	if !bytes.Equal(far.Pix, screen.Pix) {
		t.Error("points outside of the screen were drawn")
	}
	corner := draw(t, screen, []overlay.Mark{{Point: pointAt(0, 99), Color: red, Label: "1"}}, labels)
	if c := corner.NRGBAAt(0, 99); c != red {
		t.Errorf("the dot in the corner is %v", c)
	}
}

// A point's label stands beside it: what it shows is what it is about.
func TestTagKeepsOffItsPoint(t *testing.T) {
	t.Parallel()
	for _, at := range []*image.Point{pointAt(60, 60), pointAt(2, 2), pointAt(118, 118), pointAt(60, 2)} {
		screen := page(120, 120)
		bare := draw(t, screen, []overlay.Mark{{Point: at, Color: red}}, labels)
		tagged := draw(t, screen, []overlay.Mark{{Point: at, Color: red, Label: "12"}}, labels)
		if bytes.Equal(bare.Pix, tagged.Pix) {
			t.Errorf("%v has no tag", at)
		}
		for y := at.Y - 8; y <= at.Y+8; y++ {
			for x := at.X - 8; x <= at.X+8; x++ {
				if (image.Point{X: x, Y: y}).In(screen.Rect) && bare.NRGBAAt(x, y) != tagged.NRGBAAt(x, y) {
					t.Fatalf("the tag of %v lies on (%d,%d)", at, x, y)
				}
			}
		}
	}
}
