package overlay

import (
	"image"
	"image/color"
	"math"
	"testing"
)

// A frame shows on any ground, its own color among them.
func TestFramesStandOutFromTheirGround(t *testing.T) {
	t.Parallel()
	for _, c := range palette {
		for _, ground := range []color.NRGBA{white, {0, 0, 0, 255}, {0x80, 0x80, 0x80, 255}, c} {
			screen := image.NewNRGBA(image.Rect(0, 0, 60, 60))
			fill(screen, screen.Rect, ground)
			marked, err := Draw(t.Context(), screen, []Mark{{Box: image.Rect(20, 20, 40, 40), Color: c}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			best := 0.0
			for x := range 20 { // across the frame's left side
				best = max(best, contrast(marked.NRGBAAt(x, 30), ground))
			}
			if best < 3 { // what WCAG wants of lines
				t.Errorf("a frame of %v on %v has a contrast of %.1f", c, ground, best)
			}
		}
	}
}

func TestLabelsAreReadableOnTheirTags(t *testing.T) {
	t.Parallel()
	for _, c := range palette {
		if got := contrast(c, against(c)); got < 4.5 { // what WCAG wants of text
			t.Errorf("a label on %v has a contrast of %.1f", c, got)
		}
	}
}

// The matrices take linear RGB to what a person without one kind of cone
// sees: Machado, Oliveira and Fernandes 2009, severity 1.
var sights = map[string][3][3]float64{
	"all cones": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"no red":    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"no green":  {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"no blue":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// The well-known set of Okabe and Ito comes to 0.076 without its black.
func TestPaletteIsTellableByEverybody(t *testing.T) {
	t.Parallel()
	const apart = 0.13
	for name, sight := range sights {
		for i, a := range palette {
			for _, b := range palette[:i] {
				if d := distance(seen(a, sight), seen(b, sight)); d < apart {
					t.Errorf("with %s, %v and %v are only %.3f apart", name, a, b, d)
				}
			}
		}
	}
}

// seen returns c as it is seen, in linear RGB.
func seen(c color.NRGBA, sight [3][3]float64) [3]float64 {
	return product(sight, [3]float64{linear(c.R), linear(c.G), linear(c.B)})
}

// distance returns how different two colors look, by OKLab: 1 between black
// and white.
func distance(a, b [3]float64) float64 {
	p, q := oklab(a), oklab(b)
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

func oklab(rgb [3]float64) [3]float64 {
	for i, v := range rgb {
		rgb[i] = min(max(v, 0), 1)
	}
	lms := product([3][3]float64{
		{0.4122214708, 0.5363325363, 0.0514459929},
		{0.2119034982, 0.6806995451, 0.1073969566},
		{0.0883024619, 0.2817188376, 0.6299787005},
	}, rgb)
	for i, v := range lms {
		lms[i] = math.Cbrt(v)
	}
	return product([3][3]float64{
		{0.2104542553, 0.7936177850, -0.0040720468},
		{1.9779984951, -2.4285922050, 0.4505937099},
		{0.0259040371, 0.7827717662, -0.8086757660},
	}, lms)
}

func product(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return out
}

// Whoever counts on past the palette's end, or from before its beginning, gets
// colors of it.
func TestPaletteColor(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-len(palette), 0, len(palette), 10 * len(palette)} {
		if PaletteColor(n) != palette[0] || PaletteColor(n-1) != palette[len(palette)-1] {
			t.Errorf("%d and the one before are %v and %v", n, PaletteColor(n), PaletteColor(n-1))
		}
	}
}
