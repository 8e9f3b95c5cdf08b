package textline

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// Where lines stand below each other at one distance, one that is missing is looked for in its place: the edges of a faint
// number of a line, or of what compression has smeared, may be too few for a line that stands anywhere.
const (
	leastColumn  = 4   // lines of a column, at least
	alignedApart = 2   // pixels that their edges or middles are apart, at most
	widestCell   = 16  // heights of a line, at most
	leastPitch   = 1.1 // heights from one line of a column to the next, at least
	mostPitch    = 8
	mostMissing  = 8   // lines that are missing one after another, at most
	mostEmpty    = 3   // places that are looked at in vain beyond an end of a column
	mostLooks    = 500 // places that are looked at on a screen, at most
	leastIcon    = 16  // pixels that an icon is high, at least: a figure as high is less wide, and two are wider
	leastInk     = 24  // what ink differs from its ground by, at least
)

// addMissing adds the lines that are missing in columns of others.
func (m *mender) addMissing() {
	for _, edge := range []func(b image.Rectangle) int{
		func(b image.Rectangle) int { return 2 * b.Min.X },
		func(b image.Rectangle) int { return 2 * b.Max.X },
		func(b image.Rectangle) int { return b.Min.X + b.Max.X },
	} {
		m.columns(edge)
	}
}

// columns looks for what is missing in columns of lines with one edge.
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

// column looks for what is missing among cells of one edge.
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

// areIcons reports whether most cells of a column are as high and as wide as icons: what is missing among them is one that is
// known as a frame, and with it a label that stands beside it would be taken for one line.
func areIcons(high, wide int) bool { return high >= leastIcon && 8*wide >= 7*high && 8*wide <= 9*high }

// middle returns the median of what of says of boxes.
func middle(boxes []image.Rectangle, of func(image.Rectangle) int) int {
	values := make([]int, len(boxes))
	for i, b := range boxes {
		values[i] = of(b)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// pitchOf returns how far the feet of most boxes are apart, which are sorted by them; 0 if no distance is that of half of
// the smaller ones, and of three.
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

// look adds the line in a slot where none is, or nothing but pieces of one, and reports whether it did: ink as high as the
// slot on one ground, whose edge is that of the column.
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

// inkIn returns the box around what differs most from the ground of a room, and the ground; an empty box if nothing does.
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

// Mend repairs damage to lines by cleaning, compression and scaling. It removes frames from lines,
// splits lines at weak rules, and adds lines that are missing in columns. screen must be the
// picture from before the cleaning.
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
