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
	MaxRegions = 64 // maximum regions; if there are more, near ones are merged
	MaxMoves   = 4  // maximum moves; others are listed as changed regions
	// maximum texts or elements of a screen that are compared by position; the rest count as
	// appeared or vanished
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
	Share   float64           // share of pixels that differ, from 0 to 1, moved content included
	Regions []image.Rectangle // changed areas that did not move, in reading order
	Moves   []Move            // largest first
}

// Same reports whether the two screens are the same. A blinking caret and smoothing do not count as
// changes.
func (p *Pixels) Same() bool { return len(p.Regions) == 0 && len(p.Moves) == 0 }

// Move is an area of a screen whose content moved, for example by scrolling.
type Move struct {
	Box image.Rectangle // the moved content, on the later screen
	By  image.Point     // the displacement in pixels; Y is negative after scrolling down
}

// Rows contains the texts that differ between two screens. A text that moved together with its
// surroundings does not count as different.
type Rows struct {
	Appeared []perception.Row // on the later screen
	Vanished []perception.Row // on the earlier screen
	Changed  []RowChange      // different text in the same position
}

// RowChange is a text on the old screen and the text that replaced it.
type RowChange struct{ Before, After perception.Row }

// Elements contains the indices of the elements that differ between two screens. Texts and headings
// are not in Elements but in Rows.
type Elements struct {
	Appeared []int // indices on the later screen
	Vanished []int // indices on the earlier screen
	// Changed has the elements that look different in the same position.
	Changed []Change
}

// Change is an element that has the same position on both screens but looks different.
type Change struct {
	// Before and After are its indices on the two screens.
	Before, After int
	What          []Aspect // never empty
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

// Diff compares two screens of the same size. oldImage and newImage are their pixels, and before
// and after are their rows of text and elements. Diff fails with ValidationError if the sizes
// differ. Soon after ctx ends, it returns the error of ctx.
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
