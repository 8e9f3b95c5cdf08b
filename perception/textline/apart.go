package textline

import (
	"image"
	"slices"
)

// Apart splits a line into parts. It splits at gaps that are as wide as gaps between words. It also
// splits beside glyphs that are much higher than the letters, such as an icon, a caret or a
// bracket. If the first glyph may be an icon, Apart also splits after this glyph. If there is no
// such place, the whole line is the only part.
func (l Line) Apart() (parts []Line) {
	written := l.writtenHeight()
	icon := l.Glyphs[0]
	isIcon := 20*icon.Dy() >= 23*written && 10*icon.Dx() >= 7*icon.Dy()
	first, end := 0, 0 // the index of the part's first glyph, and the x at which its last glyph ends
	cut := func(next int) {
		parts = append(parts, l.only(func(g int) bool { return g >= first && g < next }))
		first = next
	}
	for i, g := range l.Glyphs {
		if i > 0 && (3*(g.Min.X-end) >= min(l.Box.Dy(), 2*written) || i == 1 && isIcon || isHigh(g, written) != isHigh(l.Glyphs[i-1], written)) {
			cut(i)
		}
		end = max(end, g.Max.X)
	}
	cut(len(l.Glyphs))
	return parts
}

// IsMixed reports whether a glyph of the line is much higher than the letters of the line.
func (l Line) IsMixed() bool {
	written := l.writtenHeight()
	return slices.ContainsFunc(l.Glyphs, func(g image.Rectangle) bool { return isHigh(g, written) })
}

// isHigh reports whether a glyph is too high for a letter of a line with letters of height written.
// Up to minGlyphHeight, the letters may be pieces and prove nothing.
func isHigh(g image.Rectangle, written int) bool {
	return written > minGlyphHeight && 5*g.Dy() >= 8*written
}

// writtenHeight returns the height of the letters: half of the width of the line's glyphs is at
// most this high. Icons and carets are narrow, so they hardly count.
func (l Line) writtenHeight() int {
	glyphs, all, sum := slices.Clone(l.Glyphs), 0, 0
	for _, g := range glyphs {
		all += g.Dx()
	}
	slices.SortFunc(glyphs, func(a, b image.Rectangle) int { return a.Dy() - b.Dy() })
	for _, g := range glyphs {
		if sum += g.Dx(); 2*sum >= all {
			return g.Dy()
		}
	}
	return 0
}

// only returns the line with the glyphs whose index keep accepts.
func (l Line) only(keep func(g int) bool) (out Line) {
	for g, b := range l.Glyphs {
		if keep(g) {
			out.Box, out.Glyphs, out.grounding = out.Box.Union(b), append(out.Glyphs, b), append(out.grounding, l.grounding[g])
		}
	}
	if len(out.Glyphs) == len(l.Glyphs) {
		return l
	}
	return out
}
