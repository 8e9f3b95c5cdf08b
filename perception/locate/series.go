package locate

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// seriesHigh is the maximum difference between the heights of a series' elements, in usual pixels.
const seriesHigh = 10

// series returns the candidates if they are a series, or else at least three quarters of them that
// are. It returns nil if the candidates are scattered, because then "the third" is ambiguous.
func (s *screen) series(q *query, alike []candidate) []candidate {
	if s.isSeries(q, alike) {
		return alike
	}
	for _, c := range alike {
		for _, in := range []func(a, b image.Rectangle) bool{geo.SameLine, s.inOneColumn} {
			group := slices.DeleteFunc(slices.Clone(alike), func(o candidate) bool {
				a, b := s.list[c.element].Box, s.list[o.element].Box
				return !in(a, b) || !s.near(a.Dy()-b.Dy(), seriesHigh)
			})
			if len(group) > 2 && 4*len(group) >= 3*len(alike) && s.isSeries(q, group) {
				return group
			}
		}
	}
	return nil
}

// leastMenus is the minimum number of menus in a menu bar.
const leastMenus = 3

// menuBar returns the candidates on the topmost line with at least leastMenus of them, or all
// candidates if there is no such line.
func (s *screen) menuBar(alike []candidate) []candidate {
	var bar []candidate
	for _, c := range alike {
		var line []candidate
		for _, o := range alike {
			a, b := s.list[c.element].Box, s.list[o.element].Box
			if geo.SameLine(a, b) && s.near(a.Dy()-b.Dy(), seriesHigh) {
				line = append(line, o)
			}
		}
		if len(line) >= leastMenus && (bar == nil || s.list[c.element].Box.Min.Y < s.list[bar[0].element].Box.Min.Y-s.list[bar[0].element].Box.Dy()/2) {
			bar = line
		}
	}
	if bar == nil {
		return alike
	}
	return bar
}

// isSeries reports whether candidates form one row, one column or a grid. Only these can be
// counted: elements scattered over a screen have no third.
func (s *screen) isSeries(q *query, alike []candidate) bool {
	if len(alike) < 2 {
		return true
	}
	row, column := true, true
	first := s.list[alike[0].element].Box
	for _, c := range alike[1:] {
		b := s.list[c.element].Box
		if !s.near(b.Dy()-first.Dy(), seriesHigh) {
			return false
		}
		row = row && geo.SameLine(first, b)
		column = column && s.inOneColumn(first, b)
	}
	if row || column {
		return s.isEven(alike, row)
	}
	return !slices.Equal(q.kinds, []string{"text"}) && s.isGrid(alike)
}

// mostUneven is the maximum of a series' largest step, as a multiple of its median step. A larger
// step is a gap: an element in it was not recognized as one of the series.
const mostUneven = 2.6

// isEven reports whether the steps of a row, or of a column if row is false, are similar and
// without a gap.
func (s *screen) isEven(alike []candidate, row bool) bool {
	var at []int
	for _, c := range alike {
		m := geo.Center(s.list[c.element].Box)
		if row {
			at = append(at, m.X)
		} else {
			at = append(at, m.Y)
		}
	}
	slices.Sort(at)
	var steps []int
	for i := 1; i < len(at); i++ {
		steps = append(steps, at[i]-at[i-1])
	}
	slices.Sort(steps)
	return float64(steps[len(steps)-1]) <= mostUneven*float64(max(1, steps[len(steps)/2]))
}

// isGrid reports whether each candidate has another candidate on its line and another in its
// column.
func (s *screen) isGrid(alike []candidate) bool {
	other := func(b image.Rectangle, is func(a, b image.Rectangle) bool) bool {
		for _, c := range alike {
			if o := s.list[c.element].Box; o != b && is(o, b) {
				return true
			}
		}
		return false
	}
	for _, c := range alike {
		if b := s.list[c.element].Box; !other(b, geo.SameLine) || !other(b, s.inOneColumn) {
			return false
		}
	}
	return true
}

// isOneText reports whether all candidates have the same label, which must not be empty.
func (s *screen) isOneText(alike []candidate) bool {
	return !slices.ContainsFunc(alike, func(c candidate) bool {
		label := s.labels[c.element]
		return label == "" || label != s.labels[alike[0].element]
	})
}
