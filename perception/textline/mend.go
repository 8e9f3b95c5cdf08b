package textline

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// Where lines follow each other below at one distance, Mend looks for a missing line in its place.
// The edges of a faint line number, or of text that compression smeared, are too few for Find.
const (
	leastColumn  = 4   // minimum lines in a column
	alignedApart = 2   // maximum pixels between the edges or middles of lines in a column
	widestCell   = 16  // maximum width of a line, in line heights
	leastPitch   = 1.1 // minimum distance from one line of a column to the next, in line heights
	mostPitch    = 8   // maximum distance, in line heights
	mostMissing  = 8   // maximum consecutive missing lines
	mostEmpty    = 3   // maximum empty places to look at beyond each end of a column
	mostLooks    = 500 // maximum places to look at on one screen
	// minimum pixels of an icon's height; a digit this high is narrower, and two digits are wider
	leastIcon = 16
	leastInk  = 24 // minimum difference of ink from its ground in a color channel, 0 to 255
)

// addMissing adds the lines that are missing in columns of other lines. It looks at columns with
// aligned left edges, right edges and middles.
func (m *mender) addMissing() {
	for _, edge := range []func(b image.Rectangle) int{
		func(b image.Rectangle) int { return 2 * b.Min.X },
		func(b image.Rectangle) int { return 2 * b.Max.X },
		func(b image.Rectangle) int { return b.Min.X + b.Max.X },
	} {
		m.columns(edge)
	}
}

// columns finds the columns of lines that share an edge, and adds the lines that are missing in
// each.
func (m *mender) columns(edge func(image.Rectangle) int) {
	m.edge = edge
	var cells []image.Rectangle
	for _, l := range m.lines {
		if l.Box.Dx() <= widestCell*l.Box.Dy() {
			cells = append(cells, l.Box)
		}
	}
	slices.SortFunc(cells, func(a, b image.Rectangle) int { return cmp.Or(edge(a)-edge(b), a.Min.Y-b.Min.Y) })
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && edge(cells[n])-edge(cells[0]) <= 2*alignedApart {
			n++
		}
		if n >= leastColumn {
			m.column(slices.Clone(cells[:n]))
		}
		cells = cells[n:]
	}
}

// column adds the lines that are missing between, above and below cells that share an edge.
func (m *mender) column(cells []image.Rectangle) {
	high := middle(cells, image.Rectangle.Dy)
	cells = slices.DeleteFunc(cells, func(b image.Rectangle) bool { return 4*b.Dy() < 3*high || 4*b.Dy() > 5*high })
	slices.SortFunc(cells, func(a, b image.Rectangle) int { return a.Max.Y - b.Max.Y })
	pitch := pitchOf(cells)
	if pitch < leastPitch*float64(high) || pitch > mostPitch*float64(high) || areIcons(high, middle(cells, image.Rectangle.Dx)) {
		return
	}
	slot := image.Rect(slices.MinFunc(cells, func(a, b image.Rectangle) int { return a.Min.X - b.Min.X }).Min.X, -high,
		slices.MaxFunc(cells, func(a, b image.Rectangle) int { return a.Max.X - b.Max.X }).Max.X, 0)
	want := middle(cells, m.edge)
	for i, b := range cells[1:] {
		from := cells[i].Max.Y
		steps := math.Round(float64(b.Max.Y-from) / pitch)
		if steps < 2 || steps > mostMissing+1 || math.Abs(float64(b.Max.Y-from)-steps*pitch) > 1+steps/2 {
			continue
		}
		for k := 1.0; k < steps; k++ {
			m.look(slot.Add(image.Pt(0, from+int(math.Round(k*float64(b.Max.Y-from)/steps)))), want)
		}
	}
	for _, end := range []struct {
		from int
		step float64
	}{{cells[0].Max.Y, -pitch}, {cells[len(cells)-1].Max.Y, pitch}} {
		for k, empty := 1.0, 0; k <= mostMissing && empty < mostEmpty; k++ {
			if !m.look(slot.Add(image.Pt(0, end.from+int(math.Round(k*end.step)))), want) {
				empty++
			}
		}
	}
}

// areIcons reports whether the middle cell of a column is as high and as wide as an icon. look must
// not add a missing icon: the line would join the icon to the label beside it.
func areIcons(high, wide int) bool { return high >= leastIcon && 8*wide >= 7*high && 8*wide <= 9*high }

