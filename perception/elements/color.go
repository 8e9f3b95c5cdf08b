package elements

import (
	"math"

	"github.com/windieos/windie/perception/geo"
)

// Color is an opaque color in sRGB; each channel is 0..255.
type Color struct{ R, G, B uint8 }

// Apart returns the difference of two colors, 0..765: the sum of the differences of the three
// channels.
func Apart(a, b Color) int {
	return geo.Abs(int(a.R)-int(b.R)) + geo.Abs(int(a.G)-int(b.G)) + geo.Abs(int(a.B)-int(b.B))
}

// lch is a color in OKLCh: lightness 0 to 1, chroma 0 to about 0.32, hue in
// degrees (Björn Ottosson, "A perceptual color space for image processing",
// 2020).
type lch struct{ l, c, h float64 }

// lch converts the color from sRGB to OKLCh. The hue of a grey is arbitrary, so callers compare the
// chroma with hueless first.
func (c Color) lch() lch {
	r, g, b := linear[c.R], linear[c.G], linear[c.B]
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	x := 1.9779984951*l - 2.4285922050*m + 0.4505937099*s
	y := 0.0259040371*l + 0.7827717662*m - 0.8086757660*s
	hue := math.Atan2(y, x) * 180 / math.Pi
	if hue < 0 {
		hue += 360
	}
	return lch{0.2104542553*l + 0.7936177850*m - 0.0040720468*s, math.Hypot(x, y), hue}
}

// linear maps sRGB channel values to amounts of light, 0 to 1 (IEC 61966-2-1).
var linear = func() (t [256]float64) {
	for i := range t {
		v := float64(i) / 255
		if v <= 0.04045 {
			t[i] = v / 12.92
		} else {
			t[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return t
}()

// The chroma below which people name no hue for a color.
const (
	grey     = 0.035
	paleGrey = 0.024 // for light colors, whose hue is visible sooner
)

// hueless returns the chroma below which people name no hue for a color.
func (v lch) hueless() float64 {
	if v.l > 0.85 {
		return paleGrey
	}
	return grey
}

// hues are the ranges of named hues, in degrees. They overlap, because teal and green may name the
// same button. A range that begins below 0 wraps around at 360.
var hues = []struct {
	name     string
	from, to float64
}{
	{"red", 8, 36}, {"orange", 36, 76}, {"yellow", 64, 115}, {"green", 115, 168}, {"teal", 158, 205},
	{"cyan", 188, 218}, {"blue", 218, 288}, {"purple", 282, 336}, {"pink", -32, 10},
}

// Name returns the basic color term for the color, for example "red" or "dark red".
func (c Color) Name() string {
	v := c.lch()
	if v.c < v.hueless() {
		switch {
		case v.l < 0.25:
			return "black"
		case v.l > 0.95:
			return "white"
		}
		return shade(v.l, 0.5, 0.8) + "grey"
	}
	best, near := "", math.Inf(1)
	for _, h := range hues {
		if d := math.Abs(turn(v.h, (h.from+h.to)/2)) / (h.to - h.from); d < near {
			best, near = h.name, d
		}
	}
	switch {
	case best == "orange" && v.l < 0.55:
		return "brown"
	case best == "cyan" && v.l < 0.62:
		best = "teal"
	case v.l > 0.85 && v.c >= vivid: // pure yellow is light, but nobody calls it light yellow
		return best
	}
	return shade(v.l, 0.45, 0.85) + best
}

const (
	vivid    = 0.165 // minimum chroma of a light color that nobody calls light
	softness = 25    // degrees beyond its range in which a hue's name still partly fits
)

// shade returns the prefix "dark " or "light " of a color name, or "" if the lightness l is from
// dark to light.
func shade(l, dark, light float64) string {
	switch {
	case l < dark:
		return "dark "
	case l > light:
		return "light "
	}
	return ""
}

// turn returns the shortest turn from one hue to another, -180 to 180 degrees.
func turn(from, to float64) float64 { return math.Mod(to-from+540, 360) - 180 }

// Is returns a number from 0 to 1 that says how well a basic color term, such as "red", describes
// the color. 0 means not at all. If the term is unknown, the number is 0.
func (c Color) Is(term string) float64 {
	v := c.lch()
	switch term {
	case "black":
		return fade(v.l, 0.25, 0.45) * fade(v.c, grey, 3*grey)
	case "white":
		return fade(-v.l, -0.95, -0.85) * fade(v.c, grey/2, 2*grey)
	case "grey":
		return fade(v.c, grey, 2*grey) * fade(-v.l, -0.3, -0.2) * fade(v.l, 0.95, 0.98)
	case "brown":
		return c.Is("orange") * fade(v.l, 0.55, 0.68)
	}
	for _, h := range hues {
		if h.name == term {
			outside := math.Abs(turn(v.h, (h.from+h.to)/2)) - (h.to-h.from)/2
			return fade(outside, 0, softness) * fade(-v.c, -2*v.hueless(), -v.hueless())
		}
	}
	return 0
}

// fade returns 1 for v up to full, 0 for v from none on, and a linear value between them.
func fade(v, full, none float64) float64 { return min(1, max(0, (none-v)/(none-full))) }
