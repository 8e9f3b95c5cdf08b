package vlm

import (
	"image"
	"math"
)

// Snap chooses a box for a point. It returns the index of the box and the position to click. If the
// point is inside boxes, Snap chooses the smallest of these boxes, and the position is the point.
// Otherwise it chooses the nearest box within radius pixels, and the position is the middle of the
// box. If several boxes are equally near, Snap chooses the first of them. If there is no such box,
// the index is -1 and the position is the point. Snap ignores empty boxes.
func Snap(point image.Point, boxes []image.Rectangle, radius int) (index int, snapped image.Point) {
	index = -1
	// the smallest area of a box around the point or, outside of all boxes, the smallest distance
	inside, best := false, math.Inf(1)
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

// distance returns the distance from a point to the nearest pixel of a box.
func distance(p image.Point, b image.Rectangle) float64 {
	dx := max(b.Min.X-p.X, 0, p.X-(b.Max.X-1))
	dy := max(b.Min.Y-p.Y, 0, p.Y-(b.Max.Y-1))
	return math.Hypot(float64(dx), float64(dy))
}
