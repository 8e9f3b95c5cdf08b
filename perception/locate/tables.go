package locate

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// table is consecutive lines whose texts are aligned in columns. The first lines may name the
// columns.
type table struct {
	box  image.Rectangle
	rows []tableRow
	head []int // elements that name the columns; nil if there are none
}

type tableRow struct {
	box   image.Rectangle
	cells []int // elements, from left to right
}

const (
	leastRows   = 3   // minimum rows of a table
	leastCells  = 2   // minimum cells of a row
	mostPitch   = 100 // maximum distance between rows, in usual pixels
	maxCellArea = 0.2 // maximum share of the screen that a cell covers
)

// findTables returns the tables of the screen. It finds them at the first call.
func (s *screen) findTables() []table {
	if s.tablesKnown {
		return s.tables
	}
	s.tablesKnown = true
	lines := s.cellLines()
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && s.goesOn(&lines[end-1], &lines[end]) {
			end++
		}
		if end-start >= leastRows {
			s.tables = append(s.tables, s.tableOf(lines[start:end]))
			start = end
		} else {
			start++
		}
	}
	return s.tables
}

// cellLines returns the lines of texts, separately for each panel.
func (s *screen) cellLines() (lines []tableRow) {
	byPanel := map[int][]int{}
	for i := range s.list {
		e := &s.list[i]
		leaf := isLeaf(e.Role) || e.Role == elements.Badge || e.Role == elements.Heading && float64(e.Box.Dy()) < 30*s.unit
		if leaf && e.Label != "" && s.part(e.Box) < maxCellArea {
			p := s.panelOf(i)
			byPanel[p] = append(byPanel[p], i)
		}
	}
	panels := make([]int, 0, len(byPanel))
	for p := range byPanel {
		panels = append(panels, p)
	}
	slices.Sort(panels)
	for _, p := range panels {
		lines = append(lines, s.linesOf(byPanel[p])...)
	}
	return lines
}

// panelOf returns the smallest panel around an element that is higher than a line, or -1.
func (s *screen) panelOf(i int) int {
	for p := s.list[i].Parent; p >= 0; p = s.list[p].Parent {
		e := &s.list[p]
		if float64(e.Box.Dy()) > 110*s.unit && e.Role != elements.Row {
			return p
		}
	}
	return -1
}

// linesOf groups elements into lines from top to bottom, by the middles of their boxes. It sorts list.
func (s *screen) linesOf(list []int) (lines []tableRow) {
	slices.SortStableFunc(list, func(a, b int) int { return geo.Center(s.list[a].Box).Y - geo.Center(s.list[b].Box).Y })
	for _, i := range list {
		b := s.list[i].Box
		if n := len(lines); n > 0 && geo.Abs(geo.Center(lines[n-1].box).Y-geo.Center(b).Y)*2 < max(b.Dy(), lines[n-1].box.Dy()) {
			lines[n-1].cells, lines[n-1].box = append(lines[n-1].cells, i), lines[n-1].box.Union(b)
			continue
		}
		lines = append(lines, tableRow{b, []int{i}})
	}
	for _, l := range lines {
		slices.SortFunc(l.cells, func(a, b int) int { return s.list[a].Box.Min.X - s.list[b].Box.Min.X })
	}
	return lines
}

// goesOn reports whether b is the next row of the table of row a.
func (s *screen) goesOn(a, b *tableRow) bool {
	step := geo.Center(b.box).Y - geo.Center(a.box).Y
	if len(a.cells) < leastCells || len(b.cells) < leastCells || step <= 0 || float64(step) > mostPitch*s.unit || s.panelOf(a.cells[0]) != s.panelOf(b.cells[0]) {
		return false
	}
	same := 0
	for _, i := range a.cells {
		if slices.ContainsFunc(b.cells, func(j int) bool { return s.inOneColumn(s.list[i].Box, s.list[j].Box) }) {
			same++
		}
	}
	return same >= 2 && 2*same >= min(len(a.cells), len(b.cells))
}

// inOneColumn reports whether boxes are aligned at the left, at the right or in the middle.
func (s *screen) inOneColumn(a, b image.Rectangle) bool {
	return s.near(a.Min.X-b.Min.X, 6) || s.near(a.Max.X-b.Max.X, 6) || s.near(geo.Center(a).X-geo.Center(b).X, 5)
}

