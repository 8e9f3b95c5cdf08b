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
// It works on edges, and so needs no threshold between light and dark:
//
//  1. An edge is where neighbours differ in a colour channel. Edges that touch
//     are a component (edges.go, components.go).
//  2. Rules, frames and pills go to the shapes. What is left are glyphs: a
//     letter, several that touch, a mark, an icon (shapes.go, rules.go).
//  3. Glyphs beside each other on one ground, of heights that go together and
//     with no rule between them, are chained. Glyphs that touch those of the
//     next line are cut. Chains are cut at wide gaps into phrases (chain.go,
//     stack.go, phrase.go).
//
// Mend adds what cleaning, compression and scaling take: lines that are missing in
// columns of others, and the ends of cells (mend.go).
//
// A patch is a phrase cut out, as ink on its ground whatever the colours; a fit
// says where its letters stand (patch.go, fit.go); a strip is the patch scaled
// so that they stand where a network expects them (strip.go).
package textline

import (
	"context"
	"image"
)

// Layout is what stands where on a screen.
type Layout struct {
	Lines  []Line            // by their top, then from the left
	Shapes []image.Rectangle // what is no text: frames, rules, pictures

	rules *rules
}

// Parts reports whether an upright rule stands between two boxes, a left of b, as between the cells of
// a table.
func (l *Layout) Parts(a, b image.Rectangle) bool { return l.rules != nil && l.rules.part(a, b) }

// Line is a phrase: glyphs on one baseline, without wide gaps between them.
type Line struct {
	Box       image.Rectangle   // around its glyphs
	Glyphs    []image.Rectangle // from left to right; some hold several letters
	grounding []pixel           // the colour around each glyph
}

// Find returns the layout of screen, whose bounds begin at (0,0) and which has no transparent
// pixels. Noise has no lines. When ctx ends Find returns its error soon.
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

// WorkingBytes returns the most memory that Find takes for a screen besides its pixels.
func WorkingBytes(size image.Point) int64 {
	const each = 56 // runs, before and after rules are taken out, their labels and components
	return 1<<20 + each*int64(min(size.X*size.Y/2, maxRuns))
}
