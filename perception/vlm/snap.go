package vlm

import (
	"image"
	"math"
)

// Snap returns the box that a point means, and where to click in it. A point within boxes means the
// smallest, and stays. Others mean the first nearest box at most radius pixels away, and move to
// its middle. Without a box the index is -1, and the point stays. Empty boxes do not count.
func Snap(point image.Point, boxes []image.Rectangle, radius int) (index int, snapped image.Point) {
	index = -1
	inside, best := false, math.Inf(1) // the area of a box that holds it, or the distance of one that does not
	for i, b := range boxes {
		switch {
		case b.Empty():
		case point.In(b):
			if area := float64(b.Dx()) * float64(b.Dy()); !inside || area < best {
				index, inside, best = i, true, area
			}
		case !inside:
			if d := distance(point, b); d <= float64(radius) && d < best {
				index, best = i, d
			}
		}
	}
	if index < 0 || inside {
		return index, point
	}
	b := boxes[index]
	return index, image.Pt(b.Min.X+b.Dx()/2, b.Min.Y+b.Dy()/2)
}

// distance is how far a point is from the nearest pixel of a box.
func distance(p image.Point, b image.Rectangle) float64 {
	dx := max(b.Min.X-p.X, 0, p.X-(b.Max.X-1))
	dy := max(b.Min.Y-p.Y, 0, p.Y-(b.Max.Y-1))
	return math.Hypot(float64(dx), float64(dy))
}
