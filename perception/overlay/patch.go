package overlay

import (
	"image"
	"image/color"
	"math"
)

// patch is a rounded rectangle that can be painted in any size. It has the pixels of the upper left
// corner. The other corners mirror them; the last row and column are repeated between the corners.
type patch struct {
	side int
	px   []color.NRGBA // side x side, by rows
}

// layer is a ring of color along the edge of a rounded rectangle.
type layer struct {
	color    color.NRGBA
	from, to float64 // distance from the edge at which the ring begins and ends, in pixels
}

const (
	solid     = math.MaxInt16 // end of a layer that fills the whole rectangle
	haloAlpha = 215           // opacity of a halo, 0..255
)

// framePatch returns a line of color c with a halo around it and nothing inside.
func framePatch(c color.NRGBA, s sizes) patch {
	halo, line := float64(s.halo), float64(s.line)
	return newPatch(s.corner, s.halo+s.line,
		layer{haloOf(c), 0, halo + line},
		layer{c, halo, halo + line})
}

// tagPatch returns a filled rectangle of color c with a halo around it.
func tagPatch(c color.NRGBA, s sizes) patch {
	return newPatch(s.round, s.halo,
		layer{haloOf(c), 0, solid},
		layer{c, float64(s.halo), solid})
}

// haloOf returns the translucent color of the halo around a color.
func haloOf(c color.NRGBA) color.NRGBA {
	halo := against(c)
	halo.A = haloAlpha
	return halo
}

// newPatch draws layers over each other. Beyond depth pixels from the edge the result is constant.
func newPatch(radius float64, depth int, layers ...layer) patch {
	side := max(int(math.Ceil(radius)), depth) + 1
	p := patch{side: side, px: make([]color.NRGBA, side*side)}
	for i := range p.px {
		within := depthAt(float64(i%side)+0.5, float64(i/side)+0.5, radius)
		px := [4]uint8{}
		for _, l := range layers {
			c := l.color
			c.A = uint8(float64(c.A)*(coverage(within-l.from)-coverage(within-l.to)) + 0.5)
			over(px[:], c)
		}
		p.px[i] = color.NRGBA{px[0], px[1], px[2], px[3]}
	}
	return p
}

// depthAt returns the distance from (x,y) to the edge of a rectangle with its rounded corner at
// (0,0).
func depthAt(x, y, radius float64) float64 {
	if x < radius && y < radius {
		return radius - math.Hypot(radius-x, radius-y)
	}
	return min(x, y)
}

// coverage returns the share of a pixel that is inside, 0..1. within is the distance of its center
// from the edge, positive inside.
func coverage(within float64) float64 { return min(max(within+0.5, 0), 1) }

// paint draws p in the size of r, which must be within dst.
func (p patch) paint(dst *image.NRGBA, r image.Rectangle) {
	width, height, last := r.Dx(), r.Dy(), p.side-1
	for y := range height {
		row := p.px[min(y, height-1-y, last)*p.side:][:p.side]
		pix := dst.Pix[dst.PixOffset(r.Min.X, r.Min.Y+y):][:4*width]
		hollow := row[last].A == 0
		for x := 0; x < width; x++ {
			if hollow && x == last {
				x = max(x, width-p.side) // skip the empty middle
			}
			over(pix[4*x:4*x+4:4*x+4], row[min(x, width-1-x, last)])
		}
	}
}
