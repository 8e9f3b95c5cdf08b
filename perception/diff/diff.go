// Package diff reports the differences between two screens.
//
//	changes, err := diff.Diff(ctx, before, after, was, is)
//	for _, r := range changes.Rows.Appeared {
//		fmt.Println("new:", r.Text)
//	}
//
// Diff compares the pixels first. Where no pixel differs, Diff reports no change, even if the texts
// that were read there differ. It reports scrolled content as a move. It compares all other texts
// and elements by their positions.
package diff

import (
	"context"
	"image"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/sdkapi"
)

// Maximum numbers of listed changes.
const (
	MaxRegions = 64 // maximum number of changed regions; beyond it, neighbouring regions are merged
	MaxMoves   = 4  // maximum number of moves; further moves are listed as changed regions
	// MaxCompared is the maximum number of texts or elements of a screen that are compared by
	// position. The others count as appeared or vanished.
	MaxCompared = 2_000
)

// Changes contains the differences between two screens of the same size.
type Changes struct {
	Pixels
	// Rows has the texts that differ.
	Rows Rows
	// Elements has the elements that differ, except texts and headings.
	Elements Elements
}

// Pixels contains the differences between the pixels of two screens. The zero value means no
// difference.
type Pixels struct {
	// Share is the share of pixels that differ, 0..1. It includes moved content.
	Share float64
	// Regions has the changed areas that did not move, in reading order.
	Regions []image.Rectangle
	// Moves has the areas whose content moved, largest first.
	Moves []Move
}

// Same reports whether the two screens have no changes. A blinking caret and the smoothing of edges
// do not count as changes.
func (p *Pixels) Same() bool { return len(p.Regions) == 0 && len(p.Moves) == 0 }

// Move is an area of a screen whose content moved, for example by scrolling.
type Move struct {
	Box image.Rectangle // the moved content, on the later screen
	By  image.Point     // the distance that the content moved, in pixels; Y is negative after scrolling down
}

// Rows contains the texts that differ between two screens. A text that moved together with its
// surroundings does not count as different.
type Rows struct {
	Appeared []perception.Row // texts that are only on the later screen
	Vanished []perception.Row // texts that are only on the earlier screen
	Changed  []RowChange      // texts that were replaced by a different text in the same position
}

// RowChange is a text on the old screen and the text that replaced it.
type RowChange struct{ Before, After perception.Row }

// Elements contains the indices of the elements that differ between two screens. Texts and headings
// are not in Elements but in Rows.
type Elements struct {
	Appeared []int // elements that are only on the later screen, as indices on it
	Vanished []int // elements that are only on the earlier screen, as indices on it
	// Changed has the elements that have the same position on both screens but look different.
	Changed []Change
}

// Change is an element that has the same position on both screens but looks different.
type Change struct {
	// Before is the index of the element on the earlier screen. After is its index on the later
	// screen.
	Before, After int
	// What lists the properties that differ. It is never empty.
	What []Aspect
}

// Aspect is a property of an element that may change.
type Aspect string

// Values of Aspect.
const (
	Role   Aspect = "role"
	Label  Aspect = "label"
	States Aspect = "states"
	Color  Aspect = "color"
	Icon   Aspect = "icon"
)

// WorkingBytes returns the approximate maximum memory that Diff needs for one screen of this size,
// in bytes, without the screen's own pixels. A call of Diff needs twice as much.
func WorkingBytes(size image.Point) int64 { return 1<<20 + int64(size.X*size.Y)/4 }

// Diff compares two screens of the same size. The parameters before and after contain their texts
// and elements; oldImage and newImage contain their pixels. Diff fails with ValidationError if the
// sizes differ. Soon after ctx ends, it returns the error of ctx.
func Diff(ctx context.Context, before, after *elements.Screen, oldImage, newImage *image.NRGBA) (*Changes, error) {
	if oldImage.Rect.Size() != newImage.Rect.Size() {
		return nil, fault.New("diff.Diff", sdkapi.ValidationError, "the screens differ in size: %d x %d and %d x %d; compare screens of the same size",
			oldImage.Rect.Dx(), oldImage.Rect.Dy(), newImage.Rect.Dx(), newImage.Rect.Dy())
	}
	g := compare(ctx, oldImage, newImage)
	c := &Changes{Pixels: g.pixels()}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Same() {
		return c, nil
	}
	c.Rows = g.rows(c.Moves, before.Rows, after.Rows)
	c.Elements = g.elements(c.Moves, before.Elements, after.Elements)
	return c, nil
}
