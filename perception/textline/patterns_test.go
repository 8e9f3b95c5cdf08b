package textline_test

import (
	"context"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
)

// longestFind is what finding the lines of a megapixel may take: some forty times what a screen full of
// text does, for the processor has other work too.
const longestFind = 2 * time.Second

// layers are what a picture by chance may be made of, over each other.
var layers = []struct {
	name string
	draw func(img *image.NRGBA, r *rand.Rand)
}{
	{"noise", func(img *image.NRGBA, r *rand.Rand) {
		chance := math.Pow(r.Float64(), 3)
		each(img, func(_, _ int, c *color.NRGBA) {
			if r.Float64() < chance {
				*c = anyColor(r)
			}
		})
	}},
	{"stripes", func(img *image.NRGBA, r *rand.Rand) {
		across, period, wide, ink := r.IntN(2) == 0, 2+r.IntN(40), 1+r.IntN(8), anyColor(r)
		each(img, func(x, y int, c *color.NRGBA) {
			if at := map[bool]int{true: x, false: y}[across]; at%period < wide {
				*c = ink
			}
		})
	}},
	{"a grid of dots", func(img *image.NRGBA, r *rand.Rand) {
		dx, dy, size, ink := 2+r.IntN(12), 2+r.IntN(12), 1+r.IntN(5), anyColor(r)
		each(img, func(x, y int, c *color.NRGBA) {
			if x%(dx+size) < size && y%(dy+size) < size {
				*c = ink
			}
		})
	}},
	{"a gradient", func(img *image.NRGBA, r *rand.Rand) {
		a, b, turn := anyColor(r), anyColor(r), r.Float64()
		w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
		each(img, func(x, y int, c *color.NRGBA) {
			t := turn*float64(x)/w + (1-turn)*float64(y)/h
			mix := func(p, q uint8) uint8 { return uint8(float64(p)*(1-t) + float64(q)*t) }
			*c = color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
		})
	}},
	{"a fractal", func(img *image.NRGBA, r *rand.Rand) { // a Julia set, whose edge is as long as the picture has room for
		cx, cy, zoom := r.Float64()*1.2-0.9, r.Float64()*0.8-0.1, 2+r.Float64()*2
		size := float64(max(img.Rect.Dx(), img.Rect.Dy()))
		each(img, func(x, y int, c *color.NRGBA) {
			zx, zy := (float64(x)/size-0.5)*zoom, (float64(y)/size-0.5)*zoom
			n := 0
			for ; n < 60 && zx*zx+zy*zy < 4; n++ {
				zx, zy = zx*zx-zy*zy+cx, 2*zx*zy+cy
			}
			*c = color.NRGBA{uint8(n * 4), uint8(n * 37), uint8(n * 97), 255}
		})
	}},
	{"text", func(img *image.NRGBA, r *rand.Rand) {
		for range 1 + r.IntN(30) {
			text := []string{"Save changes", "____", "...", `"="')`, "Il1|", "wwwww", "- - - -", "14:32:07", "┼─┼─┼"}[r.IntN(9)]
			testkit.Pen{Em: 8 + 30*r.Float64()*r.Float64(), Ink: anyColor(r)}.Write(img, r.IntN(img.Rect.Dx()), r.IntN(img.Rect.Dy()), text)
		}
	}},
}

func anyColor(r *rand.Rand) color.NRGBA {
	v := r.Uint32()
	return color.NRGBA{uint8(v), uint8(v >> 8), uint8(v >> 16), 255}
}

func each(img *image.NRGBA, do func(x, y int, c *color.NRGBA)) {
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			c := img.NRGBAAt(x, y)
			do(x, y, &c)
			img.SetNRGBA(x, y, c)
		}
	}
}

// findTries is how often finding may take too long: on a machine that does much else a process may wait that long once,
// but a picture that takes long does so each time.
const findTries = 5

// findWithin returns the layout of a picture, and whether it was found in time.
func findWithin(t *testing.T, img *image.NRGBA, most time.Duration) ([]textline.Line, bool) {
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	lines, err := findWith(ctx, img)
	return lines, err == nil
}

// FuzzPatterns looks for pictures on which finding lines takes long for their size, and for lines that are
// not on the picture: noise, stripes, dots, gradients, fractals and text at random places, over each other.
func FuzzPatterns(f *testing.F) {
	for first := range len(layers) {
		for second := range len(layers) {
			f.Add(uint64(first*31+second), uint16(300), uint16(200), uint8(first), uint8(second), uint8(5))
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, width, height uint16, first, second, third uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		img := testkit.Canvas(1+int(width)%900, 1+int(height)%700, anyColor(r))
		for _, n := range []uint8{first, second, third} {
			layers[int(n)%len(layers)].draw(img, r)
		}
		most := longestFind/10 + longestFind*time.Duration(img.Rect.Dx()*img.Rect.Dy())/1e6
		if smaller > 1 {
			most *= 10
		}
		layout, within := findWithin(t, img, most)
		for try := 1; !within && try < findTries; try++ {
			layout, within = findWithin(t, img, most)
		}
		if !within {
			t.Fatalf("%v takes longer than %v, %d times", img.Rect.Max, most, findTries)
		}
		for _, l := range layout {
			if l.Box.Empty() || !l.Box.In(img.Rect) || len(l.Glyphs) == 0 {
				t.Fatalf("line %v of glyphs %v on %v", l.Box, l.Glyphs, img.Rect)
			}
		}
	})
}
