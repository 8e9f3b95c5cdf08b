// Package diff reports what changed from one screen to the next.
//
//	changes, err := diff.Diff(ctx, before, after, was, is)
//	for _, r := range changes.Rows.Appeared {
//		fmt.Println("new:", r.Text)
//	}
//
// Pixels are compared first: where none differs nothing changed, whatever was read there. What
// scrolled is reported as a move. Texts and elements of the rest are compared by their places.
package diff

import (
	"context"
	"image"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/sdkapi"
)

// How many changes are listed at most.
const (
	MaxRegions  = 64    // there are more: near ones are merged into one
	MaxMoves    = 4     // the rest is listed as changed
	MaxCompared = 2_000 // texts or elements of a screen that are held against others by place; the rest appeared or vanished
)

// Changes are the differences of two screens of one size.
type Changes struct {
	Pixels
	Rows     Rows
	Elements Elements
}

// Pixels are the differences that need no reading.
type Pixels struct {
	Share   float64           // the part of the screen that differs, 0 to 1; what moved is a difference too
	Regions []image.Rectangle // that changed and did not move, in reading order
	Moves   []Move            // the largest first
}

// Same reports whether nothing changed, but for a caret that blinks and smoothing.
func (p *Pixels) Same() bool { return len(p.Regions) == 0 && len(p.Moves) == 0 }

// Move is a part of a screen whose content moved, as when it is scrolled.
type Move struct {
	Box image.Rectangle // of what moved, where it is now
	By  image.Point     // the way it took: Y is negative after scrolling down
}

// Rows are the texts that differ. What moved with its surroundings does not.
type Rows struct {
	Appeared []perception.Row // of the screen after
	Vanished []perception.Row // of the screen before
	Changed  []RowChange      // in the same place, with another text
}

// RowChange is a text that was replaced by another one.
type RowChange struct{ Before, After perception.Row }

// Elements are the elements that differ, by their indices. Texts and headings are rows.
type Elements struct {
	Appeared []int // of the screen after
	Vanished []int // of the screen before
	Changed  []Change
}

// Change is an element that is in its place and looks otherwise.
type Change struct {
	Before, After int
	What          []Aspect // never empty
}

// Aspect is what may change of an element.
type Aspect string

// The aspects.
const (
	Role   Aspect = "role"
	Label  Aspect = "label"
	States Aspect = "states"
	Color  Aspect = "color"
	Icon   Aspect = "icon"
)

// WorkingBytes returns about the most memory that Diff takes for each of two screens besides their pixels.
func WorkingBytes(size image.Point) int64 { return 1<<20 + int64(size.X*size.Y)/4 }

// Diff compares two screens; was and is are their pixels. It fails with ValidationError for screens
// of different sizes: a window that changed its size is laid out anew; and with ctx's error soon
// after ctx ends. Pixels alone take some milliseconds for 1440 x 900.
func Diff(ctx context.Context, before, after *elements.Screen, was, is *image.NRGBA) (*Changes, error) {
	if was.Rect.Size() != is.Rect.Size() {
		return nil, fault.New("diff.Diff", sdkapi.ValidationError, "the screens differ in size: %d x %d and %d x %d; compare screens of one size",
			was.Rect.Dx(), was.Rect.Dy(), is.Rect.Dx(), is.Rect.Dy())
	}
	g := compare(ctx, was, is)
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
