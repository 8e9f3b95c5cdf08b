package textline

import "image"

// With returns a line of the glyphs of two.
func (l Line) With(o Line) Line {
	return Line{Box: l.Box.Union(o.Box), Glyphs: append(l.Glyphs, o.Glyphs...), grounding: append(l.grounding, o.grounding...)}
}

// LineOf returns a line of glyphs.
func LineOf(glyphs ...image.Rectangle) (l Line) {
	for _, g := range glyphs {
		l.Box, l.Glyphs, l.grounding = l.Box.Union(g), append(l.Glyphs, g), append(l.grounding, pixel{})
	}
	return l
}
