package textline

// Apart returns a line cut at its gaps that are as wide as between words. One without such gaps is returned alone.
func (l Line) Apart() (parts []Line) {
	first, end := 0, 0 // of the part, its number and where it ends
	cut := func(next int) {
		parts = append(parts, l.only(func(g int) bool { return g >= first && g < next }))
		first = next
	}
	for i, g := range l.Glyphs {
		if i > 0 && 3*(g.Min.X-end) >= l.Box.Dy() {
			cut(i)
		}
		end = max(end, g.Max.X)
	}
	cut(len(l.Glyphs))
	return parts
}
