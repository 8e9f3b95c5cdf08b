// Package textline finds the text lines of a screen.
//
//	layout := textline.Find(screen)
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
//  3. Glyphs beside each other on one ground, and of heights that go together,
//     are chained. Chains are cut at wide gaps into phrases (chain.go,
//     phrase.go).
//
// A patch is a phrase cut out, as ink on its ground whatever the colours; a fit
// says where its letters stand (patch.go, fit.go); a strip is the patch scaled
// so that they stand where a network expects them (strip.go).
package textline

import "image"

// Layout is what stands where on a screen.
type Layout struct {
	Lines  []Line            // by their top, then from the left
	Shapes []image.Rectangle // what is no text: frames, rules, pictures
}

// Line is a phrase: glyphs on one baseline, without wide gaps between them.
type Line struct {
	Box       image.Rectangle   // around its glyphs
	Glyphs    []image.Rectangle // from left to right; some hold several letters
	grounding []pixel           // the colour around each glyph
}

// Find returns the layout of screen, whose bounds begin at (0,0) and which has
// no transparent pixels.
func Find(screen *image.NRGBA) Layout {
	glyphs, shapes := sortOut(findRuns(screen))
	c := chainer{screen: screen, glyphs: glyphs}
	return Layout{Lines: c.lines(), Shapes: shapes}
}
