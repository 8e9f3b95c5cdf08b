// Package textline finds the text lines of a screen.
//
//	layout, err := textline.Find(ctx, screen)
//	layout.Mend(screen)
//	for _, line := range layout.Lines {
//		patch := line.Patch(screen)
//		for _, fit := range patch.Fits() {
//			strip := patch.Strip(fit, textline.Geometries[0], 36)
//		}
//	}
//
// It works on edges, so it needs no threshold between light and dark:
//
//  1. An edge is where neighbours differ in a colour channel. Edges that touch
//     are a component (edges.go, components.go).
//  2. Rules, frames and pills become shapes. The rest are glyphs: a letter,
//     several letters that touch, a mark, an icon (shapes.go, rules.go).
//  3. Adjacent glyphs are chained if they are on one ground, have matching
//     heights and no rule between them. Glyphs that touch the next line are
//     cut. Chains are cut at wide gaps into phrases (chain.go, stack.go,
//     phrase.go).
//
// Mend adds what cleaning, compression and scaling removed: lines that are missing in columns of
// other lines, and the ends of cells (mend.go).
//
// A patch is a phrase cut out of the screen, as ink on its ground whatever the colours. A fit is
// the position and size of its letters (patch.go, fit.go). A strip is the patch scaled to the
// position and size that a network expects (strip.go).
package textline

import (
	"context"
	"image"
)

// Layout contains the lines and the shapes of a screen.
type Layout struct {
	Lines  []Line            // lines of text, sorted by top, then by left
	Shapes []image.Rectangle // frames, rules, pictures and other shapes that are not text

	rules *rules
}

// Parts reports whether a vertical rule separates two boxes, for example two cells of a table. Box
// a must be to the left of box b.
func (l *Layout) Parts(a, b image.Rectangle) bool { return l.rules != nil && l.rules.part(a, b) }

// Line is a phrase: glyphs on one baseline without wide gaps.
type Line struct {
	Box image.Rectangle // the union of the boxes of the glyphs
	// Glyphs has the boxes of the glyphs from left to right. Several letters that touch may be one
	// glyph.
	Glyphs    []image.Rectangle
	grounding []pixel // the colour of the ground around each glyph
}

// Find returns the layout of screen. The bounds of screen must begin at (0,0), and its pixels must
// be opaque. If a screen shows only noise, it has no lines. Find returns the error of ctx soon
// after ctx ends.
func Find(ctx context.Context, screen *image.NRGBA) (Layout, error) {
	runs, err := findRuns(ctx, screen)
	if err != nil {
		return Layout{}, err
	}
	found := sortOut(ctx, screen, runs)
	c := chainer{ctx: ctx, screen: screen, sorted: found}
	layout := Layout{Lines: c.lines(), Shapes: found.shapes, rules: found.rules}
	return layout, ctx.Err()
}

// WorkingBytes returns the maximum memory that Find needs for a screen of this size, in bytes,
// without the screen's own pixels.
func WorkingBytes(size image.Point) int64 {
	const each = 56 // runs, before and after rules are taken out, their labels and components
	return 1<<20 + each*int64(min(size.X*size.Y/2, maxRuns))
}
