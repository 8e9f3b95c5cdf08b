package overlay

import (
	"image"
	"math"
)

// target draws a ring with four ticks around a point, and a dot on the point.
func (p *painter) target(at image.Point, s shape) {
	line, halo := float64(p.sizes.line), float64(p.sizes.halo)
	edge := haloOf(s.color)
	area := targetBox(at, p.sizes).Intersect(p.out.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			d := p.sizes.toTarget(math.Abs(float64(x-at.X)), math.Abs(float64(y-at.Y)))
			if d > line/2+halo+1 {
				continue
			}
			px := p.out.Pix[p.out.PixOffset(x, y):][:4:4]
			under, c := edge, s.color
			under.A = uint8(float64(edge.A)*coverage(line/2+halo-d) + 0.5)
			c.A = uint8(255*coverage(line/2-d) + 0.5)
			over(px, under)
			over(px, c)
		}
	}
}

// toTarget returns the distance from a position to the nearest ring, tick or dot of a target. x and
// y are relative to its center and not negative.
func (s sizes) toTarget(x, y float64) float64 {
	r := float64(s.target)
	ring := math.Abs(math.Hypot(x, y) - r)
	along, across := max(x, y), min(x, y)
	inner, outer := 0.55*r, 1.45*r
	tick := math.Hypot(across, max(inner-along, along-outer, 0))
	return min(ring, tick, math.Hypot(x, y))
}

// targetBox returns the area of a target with its halo.
func targetBox(at image.Point, s sizes) image.Rectangle {
	reach := int(1.45*float64(s.target)+0.5) + s.line + s.halo
	return image.Rect(at.X-reach, at.Y-reach, at.X+reach+1, at.Y+reach+1)
}
