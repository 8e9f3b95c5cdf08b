package elements

import (
	"image"
	"math/bits"

	"github.com/windieos/windie/perception/geo"
)

// places is an index of boxes by position, for hostile screens with tens of thousands of boxes. It
// has grids with squares of different sizes. A box is in the grid whose squares are at least as
// large as the box, so it overlaps at most four of them.
type places struct {
	squares map[square][]int32 // indices of boxes, in the order in which they were added
	pad     int                // pixels around each box that count as part of it
	grids   uint64             // a bit for each grid with boxes
}

// square is a square of a grid, with sides of 1<<grid pixels.
type square struct{ grid, x, y int }

// newPlaces returns an index of boxes with pad pixels around each.
func newPlaces(boxes []image.Rectangle, pad int) places {
	p := places{squares: make(map[square][]int32, len(boxes)), pad: pad}
	for i, b := range boxes {
		p.add(i, b)
	}
	return p
}

// add adds a box with index i. Indices must increase from call to call, because last depends on this order.
func (p *places) add(i int, b image.Rectangle) {
	b = geo.Pad(b, p.pad, p.pad)
	grid := bits.Len(uint(max(b.Dx(), b.Dy(), 1) - 1))
	p.grids |= 1 << grid
	for y := b.Min.Y >> grid; y <= (b.Max.Y-1)>>grid; y++ {
		for x := b.Min.X >> grid; x <= (b.Max.X-1)>>grid; x++ {
			at := square{grid, x, y}
			p.squares[at] = append(p.squares[at], int32(i))
		}
	}
}

// last returns the highest index of a box that ok accepts, or -1. It calls ok for the boxes around
// a point, and for some others.
func (p *places) last(at image.Point, ok func(i int) bool) int {
	found := int32(-1)
	for grids := p.grids; grids != 0; grids &= grids - 1 {
		grid := bits.TrailingZeros64(grids)
		list := p.squares[square{grid, at.X >> grid, at.Y >> grid}]
		for k := len(list) - 1; k >= 0 && list[k] > found; k-- {
			if ok(int(list[k])) {
				found = list[k]
			}
		}
	}
	return int(found)
}

// any reports whether ok accepts one of the boxes around a point, or one of some other boxes.
func (p *places) any(at image.Point, ok func(i int) bool) bool { return p.last(at, ok) >= 0 }
