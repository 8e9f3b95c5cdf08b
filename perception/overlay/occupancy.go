package overlay

import (
	"image"

	"github.com/windieos/windie/perception/geo"
)

// use has flags of a pixel: what occupies it, and whether it is tinted.
type use uint8

const (
	usedByText use = 1 << iota
	usedByTag
	tinted // has the tint of a mark
)

// occupancy stores the use of each pixel of a screen.
type occupancy struct {
	screen image.Rectangle
	uses   []use // one for each pixel, by rows
}

// newOccupancy returns the occupancy of a screen on which nothing is marked. It takes one byte per
// pixel.
func newOccupancy(screen image.Rectangle) *occupancy {
	return &occupancy{screen, make([]use, geo.Area(screen))}
}

// add marks all pixels of r as used for u. r must be within the screen.
func (o *occupancy) add(r image.Rectangle, u use) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		o.addRow(r, y, u)
	}
}

// addRow marks the pixels of r in row y as used for u.
func (o *occupancy) addRow(r image.Rectangle, y int, u use) {
	row := o.row(r, y)
	for i := range row {
		row[i] |= u
	}
}

// count returns the number of pixels of r that only text uses, and that tags use.
func (o *occupancy) count(r image.Rectangle) (text, tags int) {
	var counts [4]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for _, u := range o.row(r, y) {
			counts[u&3]++
		}
	}
	return counts[usedByText], counts[usedByTag] + counts[usedByText|usedByTag]
}

// row returns the uses of the pixels of r in row y.
func (o *occupancy) row(r image.Rectangle, y int) []use {
	start := (y-o.screen.Min.Y)*o.screen.Dx() + r.Min.X - o.screen.Min.X
	return o.uses[start:][:r.Dx()]
}
