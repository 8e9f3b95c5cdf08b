package textline

import "image"

// Given returns the line in a box that is known to hold one and nothing else, or false if nothing stands in it. It
// measures how well lines are read apart from how well they are found.
func Given(screen *image.NRGBA, box image.Rectangle) (Line, bool) {
	box = box.Intersect(screen.Rect)
	counts := map[pixel]int{}
	c := chainer{screen: screen}
	var ground pixel
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			p := c.at(x, y)
			if counts[p]++; counts[p] > counts[ground] {
				ground = p
			}
		}
	}
	var ink image.Rectangle
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if c.at(x, y).apart(ground) > 2*threshold {
				ink = ink.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return Line{Box: ink, Glyphs: []image.Rectangle{ink}, grounding: []pixel{ground}}, !ink.Empty()
}
