package textmap

import (
	"context"
	"math"
	"slices"
)

// scores has the scores of the core cells of a picture.
type scores struct {
	runs  []run
	cells []cell // of the runs, in order
}

// run is core cells side by side, from column x0 to before x1 of row y.
type run struct {
	y, x0, x1 int32
	first     int32 // index in scores.cells of the cell at x0
}

// cell has the scores of a core cell.
type cell struct {
	core        float32
	kinds       [kinds]float32
	top, bottom float32 // log2 of the distances to the row's top and bottom from the cell's middle
}

// apart is the score of separation from which a cell separates rows: the logit of 0.6.
const apart = 0.4054651

// score computes the last layer for a plane: the cells of width x height that are in a core and do
// not separate rows.
func (m *Model) score(ctx context.Context, w *workspace, p *plane, width, height int) {
	n := m.marks.Sums()
	var scale [marked * square]float32
	for o := range scale {
		scale[o] = m.marks.Scale(o)
	}
	w.rows = slices.Grow(w.rows[:0], p.height)[:p.height]
	rows := w.rows
	eachRow(ctx, p.height, func(s *scratch, y int) {
		rows[y].runs, rows[y].cells = rows[y].runs[:0], rows[y].cells[:0]
		windows := s.rowOf(p.width, p.channels)
		copy(windows, p.row(y))
		sums := m.multiply(s, &m.marks, windows, p.channels, p.width)
		s.on = slices.Grow(s.on[:0], p.width)[:p.width]
		for x := range p.width {
			own := sums[x*n:][:marked*square]
			s.on[x] = 0
			if max(own[0], own[1], own[2], own[3]) <= 0 {
				continue
			}
			for i := range square {
				if own[i] > 0 && float32(float32(own[square+i])*scale[square+i]) < apart {
					s.on[x] |= 1 << i
				}
			}
		}
		m.detail(s, &rows[y], sums, y, width, height)
	})
	all := &w.scores
	all.runs, all.cells = all.runs[:0], all.cells[:0]
	for i := range rows {
		first := int32(len(all.cells))
		for _, r := range rows[i].runs {
			r.first += first
			all.runs = append(all.runs, r)
		}
		all.cells = append(all.cells, rows[i].cells...)
	}
}

// detail computes the other maps where cells of a row of places are on, and appends the cells of its
// two rows to out. s has the windows of the row; s.on has a bit for each cell of a place.
func (m *Model) detail(s *scratch, out *scores, marks []int32, y, width, height int) {
	n, each := m.marks.Sums(), m.rest.Sums()
	size := len(s.on)*each + restBeyond
	s.extra = slices.Grow(s.extra[:0], size)[:size]
	rest, computed := s.extra, 0
	for x, bits := range s.on {
		if bits > 0 && x >= computed {
			m.kernel.Multiply(&m.rest, s.windows[x*m.rest.Stride():], m.rest.Stride(), rest[x*each:])
			computed = x + 4
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
				out.runs = append(out.runs, run{y: int32(2*y + row), x0: int32(x), first: int32(len(out.cells))})
				open = true
			}
			out.runs[len(out.runs)-1].x1 = int32(x) + 1
			out.cells = append(out.cells, m.cell(marks[x/2*n+i], m.marks.Scale(i), rest[x/2*each:], i))
		}
	}
}

// restBeyond is the room for the sums of a batch beyond a row of places.
const restBeyond = 4 * 32

// cell returns the scores of cell i of a place.
func (m *Model) cell(core int32, scale float32, rest []int32, i int) (c cell) {
	score := func(part int) float32 {
		o := (part-marked)*square + i
		return float32(float32(rest[o]) * m.rest.Scale(o))
	}
	c.core = float32(float32(core) * scale)
	for k := range kinds {
		c.kinds[k] = score(kindMap + k)
	}
	c.top, c.bottom = score(topMap), score(bottomMap)
	return c
}

// fine is the number of steps of a pixel in distances, and of 1 in the scores that index tables.
const fine = 8

// chances has the logistic function of scores from -maxScore in steps of 1/fine, in units of 1/1024.
var chances = func() (list [2*maxScore*fine + 1]int) {
	for i := range list {
		list[i] = int(math.Round(1024 / (1 + math.Exp(maxScore-float64(i)/fine))))
	}
	return list
}()

// distances has 2^x in steps of 1/fine of a pixel, for x from 0 to maxLog in steps of 1/logSteps.
var distances = func() (list [maxLog*logSteps + 1]int) {
	for i := range list {
		list[i] = int(math.Round(fine * math.Exp2(float64(i)/logSteps)))
	}
	return list
}()

const (
	maxScore = 8
	maxLog   = 7
	logSteps = 32
)

// step returns the index of v in a table with n entries and this many for 1, of which the first is
// for from.
func step(v float32, from, perOne, n int) int {
	return min(max(int(math.Round(float64(v)*float64(perOne)))-from*perOne, 0), n-1)
}

// chance returns the logistic function of a score in units of 1/1024.
func chance(score float32) int { return chances[step(score, -maxScore, fine, len(chances))] }

// distance returns 2^score in steps of 1/fine of a pixel.
func distance(score float32) int { return distances[step(score, 0, logSteps, len(distances))] }
