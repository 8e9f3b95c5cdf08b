package textmap

import (
	"cmp"
	"image"
	"slices"
)

// The limits of the rows of one size of a screen, as in training.
const (
	leastCells = 2
	lowest     = 6 * fine  // height of a row, in steps
	highest    = 44 * fine // the same
	home       = 14        // pixels: a size suits rows of this height to twice of it
)

// part is a row that one size of a screen has.
type part struct {
	box     image.Rectangle // in pixels of the size
	sure    int             // mean chance of its cells, of 1024
	unknown bool
	icon    bool
}

// finder has the buffers of the search for rows.
type finder struct {
	parent    []int32
	last      []int32 // of each run: the next run of its row of text, or -1
	histogram []int32
}

// parts returns the rows of text that connected cells make.
func (w *workspace) parts() (list []part) {
	f, s := &w.finder, &w.scores
	f.connect(s.runs)
	// The runs of each group in order: first of a group, then next of each run.
	n := len(s.runs)
	next := slices.Grow(f.last[:0], n)[:n]
	f.last = next
	tail := make([]int32, n)
	for i := range n {
		next[i], tail[i] = -1, int32(i)
	}
	for i := range n {
		if root := f.root(int32(i)); root != int32(i) {
			next[tail[root]] = int32(i)
			tail[root] = int32(i)
		}
	}
	for i := range n {
		if f.parent[i] == int32(i) {
			if p, ok := f.part(s, int32(i), next); ok {
				list = append(list, p)
			}
		}
	}
	return list
}

// connect groups runs that touch above each other. The root of a group is its first run.
func (f *finder) connect(runs []run) {
	f.parent = slices.Grow(f.parent[:0], len(runs))[:len(runs)]
	above := 0 // the first run of the row above that may touch
	for i, r := range runs {
		f.parent[i] = int32(i)
		for above < i && (runs[above].y < r.y-1 || runs[above].y == r.y-1 && runs[above].x1 <= r.x0) {
			above++
		}
		for j := above; j < i && runs[j].y == r.y-1 && runs[j].x0 < r.x1; j++ {
			a, b := f.root(int32(i)), f.root(int32(j))
			f.parent[max(a, b)] = min(a, b)
		}
	}
}

// root returns the first run of the group of a run.
func (f *finder) root(i int32) int32 {
	for f.parent[i] != i {
		f.parent[i] = f.parent[f.parent[i]]
		i = f.parent[i]
	}
	return i
}

// part returns the row of a group of runs. It returns false if the group is too small, or
// not as high as rows of this size are.
func (f *finder) part(s *scores, first int32, next []int32) (p part, ok bool) {
	x0, x1, y0 := s.runs[first].x0, s.runs[first].x1, s.runs[first].y
	cells, sum := 0, 0
	var kind [kinds]float32
	for i := first; i >= 0; i = next[i] {
		r := s.runs[i]
		x0, x1 = min(x0, r.x0), max(x1, r.x1)
		for _, c := range s.cells[r.first:][:r.x1-r.x0] {
			cells, sum = cells+1, sum+chance(c.core)
			for k, v := range c.kinds {
				kind[k] += v
			}
		}
	}
	k := textKind
	for i, v := range kind {
		if v > kind[k] {
			k = i
		}
	}
	if cells < leastCells {
		return p, false
	}
	middle := func(y int32) int { return (2*int(y) + 1) * fine }
	top := f.median(s, first, next, middle(y0)-distances[len(distances)-1], func(y int32, c cell) int { return middle(y) - distance(c.top) })
	bottom := f.median(s, first, next, middle(y0), func(y int32, c cell) int { return middle(y) + distance(c.bottom) })
	if bottom-top < lowest || bottom-top > highest {
		return p, false
	}
	box := image.Rect(2*int(x0), (top+fine/2)>>fineBits, 2*int(x1), (bottom+fine/2)>>fineBits)
	return part{box: box, sure: sum / cells, unknown: k == scriptKind, icon: k == iconKind || k == pictureKind}, true
}