// middle returns the median of the value that of returns for each box.
func middle(boxes []image.Rectangle, of func(image.Rectangle) int) int {
	values := make([]int, len(boxes))
	for i, b := range boxes {
		values[i] = of(b)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// pitchOf returns the distance in pixels between the bottoms of most boxes. The boxes must be
// sorted by their bottoms. It returns 0 if fewer than three distances agree, or if more distances
// are smaller.
func pitchOf(boxes []image.Rectangle) float64 {
	best, most := 0.0, leastColumn-2
	for i := range len(boxes) - 1 {
		d := boxes[i+1].Max.Y - boxes[i].Max.Y
		sum, count, smaller := 0, 0, 0
		for j := range len(boxes) - 1 {
			switch e := boxes[j+1].Max.Y - boxes[j].Max.Y; {
			case e < d-1:
				smaller++
			case e <= d+1:
				sum, count = sum+e, count+1
			}
		}
		if count > most && smaller <= count {
			best, most = float64(sum)/float64(count), count
		}
	}
	return best
}

// look adds a line in a slot if the slot is empty or contains only pieces of a line. The ink must
// be as high as the slot, on one ground, with its edge at the edge of the column: want, in half
// pixels. It reports whether it added the line.
func (m *mender) look(slot image.Rectangle, want int) bool {
	high := slot.Dy()
	room := slot.Inset(-high / 4)
	if m.looks++; m.looks > mostLooks || !room.In(m.screen.Rect) {
		return false
	}
	isPiece := func(l Line) bool { return l.Box.In(room) && 4*l.Box.Dy() < 3*high }
	if slices.ContainsFunc(m.lines, func(l Line) bool { return l.Box.Overlaps(slot) && !isPiece(l) }) {
		return false
	}
	ink, ground := m.inkIn(room)
	if 4*ink.Dy() < 3*high || 4*ink.Dy() > 5*high || ink.Min.Y == room.Min.Y || ink.Max.Y == room.Max.Y {
		return false
	}
	if apart := m.edge(ink) - want; apart < -3*alignedApart || apart > 3*alignedApart {
		return false
	}
	m.lines = append(slices.DeleteFunc(m.lines, func(l Line) bool { return l.Box.In(ink.Inset(-1)) }),
		Line{Box: ink, Glyphs: []image.Rectangle{ink}, grounding: []pixel{ground}})
	return true
}

// inkIn returns the box around the pixels that differ most from the ground of a room, and the
// ground. The box is empty if no pixel differs by leastInk.
func (m *mender) inkIn(room image.Rectangle) (ink image.Rectangle, ground pixel) {
	counts, ground := m.colours(room)
	most := 0
	for p := range counts {
		most = max(most, p.apart(ground))
	}
	if most < leastInk {
		return image.Rectangle{}, ground
	}
	return m.inkBox(room, ground, 2*most/5), ground
}

// Mend repairs the damage that cleaning, compression and scaling did to lines of text. It removes
// frames from lines, splits lines at faint separators, and adds missing lines in columns. screen
// must be the picture before the cleaning.
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

// A weak rule is what compression and scaling leave of a thin one.
const (
	ruleApart  = 10 // minimum difference in brightness from both sides, 0 to 255
	ruleEven   = 24 // maximum difference in brightness from the rule's middle
	ruleBeside = 2  // pixels from the rule to the points that isRule compares on its sides
	cellEdge   = 6  // maximum pixels from a rule between cells to the side of a line
	cellEdges  = 2  // minimum sides of lines near a rule; the margin of an editor has fewer
)

// parted splits a line at weak rules, and removes the remains of the rules.
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

// endsWith reports whether x is in a stroke at an end of the line, with a gap between the stroke
// and the letters.
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

// between returns the line's glyphs from the rule at x0 to the rule at x1.
func (l Line) between(x0, x1 int) Line {
	return l.only(func(g int) bool {
		return l.Glyphs[g].Min.X >= x0 && l.Glyphs[g].Max.X > x0+2*ruleBeside+1 && l.Glyphs[g].Min.X < x1
	})
}

// isRule reports whether an upright rule at x crosses a box and extends by half of the box's height
// above and below it.
func (m *mender) isRule(x int, box image.Rectangle) bool {
	middle := m.at(x, (box.Min.Y+box.Max.Y)/2).brightness()
	weak, rows := 0, 2*box.Dy()
	for i := range rows {
		y := box.Min.Y - 1 - i
		if i >= box.Dy()/2 { // start above the letters, where most lines without a rule fail
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
