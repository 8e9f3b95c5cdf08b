// Package textline finds the letters in rows of text, and prepares them for reading.
//
//	lines, err := textline.Find(ctx, screen, rows) // rows from package textmap
//	for _, line := range lines {
//		patch := line.Patch(screen)
//		for _, fit := range patch.Fits() {
//			strip := patch.Strip(fit, textline.Geometries[0], 36)
//		}
//	}
//
// It works on edges, so it needs no threshold between light and dark:
//
//  1. An edge is where neighbours differ in a colour channel. Edges that touch are a component
//     (edges.go, components.go).
//  2. In a band around each row, outlines of badges and lines of frames are removed. The other
//     components in the row are its glyphs: a letter, several letters that touch, or a mark. Where
//     the row has none, what differs from the commonest colour is a glyph (band.go).
//  3. The glyphs of rows side by side are joined. They are cut into lines at upright lines, at wide
//     gaps, beside icons, and where the ground changes (chain.go).
//
// A patch is a line cut out of the screen, as ink on its ground whatever the colours. A fit is
// the position and size of its letters (patch.go, fit.go). A strip is the patch scaled to the
// position and size that a network expects (strip.go).
package textline

import (
	"cmp"
	"context"
	"image"
	"slices"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/textmap"
)

// Line is glyphs on one baseline and one ground. Its gaps may be a little wider than a space: readers part such
// texts, as they know the words.
type Line struct {
	Box image.Rectangle // the union of the boxes of the glyphs
	// Glyphs has the boxes of the glyphs from left to right. Several letters that touch may be one
	// glyph.
	Glyphs []image.Rectangle
	// Parted reports whether an upright line is between the line and the one to its left, as between
	// cells of a table.
	Parted    bool
	grounding []pixel // the colour of the ground around each glyph
}

// Find returns the lines of text in rows of a screen. A row has several lines if an upright line, a wide
// gap or another ground parts it, and none if it is blank. The lines are sorted by top, then by left. The bounds of
// screen must begin at (0,0), and its pixels must be opaque. A screen with more than maxRuns edges is noise and
// has no lines.
// Find returns the error of ctx soon after ctx ends.
func Find(ctx context.Context, screen *image.NRGBA, rows []textmap.Row) ([]Line, error) {
	runs, err := findRuns(ctx, screen)
	if err != nil || runs == nil {
		return nil, err
	}
	starts := startsOf(runs, screen.Rect.Dy())
	bands := make([]*band, len(rows))
	err = fair.Each(ctx, len(rows), func(i int) {
		b := bandOf(screen, &rows[i])
		b.gather(runs, starts)
		b.dropOutlines()
		b.dropFrames()
		b.narrow()
		b.findGlyphs()
		bands[i] = b
	})
	if err != nil {
		return nil, err
	}
	bands = joined(bands)
	found := make([][]Line, len(bands))
	err = fair.Each(ctx, len(bands), func(i int) { found[i] = bands[i].lines() })
	lines := slices.Concat(found...)
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(a.Box.Min.Y-b.Box.Min.Y, a.Box.Min.X-b.Box.Min.X)
	})
	return lines, err
}

// WorkingBytes returns the maximum memory that Find needs for a screen of this size, in bytes,
// without the screen's own pixels.
func WorkingBytes(size image.Point) int64 {
	const each = 36 // a run, and its parts in the bands of two rows
	return 1<<20 + each*int64(min(size.X*size.Y/2, maxRuns))
}