// fineBits is log2 of fine.
const fineBits = 3

// median returns the median of a place of all cells of a group. No place is less than from.
func (f *finder) median(s *scores, first int32, next []int32, from int, of func(y int32, c cell) int) int {
	clear(f.histogram)
	cells := 0
	for i := first; i >= 0; i = next[i] {
		r := s.runs[i]
		for _, c := range s.cells[r.first:][:r.x1-r.x0] {
			at := of(r.y, c) - from
			if at >= len(f.histogram) {
				f.histogram = append(f.histogram, make([]int32, at+1-len(f.histogram))...)
			}
			f.histogram[at]++
			cells++
		}
	}
	seen, low := 0, -1
	for at, n := range f.histogram {
		seen += int(n)
		if low < 0 && seen > (cells-1)/2 {
			low = at
		}
		if seen > cells/2 {
			return from + (low+at)/2
		}
	}
	return from
}

// rows returns the rows of all sizes in pixels of the screen, from top to bottom. If two sizes have
// the same row, it returns the row of the size that suits its height.
func rows(found [][]part, screen image.Rectangle) []Row {
	type candidate struct {
		Row
		size  int
		unfit float64 // at least 1; less is better
	}
	var all []candidate
	for size, parts := range found {
		for _, p := range parts {
			c := candidate{size: size, Row: Row{Sure: float64(p.sure) / 1024, Unknown: p.unknown, Icon: p.icon}}
			high := float64(p.box.Dy())
			c.unfit = max(high/(2*home), 1)
			if size > 0 { // the screen itself also has the lowest rows
				c.unfit *= max(home/high, 1)
			}
			c.unfit /= 1 + 0.19*c.Sure // about 2 to the power of Sure/4: of two that suit alike, the surer one
			c.Box = image.Rectangle{p.box.Min.Mul(1 << size), p.box.Max.Mul(1 << size)}.Add(screen.Min).Intersect(screen)
			all = append(all, c)
		}
	}
	boxes := make([][]image.Rectangle, len(found))
	for _, c := range all {
		boxes[c.size] = append(boxes[c.size], c.Box)
	}
	all = slices.DeleteFunc(all, func(c candidate) bool {
		return slices.ContainsFunc(boxes[:c.size], func(finer []image.Rectangle) bool { return isParagraph(c.Box, finer) })
	})
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.unfit, b.unfit) })
	var kept []candidate
	for _, c := range all {
		if !slices.ContainsFunc(kept, func(k candidate) bool { return k.size != c.size && alike(k.Box, c.Box) }) {
			kept = append(kept, c)
		}
	}
	slices.SortStableFunc(kept, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Box.Min.Y, b.Box.Min.Y), cmp.Compare(a.Box.Min.X, b.Box.Min.X))
	})
	list := make([]Row, len(kept))
	for i, c := range kept {
		list[i] = c.Row
	}
	return list
}

// isParagraph reports whether a box has two rows of a finer size, one below the other.
func isParagraph(box image.Rectangle, finer []image.Rectangle) bool {
	var low []image.Rectangle
	for _, f := range finer {
		if 3*f.Dy() > 2*box.Dy() || !alike(f, box) {
			continue
		}
		below := func(o image.Rectangle) bool {
			return (f.Min.Y >= o.Max.Y || f.Max.Y <= o.Min.Y) && f.Min.X < o.Max.X && f.Max.X > o.Min.X
		}
		if slices.ContainsFunc(low, below) {
			return true
		}
		low = append(low, f)
	}
	return false
}

// alike reports whether two boxes may be of the same row: they share at least half of the smaller width
// and of the smaller height.
func alike(a, b image.Rectangle) bool {
	both := a.Intersect(b)
	return !both.Empty() && 2*both.Dx() >= min(a.Dx(), b.Dx()) && 2*both.Dy() >= min(a.Dy(), b.Dy())
}