// tableOf makes a table of rows. It takes the first row that looks or reads differently from the
// next ones as the head.
func (s *screen) tableOf(rows []tableRow) table {
	t := table{rows: rows}
	for _, r := range rows {
		t.box = t.box.Union(r.box)
	}
	t.box = geo.Pad(t.box, int(8*s.unit), int(8*s.unit))
	for n := range min(mostOverHead, len(rows)-2) { // a title and a row of buttons may be above the head
		if 3*len(rows[n].cells) >= 2*usualCells(rows[n+1:]) && s.namesColumns(rows[n], rows[n+1:]) {
			t.head, t.rows = rows[n].cells, rows[n+1:]
			break
		}
	}
	return t
}

// mostOverHead is how many lines at the top of a table tableOf checks for the head.
const mostOverHead = 4

// usualCells returns the median number of cells in rows. rows must not be empty.
func usualCells(rows []tableRow) int {
	counts := make([]int, len(rows))
	for i := range rows {
		counts[i] = len(rows[i].cells)
	}
	slices.Sort(counts)
	return counts[len(counts)/2]
}

// namesColumns reports whether a line is the head of rows: without numbers, and with another look
// than the first row or above a column of numbers.
func (s *screen) namesColumns(head tableRow, rows []tableRow) bool {
	other, numbers := 0, 0
	for _, i := range head.cells {
		if looksNumber(s.labels[i]) {
			numbers++
		}
		for _, j := range rows[0].cells {
			if s.inOneColumn(s.list[i].Box, s.list[j].Box) {
				a, b := &s.list[i], &s.list[j]
				_, on := elements.GroundOf(s.list, i)
				_, under := elements.GroundOf(s.list, j)
				if apart(a.Ink, b.Ink) > inksApart/2 || apart(on, under) > groundsApart/2 || a.Role != b.Role || looksNumber(s.labels[j]) && !looksNumber(s.labels[i]) {
					other++
				}
				break
			}
		}
	}
	return numbers == 0 && (2*other >= len(head.cells) || s.isOverNumbers(head, rows))
}

// isOverNumbers reports whether a line is above a column of numbers and has about as many cells as
// the rows.
func (s *screen) isOverNumbers(head tableRow, rows []tableRow) bool {
	if len(head.cells) < leastCells || len(rows) < leastRows || 4*len(head.cells) < 3*len(rows[0].cells) {
		return false
	}
	return slices.ContainsFunc(head.cells, func(i int) bool {
		n := 0
		for _, r := range rows {
			if slices.ContainsFunc(r.cells, func(j int) bool {
				return s.inOneColumn(s.list[i].Box, s.list[j].Box) && looksNumber(s.labels[j])
			}) {
				n++
			}
		}
		return 4*n >= 3*len(rows)
	})
}

// looksNumber reports whether a label looks like a number or an amount of money.
func looksNumber(label string) bool {
	return looks[numbered].MatchString(label) || looks[money].MatchString(label)
}

// namesColumn reports whether an element is in the head of a table.
func (s *screen) namesColumn(i int) bool {
	return slices.ContainsFunc(s.findTables(), func(t table) bool { return slices.Contains(t.head, i) })
}

// hasHeads reports whether a table of the screen has a head.
func (s *screen) hasHeads() bool {
	return slices.ContainsFunc(s.findTables(), func(t table) bool { return t.head != nil })
}

// headOfCell returns the element in the head of the cell's column, or -1.
func (s *screen) headOfCell(i int) int {
	m := geo.Center(s.list[i].Box)
	for k := range s.findTables() {
		t := &s.tables[k]
		if t.head == nil || !m.In(t.box) || slices.Contains(t.head, i) {
			continue
		}
		best, far := -1, int(60*s.unit)
		for _, h := range t.head {
			b := s.list[h].Box
			d := min(geo.Abs(b.Min.X-s.list[i].Box.Min.X), geo.Abs(b.Max.X-s.list[i].Box.Max.X), geo.Abs(geo.Center(b).X-m.X))
			if b.Max.Y <= m.Y && d < far {
				best, far = h, d
			}
		}
		return best
	}
	return -1
}

// headCell returns the result of headOfCell, and keeps it in s.heads.
func (s *screen) headCell(i int) int {
	h, known := s.heads[i]
	if !known {
		h = s.headOfCell(i)
		s.heads[i] = h
	}
	return h
}
