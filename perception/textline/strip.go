package textline

import "math"

// Geometry is the position of the letters on a strip, in fractions of the strip's height.
type Geometry struct {
	Capital  float64 // height of a capital letter
	Baseline float64 // distance of the baseline from the top of the strip
}

// Geometries lists the positions of letters on a strip at which the networks read well, the best
// position first. All of them are near the positions in the strips for training.
var Geometries = []Geometry{{Capital: 0.54, Baseline: 0.76}, {Capital: 0.48, Baseline: 0.74}}

// marginPart is the width of the white margin at each end of a strip, as a share of its height.
// With a larger margin the networks misread more.
const marginPart = 0.055

// Strip is the picture of a line in the form that the networks read: dark letters on a light
// background, scaled to a fixed height.
type Strip struct {
	// Width is in pixels.
	Width int
	// Pix has the pixels row by row, from 0 for ink to 255 for paper.
	Pix   []uint8
	scale float64 // pixels of the strip per pixel of the patch
	left  float64 // x of the strip's left side on the patch, in pixels
}

// X converts x, a horizontal position on the strip, to a position on the patch, in pixels.
func (s *Strip) X(x float64) float64 { return s.left + x/s.scale }

// Strip scales the patch to a strip that is height pixels high. fit is the position of the letters on
// the patch, and target is their position on the strip. If the patch does not fit into the strip,
// Strip makes it smaller.
func (p *Patch) Strip(fit Fit, target Geometry, height int) Strip {
	h := fit.Capital / target.Capital
	top := fit.Baseline - h*target.Baseline
	bottom := max(top+h, float64(p.Height))
	top = min(top, 0)
	s := Strip{scale: float64(height) / (bottom - top)}
	margin := marginPart * float64(height) / s.scale
	s.left = 1 - margin
	s.Width = max(1, int(math.Round((float64(p.Width-2)+2*margin)*s.scale)))
	s.Pix = p.resample(s, top, height)
	return s
}

// resample scales the ink of the patch to a strip whose top is at y = top on the patch.
func (p *Patch) resample(s Strip, top float64, height int) []uint8 {
	columns := taps(s.Width, p.Width, s.left, s.scale)
	rows := taps(height, p.Height, top, s.scale)
	wide := make([]float32, s.Width*p.Height)
	from := make([]float32, p.Width)
	for y := range p.Height {
		for x, v := range p.Ink[y*p.Width:][:p.Width] {
			from[x] = float32(v)
		}
		to := wide[y*s.Width:][:s.Width]
		for x, t := range columns {
			sum := float32(0)
			near := from[t.first:][:len(t.weights)]
			for i, weight := range t.weights {
				sum += weight * near[i]
			}
			to[x] = sum
		}
	}
	out := make([]uint8, s.Width*height)
	sums := make([]float32, s.Width)
	for y, t := range rows {
		clear(sums)
		for i, weight := range t.weights {
			for x, v := range wide[(t.first+i)*s.Width:][:s.Width] {
				sums[x] += weight * v
			}
		}
		for x, sum := range sums {
			out[y*s.Width+x] = 255 - uint8(min(max(sum+0.5, 0), 255))
		}
	}
	return out
}

// tap has the source pixels of one target pixel, with a weight for each. first is the index of the
// first source pixel.
type tap struct {
	first   int
	weights []float32
}

// taps returns the sources of n target pixels. The kernel is cubic (Catmull-Rom) and as wide as the
// wider of a source and a target pixel.
func taps(n, source int, offset, scale float64) []tap {
	list := make([]tap, n)
	stretch := max(1, 1/scale)
	all := make([]float32, 0, n*int(4*stretch+2))
	for i := range list {
		middle := offset + (float64(i)+0.5)/scale - 0.5
		first := min(max(0, int(math.Ceil(middle-2*stretch))), source)
		last := min(source-1, int(math.Floor(middle+2*stretch)))
		begin := len(all)
		for j := first; j <= last; j++ {
			all = append(all, float32(catmullRom((float64(j)-middle)/stretch)/stretch))
		}
		list[i] = tap{first, all[begin:len(all):len(all)]}
	}
	return list
}

// catmullRom returns the weight of a source pixel at distance x from the middle, in pixels of the
// kernel. It is 0 from a distance of 2 on, and negative between 1 and 2.
func catmullRom(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return 1.5*x*x*x - 2.5*x*x + 1
	case x < 2:
		return -0.5*x*x*x + 2.5*x*x - 4*x + 2
	}
	return 0
}
