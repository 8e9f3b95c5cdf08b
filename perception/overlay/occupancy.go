package overlay

import (
	"image"

	"github.com/windieos/windie/perception/geo"
)

// use says what a pixel is needed for, and whether it has a tint.
type use uint8

const (
	usedByText use = 1 << iota
	usedByTag
	tinted // of a mark, and not needed for that
)

// occupancy remembers what each pixel of a screen is needed for.
type occupancy struct {
	screen image.Rectangle
	uses   []use // one a pixel, by rows
}

func newOccupancy(screen image.Rectangle) *occupancy {
	return &occupancy{screen, make([]use, geo.Area(screen))}
}

// add records that r, which lies on the screen, is needed for u.
func (o *occupancy) add(r image.Rectangle, u use) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		o.addRow(r, y, u)
	}
}

// addRow records what the part of the row y that lies in r is.
func (o *occupancy) addRow(r image.Rectangle, y int, u use) {
	row := o.row(r, y)
	for i := range row {
		row[i] |= u
	}
}

// count returns how many pixels of r are needed for text alone, and for tags.
func (o *occupancy) count(r image.Rectangle) (text, tags int) {
	var counts [4]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for _, u := range o.row(r, y) {
			counts[u&3]++
		}
	}
	return counts[usedByText], counts[usedByTag] + counts[usedByText|usedByTag]
}

// row returns the part of the row y that lies in r.
func (o *occupancy) row(r image.Rectangle, y int) []use {
	start := (y-o.screen.Min.Y)*o.screen.Dx() + r.Min.X - o.screen.Min.X
	return o.uses[start:][:r.Dx()]
}
