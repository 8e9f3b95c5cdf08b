package overlay

import (
	"context"
	"image"
	"math"

	"github.com/windieos/windie/perception/geo"
)

// Costs of a position for a tag. The first four are for each square of a tag's height that the tag
// hides. A free spot late in the order is better than an early one that hides something.
const (
	tagCost   = 20.0 // another tag: neither would be readable
	textCost  = 2.0  // text of a mark, its own included
	inkCost   = 3.0  // pixels that look like text or a symbol
	keptCost  = 20.0 // areas that the mark keeps
	orderCost = 0.04 // for each position further down the order
)

// textHeight is the maximum height of a text's box in tags. Higher boxes are regions.
const textHeight = 4

// placer finds positions for tags, one after the other.
type placer struct {
	screen *image.NRGBA
	sizes  sizes
	face   *typeface
	taken  *occupancy
}

// placeTags sets the tags of shapes. Earlier shapes choose first.
func placeTags(ctx context.Context, shapes []shape, screen *image.NRGBA, s sizes, taken *occupancy) error {
	p := placer{screen: screen, sizes: s, face: newTypeface(s.em), taken: taken}
	for _, sh := range shapes {
		if sh.box.Dy() <= textHeight*s.tag {
			p.taken.add(core(sh.box), usedByText)
		}
		if sh.point != nil {
			p.taken.add(targetBox(*sh.point, s).Intersect(screen.Rect), usedByText)
		}
	}
	for i := range shapes {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.place(&shapes[i])
	}
	return nil
}

// core returns the part of a text's box that contains its letters. A tag may touch the rest.
func core(box image.Rectangle) image.Rectangle {
	margin := box.Dy() / 8
	return image.Rect(box.Min.X, box.Min.Y+margin, box.Max.X, box.Max.Y-margin)
}

// place sets the text and tag of s, unless the screen is too small.
func (p *placer) place(s *shape) {
	if s.label == "" || p.sizes.tag > p.screen.Rect.Dy() {
		return
	}
	sides := 2 * (p.sizes.halo + p.sizes.pad)
	text, width := p.face.fit(s.label, p.screen.Rect.Dx()-sides)
	if text == "" {
		return
	}
	// A tag is at least as wide as high, so that a single digit is in a square.
	size := image.Pt(min(max(width+sides, p.sizes.tag), p.screen.Rect.Dx()), p.sizes.tag)
	s.text, s.tag = text, p.best(s, size)
	p.taken.add(s.tag, usedByTag)
}

// best returns the cheapest rectangle of size around a shape's frame. If each of those hides a tag
// or an area that s keeps, it tries positions farther away.
func (p *placer) best(s *shape, size image.Point) image.Rectangle {
	var best image.Rectangle
	lowest := math.Inf(1)
	near := spots(s.frame, size, p.sizes.halo)
	consider := func(i int, at image.Point) bool {
		order := float64(i) * orderCost
		if order >= lowest {
			return false
		}
		tag := within(image.Rectangle{Min: at, Max: at.Add(size)}, p.screen.Rect)
		if cost := order + p.cost(tag) + keptCost*p.keptCover(s, tag); cost < lowest {
			best, lowest = tag, cost
		}
		return true
	}
	for i, at := range near {
		if !consider(i, at) {
			return best
		}
	}
	for i, at := range further(s.frame, size) {
		if lowest < tagCost/4 || !consider(len(near)+i, at) {
			break
		}
	}
	return best
}

// keptCover returns the share of a tag that hides areas that its shape keeps, plus 1. If it hides
// nothing, it returns 0.
func (p *placer) keptCover(s *shape, tag image.Rectangle) float64 {
	hidden := 0
	for _, k := range s.keep {
		hidden += geo.Area(core(k).Intersect(tag))
	}
	if hidden == 0 {
		return 0
	}
	return 1 + float64(hidden)/float64(geo.Area(tag))
}

// cost returns the cost of placing a tag, without the order and the kept areas.
func (p *placer) cost(tag image.Rectangle) float64 {
	text, tags := p.taken.count(tag)
	hidden := tagCost*float64(tags) + textCost*float64(text) + inkCost*p.inked(tag)*float64(geo.Area(tag))
	cost := hidden / float64(tag.Dy()*tag.Dy())
	if tags > 0 { // a hidden corner of a number suffices to misread it
		cost += tagCost
	}
	return cost
}

// spots returns positions for the upper left corner of a tag, best first: above the frame, below,
// beside, at the other end, and last inside its corners. A tag that touches the frame shares its
// halo.
func spots(frame image.Rectangle, size image.Point, halo int) [10]image.Point {
	left, right := frame.Min.X, frame.Max.X-size.X
	edge := frame.Inset(halo)
	above, below := edge.Min.Y-size.Y, edge.Max.Y
	before, after := edge.Min.X-size.X, edge.Max.X
	middle := edge.Min.Y
	if frame.Dy() < 2*size.Y {
		middle = (frame.Min.Y + frame.Max.Y - size.Y) / 2
	}
	corner := edge.Max.Sub(size)
	return [...]image.Point{
		{left, above}, {left, below}, {before, middle}, {after, middle}, {right, above}, {right, below},
		edge.Min, {corner.X, edge.Min.Y}, {edge.Min.X, corner.Y}, corner,
	}
}

// farthest is the maximum distance of a tag from its frame, in tags.
const farthest = 6

// further returns positions along a frame, and then in rings around it.
func further(frame image.Rectangle, size image.Point) (list []image.Point) {
	for ring := range farthest {
		up, down := frame.Min.Y-(ring+1)*size.Y, frame.Max.Y+ring*size.Y
		before, after := frame.Min.X-(ring+1)*size.X, frame.Max.X+ring*size.X
		for x := before; x <= after; x += max(1, size.X/2) {
			list = append(list, image.Pt(x, up), image.Pt(x, down))
		}
		for y := up; y <= down; y += max(1, size.Y/2) {
			list = append(list, image.Pt(before, y), image.Pt(after, y))
		}
	}
	return list
}

// within moves r into screen. r must not be larger than screen.
func within(r, screen image.Rectangle) image.Rectangle {
	return r.Add(image.Pt(
		max(screen.Min.X-r.Min.X, 0)+min(screen.Max.X-r.Max.X, 0),
		max(screen.Min.Y-r.Min.Y, 0)+min(screen.Max.Y-r.Max.Y, 0),
	))
}
