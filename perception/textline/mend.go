package textline

import (
	"cmp"
	"image"
	"slices"
)

// Mend mends what cleaning, compression and scaling do to lines: frames are taken out of them, they are parted where a weak rule
// stands, and those that are missing in columns are added. The screen is as it was before it was cleaned.
func (l *Layout) Mend(screen *image.NRGBA) {
	m := mender{chainer: chainer{screen: screen}, lines: make([]Line, 0, len(l.Lines)), edges: make([]int, screen.Rect.Dx()+1)}
	for _, line := range l.Lines {
		for _, side := range []int{line.Box.Min.X, line.Box.Max.X} {
			for x := max(side-cellEdge, 0); x <= min(side+cellEdge, screen.Rect.Dx()); x++ {
				m.edges[x]++
			}
		}
	}
	for _, line := range l.Lines {
		m.lines = append(m.lines, m.parted(m.unframed(line))...)
	}
	m.addMissing()
	slices.SortStableFunc(m.lines, func(a, b Line) int {
		return cmp.Or(a.Box.Min.Y-b.Box.Min.Y, a.Box.Min.X-b.Box.Min.X)
	})
	l.Lines, l.Shapes = m.lines, append(l.Shapes, m.frames...)
}

// mender mends the lines of a screen.
type mender struct {
	chainer
	lines  []Line
	frames []image.Rectangle         // that were taken for letters
	edges  []int                     // how many lines have a side near an x
	looks  int                       // at places of columns
	edge   func(image.Rectangle) int // of a box, in half pixels, which is the same for the lines of a column
}

// only returns the line with the glyphs that keep accepts, by their numbers.
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

// A weak rule is what compression and scaling leave of a thin one.
const (
	ruleApart  = 10 // its brightness from that of both of its sides, at least
	ruleEven   = 24 // its brightness from that of its middle, at most
	ruleBeside = 2  // pixels to its sides
	cellEdge   = 6  // pixels from a rule between cells to the side of a line, at most
	cellEdges  = 2  // such sides, at least: text goes on over the margin of an editor
)

// parted returns the parts of a line between weak rules, without what is left of these.
func (m *mender) parted(l Line) (parts []Line) {
	from := l.Box.Min.X - 2*ruleBeside - 1 // behind the last rule
	for x := l.Box.Min.X; x < l.Box.Max.X; x++ {
		over := func(b image.Rectangle) bool { return b.Min.X < x-ruleBeside && b.Max.X > x+1+ruleBeside }
		if (m.edges[x] >= cellEdges || l.endsWith(x)) && !slices.ContainsFunc(l.Glyphs, over) && m.isRule(x, l.Box) {
			parts = append(parts, l.between(from, x-ruleBeside))
			from = x - ruleBeside
			x += 2 * ruleBeside
		}
	}
	if len(parts) == 0 {
		return []Line{l}
	}
	parts = append(parts, l.between(from, l.Box.Max.X))
	return slices.DeleteFunc(parts, func(l Line) bool { return len(l.Glyphs) == 0 })
}

// endsWith reports whether x is in a stroke at an end of the line that is apart from its letters.
func (l Line) endsWith(x int) bool {
	n := len(l.Glyphs) - 1
	first, last := l.Glyphs[0], l.Glyphs[n]
	switch {
	case n == 0:
		return false
	case x >= last.Min.X:
		return last.Dx() <= ruleBeside && 3*(last.Min.X-l.Glyphs[n-1].Max.X) >= last.Dy()
	default:
		return x < first.Max.X && first.Dx() <= ruleBeside && 3*(l.Glyphs[1].Min.X-first.Max.X) >= first.Dy()
	}
}

// between returns the line's glyphs from a rule that begins at x0 to one that begins at x1.
func (l Line) between(x0, x1 int) Line {
	return l.only(func(g int) bool {
		return l.Glyphs[g].Min.X >= x0 && l.Glyphs[g].Max.X > x0+2*ruleBeside+1 && l.Glyphs[g].Min.X < x1
	})
}

// isRule reports whether an upright rule stands at x in a box, and goes on for half of the box's height above and below.
func (m *mender) isRule(x int, box image.Rectangle) bool {
	middle := m.at(x, (box.Min.Y+box.Max.Y)/2).brightness()
	weak, rows := 0, 2*box.Dy()
	for i := range rows {
		y := box.Min.Y - 1 - i
		if i >= box.Dy()/2 { // first where there are no letters
			y = box.Min.Y - box.Dy()/2 + i
		}
		p, left, right := m.at(x, y).brightness(), m.at(x-ruleBeside, y).brightness(), m.at(x+ruleBeside, y).brightness()
		isDark, isLight := min(left, right)-p >= ruleApart, p-max(left, right) >= ruleApart
		if !isDark && !isLight || max(p-middle, middle-p) > ruleEven {
			if weak++; 5*weak > rows {
				return false
			}
		}
	}
	return true
}
