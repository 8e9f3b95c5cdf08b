package textline

// With returns a line of the glyphs of two.
func (l Line) With(o Line) Line {
	return Line{Box: l.Box.Union(o.Box), Glyphs: append(l.Glyphs, o.Glyphs...), grounding: append(l.grounding, o.grounding...)}
}
