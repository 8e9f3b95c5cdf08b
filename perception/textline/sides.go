package textline

import "slices"

// outlineWidth is the maximum thickness of a frame's outline in pixels, including the edges on both
// sides.
const outlineWidth = 4

// clip cuts a run to the columns from x0 up to x1. If the run extends beyond them and is no longer
// than least pixels, clip empties it.
func (r *run) clip(x0, x1, least int32) {
	switch {
	case r.x0 >= x0 && r.x1 <= x1:
	case r.x1-r.x0 > least:
		r.x0, r.x1 = max(r.x0, x0), min(r.x1, x1)
	default:
		r.x1 = r.x0
	}
}

// sides is the maximum thickness of a frame's sides in pixels. In the tall rows it is outlineWidth,
// because a caret or the frame of a table row touches the side there.
type sides struct {
	width int32
	tall  stretches // rows with the thickness outlineWidth
}

// at returns the maximum thickness of the sides in row y, in pixels.
func (s *sides) at(y int32) int32 {
	if s.tall.has(y) {
		return outlineWidth
	}
	return s.width
}

// add marks rows as tall if an edge beside a side continues for more rows than a letter is high.
// rows is the length of this streak, and y its last row.
func (s *sides) add(rows, y int32) {
	if rows <= mostTouch {
		return
	}
	if n := len(s.tall) - 1; n < 0 || s.tall[n].from != y-rows+1 {
		s.tall = append(s.tall, stretch{from: y - rows + 1})
	}
	s.tall[len(s.tall)-1].to = y
}

// sidesOf returns the sides of the components that are frames. The thickness is one pixel for a
// solid block: it has a sharp edge on the left and on the right for half of its height. Letters may
// touch the side of a block.
func (c *components) sidesOf(frame []bool) []sides {
	type counted struct {
		rows    [2]int // rows with an edge n pixels from the left side, and from the right side
		streaks [2]streak
	}
	out := make([]sides, len(c.list))
	count := map[int32]*[outlineWidth]counted{}
	for i := range c.runs {
		r, l := &c.runs[i], c.label[i]
		k := &c.list[l]
		if !frame[l] || int(r.y) < k.y0 || int(r.y) >= k.y1-1 {
			continue
		}
		if count[l] == nil {
			count[l] = new([outlineWidth]counted)
		}
		for n := range int32(outlineWidth) {
			at := &count[l][n]
			for side, x := range [...]int32{int32(k.x0) - 1 + n, int32(k.x1) - 1 - n} {
				if r.x0 <= x && x < r.x1 {
					at.rows[side]++
					if at.streaks[side].add(r.y); n > 0 {
						out[l].add(at.streaks[side].now, r.y)
					}
				}
			}
		}
	}
	for l, pixels := range count {
		out[l].width = 1
		for n, at := range pixels {
			if has := 2*min(at.rows[0], at.rows[1]) > c.list[l].height()-1; has != (n == 0) {
				out[l] = sides{width: outlineWidth}
			}
		}
		// a streak of more than half the height is a side that is thicker than the other
		out[l].tall = slices.DeleteFunc(out[l].tall, func(s stretch) bool {
			return 2*int(s.length()) > c.list[l].height()
		})
	}
	return out
}

// A run near the top or the bottom of a frame belongs to a letter if its length is between these,
// in pixels. A run of at most uprightRun is the edge of an upright line that ends there. A run of
// at least levelRun is the frame's own.
const (
	uprightRun = 2
	levelRun   = 12
)

// isLevelSide reports whether a run belongs to the top or the bottom of a frame, or to an upright
// line that ends there. side is the thickness of the frame's sides.
func (k *component) isLevelSide(r *run, side int32) bool {
	y, n := int(r.y), r.x1-r.x0
	isEnd := y < k.y0 || y >= k.y1-1
	isNear := side > 1 && (y < k.y0+outlineWidth || y >= k.y1-outlineWidth)
	return isEnd || isNear && (n <= uprightRun || n >= levelRun)
}

// withoutOutlines returns the runs without the sides of frames, in the same memory. A letter that
// touches a side from within loses no more than the side.
func (c *components) withoutOutlines(frame []bool) []run {
	// the last row seen plus one, and the x at which the inside of the frame begins or ends in it
	type end struct{ row, x int32 }
	ends := make([]end, len(c.list))
	edges := c.sidesOf(frame)
	for i := range c.runs {
		r, k := &c.runs[i], &c.list[c.label[i]]
		e, side := &ends[c.label[i]], edges[c.label[i]].at(r.y)
		switch {
		case !frame[c.label[i]]:
			continue
		case k.isLevelSide(r, side):
			r.x1 = r.x0
			continue
		case e.row != r.y+1:
			*e = end{r.y + 1, r.x1 + outlineWidth}
			if int(r.x0) <= k.x0 && (side < outlineWidth || r.x1-r.x0 > side+2) {
				e.x = int32(k.x0) - 1 + side
			}
		}
		r.clip(e.x, int32(k.x1), side+2)
	}
	clear(ends)
	for i := range slices.Backward(c.runs) {
		r, k := &c.runs[i], &c.list[c.label[i]]
		e, side := &ends[c.label[i]], edges[c.label[i]].at(r.y)
		if !frame[c.label[i]] || r.x0 == r.x1 {
			continue
		}
		if e.row != r.y+1 {
			*e = end{r.y + 1, r.x0 - outlineWidth}
			if int(r.x1) >= k.x1-1 && (side < outlineWidth || r.x1-r.x0 > side+2) {
				e.x = int32(k.x1) - side
			}
		}
		r.clip(int32(k.x0)-1, e.x, side+2)
	}
	return slices.DeleteFunc(c.runs, func(r run) bool { return r.x0 >= r.x1 })
}
