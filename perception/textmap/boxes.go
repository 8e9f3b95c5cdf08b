package textmap

import (
	"cmp"
	"image"
	"slices"

	"github.com/windieos/windie/perception/unet"
)

// The limits of the rows of one size of a screen, as in training.
const (
	leastCells = 2
	lowest     = 6 * unet.Fine  // height of a row, in steps
	highest    = 44 * unet.Fine // the same
	home       = 14             // pixels: a size suits rows of this height to twice of it
)

// part is a row that one size of a screen has.
type part struct {
	box     image.Rectangle // in pixels of the size
	sure    int             // mean chance of its cells, of unet.Certain
	unknown bool
	icon    bool
}

// parts returns the rows of text that groups of cells are.
func parts(groups []unet.Group) (list []part) {
	var m medians
	for _, g := range groups {
		if p, ok := m.part(g); ok {
			list = append(list, p)
		}
	}
	return list
}

// Scores of a cell of a group.
const (
	scores      = 1 + maps - kindMap
	kindScore   = 1
	topScore    = kindScore + kinds
	bottomScore = topScore + 1
)

// part returns the row of a group. It returns false if the group is too small, or not as high as rows
// of this size are.
func (m *medians) part(g unet.Group) (p part, ok bool) {
	x0, x1, cells, sum := g[0].X0, g[0].X1, 0, 0
	var kind [kinds]float32
	for _, r := range g {
		x0, x1 = min(x0, r.X0), max(x1, r.X1)
		for s := r.Scores; len(s) > 0; s = s[scores:] {
			cells, sum = cells+1, sum+unet.Chance(s[0])
			for k := range kind {
				kind[k] += s[kindScore+k]
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
	top := m.of(g, unet.Middle(g[0].Y)-unet.Farthest, func(y int, s []float32) int { return unet.Middle(y) - unet.Distance(s[topScore]) })
	bottom := m.of(g, unet.Middle(g[0].Y), func(y int, s []float32) int { return unet.Middle(y) + unet.Distance(s[bottomScore]) })
	if bottom-top < lowest || bottom-top > highest {
		return p, false
	}
	box := image.Rect(2*x0, unet.Pixel(top), 2*x1, unet.Pixel(bottom))
	return part{box: box, sure: sum / cells, unknown: k == scriptKind, icon: k == iconKind || k == pictureKind}, true
}

// medians has the histogram of the last median.
type medians struct{ histogram []int32 }

// of returns the median of a place of all cells of a group. No place is less than from.
func (m *medians) of(g unet.Group, from int, place func(y int, scores []float32) int) int {
	clear(m.histogram)
	cells := 0
	for _, r := range g {
		for s := r.Scores; len(s) > 0; s = s[scores:] {
			at := place(r.Y, s) - from
			if at >= len(m.histogram) {
				m.histogram = append(m.histogram, make([]int32, at+1-len(m.histogram))...)
			}
			m.histogram[at]++
			cells++
		}
	}
	seen, low := 0, -1
	for at, n := range m.histogram {
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
			c := candidate{size: size, Row: Row{Sure: float64(p.sure) / unet.Certain, Unknown: p.unknown, Icon: p.icon}}
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
