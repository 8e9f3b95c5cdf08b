package textline_test

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
)

// A picture without lines has no lines, however small.
func TestNothingThere(t *testing.T) {
	t.Parallel()
	gradient := testkit.Canvas(300, 200, white)
	for y := range 200 {
		for x := range 300 {
			gradient.SetNRGBA(x, y, color.NRGBA{uint8(x / 2), uint8(y), uint8(100 + x/4), 255})
		}
	}
	checked := testkit.Canvas(2, 1, white)
	checked.SetNRGBA(0, 0, black)
	upright := testkit.Canvas(1, 2, white)
	upright.SetNRGBA(0, 0, black)
	for name, img := range map[string]*image.NRGBA{
		"white": testkit.Canvas(800, 600, white), "1 x 1": testkit.Canvas(1, 1, black), "2 x 1": checked, "1 x 2": upright, "a gradient": gradient,
		"3 x 3": testkit.Canvas(3, 3, black), "0 x 0": testkit.Canvas(0, 0, black),
	} {
		t.Run(name, func(t *testing.T) {
			if got := find(t, img); len(got) != 0 {
				t.Errorf("%s: lines %v", name, boxes(got))
			}
		})
	}
}

// noise returns a picture where each pixel has another color with the given
// chance.
func noise(width, height int, chance float64) *image.NRGBA {
	r := rand.New(rand.NewPCG(1, 2))
	img := testkit.Canvas(width, height, white)
	for i := 0; i < len(img.Pix); i += 4 {
		if r.Float64() < chance {
			v := r.Uint32()
			img.Pix[i], img.Pix[i+1], img.Pix[i+2] = uint8(v), uint8(v>>8), uint8(v>>16)
		}
	}
	return img
}

// FuzzFind looks for panics, and for lines that are not on the picture.
func FuzzFind(f *testing.F) {
	f.Add(uint8(40), []byte("\x00\xff\xff\x00"))
	f.Add(uint8(1), []byte{})
	f.Add(uint8(7), []byte("abcdefghijklmnopqrstuvwxyz"))
	f.Fuzz(func(t *testing.T, width uint8, data []byte) {
		w := int(width)
		if w == 0 || len(data) > 1<<14 {
			return
		}
		// A byte is two by two pixels, so that it takes fewer for a letter.
		img := testkit.Canvas(2*w, 2*((len(data)+w-1)/w), white)
		for i, v := range data {
			for _, at := range [4]image.Point{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
				img.SetNRGBA(2*(i%w)+at.X, 2*(i/w)+at.Y, color.NRGBA{v, v & 0xf0, v << 4, 255})
			}
		}
		for _, l := range find(t, img) {
			if l.Box.Empty() || !l.Box.In(img.Rect) || len(l.Glyphs) == 0 {
				t.Fatalf("line %v of glyphs %v on %v", l.Box, l.Glyphs, img.Rect)
			}
			p := l.Patch(img)
			p.Segments()
			for _, fit := range p.Fits() {
				for _, g := range textline.Geometries {
					if s := p.Strip(fit, g, 36); s.Width < 1 || len(s.Pix) != 36*s.Width {
						t.Fatalf("line %v: a strip %d wide with %d pixels, of %+v", l.Box, s.Width, len(s.Pix), fit)
					}
				}
			}
		}
	})
}
