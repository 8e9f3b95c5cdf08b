package textline

import (
	"bytes"
	"image"
)

// Given returns the line of text in box, which contains exactly one line. If the box is blank,
// Given returns false. Evaluations use Given to measure how well lines are read, separately from
// the search for lines.
func Given(screen *image.NRGBA, box image.Rectangle) (Line, bool) {
	box = box.Intersect(screen.Rect)
	c := chainer{screen: screen}
	ground := c.commonest(box)
	ink := c.inkBox(box, ground, 2*threshold)
	return Line{Box: ink, Glyphs: []image.Rectangle{ink}, grounding: []pixel{ground}}, !ink.Empty()
}

// commonest returns the colour that most pixels of a box have. If several are equally common, it
// returns the first by its bytes, so that the result does not depend on the order of the map.
func (c *chainer) commonest(box image.Rectangle) (ground pixel) {
	counts := map[pixel]int{}
	last, run := c.at(box.Min.X, box.Min.Y), 0
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if p := c.at(x, y); p != last {
				counts[last] += run // much of a box is flat
				last, run = p, 0
			}
			run++
		}
	}
	counts[last] += run
	for p, n := range counts {
		if most := counts[ground]; n > most || n == most && bytes.Compare(p[:], ground[:]) < 0 {
			ground = p
		}
	}
	return ground
}

// inkBox returns the box around the pixels that differ from ground by more than apart, 0 to 255.
func (c *chainer) inkBox(box image.Rectangle, ground pixel, apart int) (ink image.Rectangle) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if c.at(x, y).apart(ground) > apart {
				ink = ink.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return ink
}
