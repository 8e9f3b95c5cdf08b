package unet

import (
	"context"
	"slices"

	"github.com/windieos/windie/perception/layers"
)

// cells has the cells of one part that are in a core, row by row.
type cells struct {
	runs   []Run
	scores []float32 // of the runs, in order
	rows   []cells   // of each row of places; the buffers that are joined
}

// Run is cells of a core side by side.
type Run struct {
	Y, X0, X1 int       // row, first column and the column after the last, in cells of 2x2 pixels
	Scores    []float32 // of each cell in order: its core, then the maps of its part
}

// separates is the score of Part.Apart from which a cell is between two cores: the logit of 0.6.
const separates = 0.4054651

// score computes the last layer for a plane: the cells of width x height that are in a core.
func (m *Model) score(ctx context.Context, w *workspace, p *plane, width, height int) {
	w.parts = slices.Grow(w.parts[:0], len(m.form.Parts))[:len(m.form.Parts)]
	for i := range w.parts {
		w.parts[i].rows = slices.Grow(w.parts[i].rows[:0], p.height)[:p.height]
	}
	eachRow(ctx, p.height, func(s *scratch, y int) {
		windows := s.rowOf(p.width, p.channels)
		copy(windows, p.row(y))
		marks := m.multiply(s, &m.marks, windows, p.channels, p.width)
		for i := range m.form.Parts {
			out := &w.parts[i].rows[y]
			out.runs, out.scores = out.runs[:0], out.scores[:0]
			if m.mark(s, i, marks, p.width) {
				m.detail(s, i, out, marks, y, width, height)
			}
		}
	})
	for i := range w.parts {
		w.parts[i].join(1 + m.form.Parts[i].Count)
	}
}

// mark sets in s.on a bit for each cell of each place that is in a core of a part. It reports whether
// there is one.
func (m *Model) mark(s *scratch, part int, marks []int32, places int) bool {
	p, n, found := m.form.Parts[part], m.marks.Sums(), uint8(0)
	s.on = slices.Grow(s.on[:0], places)[:places]
	for x := range places {
		core := marks[x*n+p.Core*square:][:square]
		s.on[x] = 0
		if max(core[0], core[1], core[2], core[3]) <= 0 {
			continue
		}
		for i := range square {
			if core[i] > 0 && !m.parted(p, marks[x*n:], i) {
				s.on[x] |= 1 << i
			}
		}
		found |= s.on[x]
	}
	return found > 0
}

// parted reports whether cell i of a place is between two cores.
func (m *Model) parted(p Part, marks []int32, i int) bool {
	if p.Apart < 0 {
		return false
	}
	at := p.Apart*square + i
	return float32(float32(marks[at])*m.marks.Scale(at)) >= separates
}

// detail computes the other maps of a part where cells of a row of places are on, and appends the
// cells of its two rows to out. s has the windows of the row; s.on has a bit for each cell of a place.
func (m *Model) detail(s *scratch, part int, out *cells, marks []int32, y, width, height int) {
	l, p := &m.rest[part], m.form.Parts[part]
	n, each := m.marks.Sums(), l.Sums()
	size := len(s.on)*each + layers.Batch*each
	s.extra = slices.Grow(s.extra[:0], size)[:size]
	rest, computed := s.extra, 0
	for x, bits := range s.on {
		if bits > 0 && x >= computed {
			m.kernel.Multiply(l, s.windows[x*l.Stride():], l.Stride(), rest[x*each:])
			computed = x + layers.Batch
		}
	}
	for row := range 2 {
		if 2*y+row >= height {
			return
		}
		open := false
		for x := range width {
			i := 2*row + x%2
			if s.on[x/2]>>i&1 == 0 {
				open = false
				continue
			}
			if !open {
				out.runs = append(out.runs, Run{Y: 2*y + row, X0: x})
				open = true
			}
			out.runs[len(out.runs)-1].X1 = x + 1
			core := p.Core*square + i
			out.scores = append(out.scores, float32(float32(marks[x/2*n+core])*m.marks.Scale(core)))
			for k := range p.Count {
				o := k*square + i
				out.scores = append(out.scores, float32(float32(rest[x/2*each+o])*l.Scale(o)))
			}
		}
	}
}

// join appends the rows of places in order. Each cell has this many scores.
func (c *cells) join(each int) {
	c.runs, c.scores = c.runs[:0], c.scores[:0]
	for _, row := range c.rows {
		c.runs = append(c.runs, row.runs...)
		c.scores = append(c.scores, row.scores...)
	}
	at := 0
	for i := range c.runs {
		r := &c.runs[i]
		next := at + (r.X1-r.X0)*each
		r.Scores = c.scores[at:next:next]
		at = next
	}
}
