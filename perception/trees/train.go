package trees

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Options say how to train. The zero value is a good choice for some ten thousand rows.
type Options struct {
	Trees  int     // 0 means 200
	Depth  int     // of each; 0 means 5
	Rate   float64 // how much of a tree counts; 0 means 0.08
	Least  float64 // the least weight of a leaf; 0 means 8
	Weight []float64
	Seed   uint64
}

const (
	maxBins  = 63   // into which the values of a number are sorted
	ridge    = 2.0  // how much leaves are drawn to zero
	rowsUsed = 0.5  // of all, by each tree
	colsUsed = 0.35 // of the numbers, by each tree
)

func (o Options) filled() Options {
	if o.Trees == 0 {
		o.Trees = 200
	}
	if o.Depth == 0 {
		o.Depth = 5
	}
	if o.Rate == 0 {
		o.Rate = 0.08
	}
	if o.Least == 0 {
		o.Least = 8
	}
	return o
}

// Train returns the trees that distinguish the rows that are right from the others. All rows have the
// width of the first; there is at least one. The same rows and options give the same trees.
func Train(rows [][]float32, right []bool, o Options) *Model {
	o = o.filled()
	t := &trainer{Options: o, rows: len(rows), random: rand.New(rand.NewPCG(o.Seed, 1))} //nolint:gosec // trees are drawn by lot, not secrets
	t.bin(rows)
	t.score, t.grad, t.hess = make([]float64, len(rows)), make([]float64, len(rows)), make([]float64, len(rows))
	up, all := 1.0, 2.0
	for i, r := range right {
		all += t.weight(i)
		if r {
			up += t.weight(i)
		}
	}
	m := &Model{base: float32(math.Log(up / (all - up)))}
	for i := range t.score {
		t.score[i] = float64(m.base)
	}
	for range o.Trees {
		t.slopes(right)
		m.roots = append(m.roots, int32(len(m.nodes)))
		m.nodes = append(m.nodes, t.tree()...)
	}
	return m
}

type trainer struct {
	Options
	rows              int
	random            *rand.Rand
	cuts              [][]float32 // by number: the upper ends of its bins
	bins              [][]uint8   // by number and row
	score, grad, hess []float64

	nodes []node
	cols  []int
}

func (t *trainer) weight(i int) float64 {
	if t.Weight == nil {
		return 1
	}
	return t.Weight[i]
}

// bin sorts the values of each number into bins that hold about as many.
func (t *trainer) bin(rows [][]float32) {
	for c := range rows[0] {
		values := make([]float32, len(rows))
		for i, r := range rows {
			values[i] = r[c]
		}
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		distinct := slices.Compact(slices.Clone(sorted))
		var cuts []float32
		if len(distinct) <= maxBins {
			cuts = distinct
		} else {
			for b := 1; b <= maxBins; b++ {
				cuts = append(cuts, sorted[b*len(sorted)/maxBins-1])
			}
			cuts = slices.Compact(cuts)
		}
		bins := make([]uint8, len(rows))
		for i, v := range values {
			at, _ := slices.BinarySearch(cuts, v)
			bins[i] = uint8(min(at, len(cuts)-1))
		}
		t.cuts, t.bins = append(t.cuts, cuts), append(t.bins, bins)
	}
}

// slopes sets how each row's score should change.
func (t *trainer) slopes(right []bool) {
	for i, s := range t.score {
		p, y := logistic(s), 0.0
		if right[i] {
			y = 1
		}
		t.grad[i], t.hess[i] = (y-p)*t.weight(i), max(p*(1-p), 1e-6)*t.weight(i)
	}
}

// tree grows one tree on some of the rows and numbers, and adds it to all scores.
func (t *trainer) tree() []node {
	t.nodes, t.cols = nil, nil
	for c := range t.bins {
		if t.random.Float64() < colsUsed {
			t.cols = append(t.cols, c)
		}
	}
	var in, out []int
	for i := range t.rows {
		if t.random.Float64() < rowsUsed {
			in = append(in, i)
		} else {
			out = append(out, i)
		}
	}
	t.grow(in, out, 0)
	return t.nodes
}

// split is where a node's rows part, and how much that helps.
type split struct {
	col, bin int
	gain     float64
}

// grow adds the node of rows, and those below it, and returns its place. The rows out get its score
// only.
func (t *trainer) grow(in, out []int, depth int) int {
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{feature: -1})
	var g, h float64
	for _, i := range in {
		g, h = g+t.grad[i], h+t.hess[i]
	}
	best := split{col: -1}
	if depth < t.Depth && h >= 2*t.Least/4 {
		best = t.best(in, g, h)
	}
	if best.col < 0 {
		v := t.Rate * g / (h + ridge)
		t.nodes[at].value = float32(v)
		for _, i := range in {
			t.score[i] += v
		}
		for _, i := range out {
			t.score[i] += v
		}
		return at
	}
	part := func(list []int) (low, high []int) {
		for _, i := range list {
			if int(t.bins[best.col][i]) <= best.bin {
				low = append(low, i)
			} else {
				high = append(high, i)
			}
		}
		return low, high
	}
	low, high := part(in)
	lowOut, highOut := part(out)
	left := t.grow(low, lowOut, depth+1)
	right := t.grow(high, highOut, depth+1)
	t.nodes[at] = node{int16(best.col), uint16(left), uint16(right), t.cuts[best.col][best.bin]}
	return at
}

// best returns the split that helps most.
func (t *trainer) best(in []int, g, h float64) split {
	best := split{col: -1, gain: 1e-3}
	whole := g * g / (h + ridge)
	for _, c := range t.cols {
		var gs, hs [maxBins + 1]float64
		bins := t.bins[c]
		for _, i := range in {
			gs[bins[i]] += t.grad[i]
			hs[bins[i]] += t.hess[i]
		}
		lg, lh := 0.0, 0.0
		for b := range len(t.cuts[c]) - 1 {
			lg, lh = lg+gs[b], lh+hs[b]
			rg, rh := g-lg, h-lh
			if min(lh, rh) < t.Least/4 {
				continue
			}
			if gain := lg*lg/(lh+ridge) + rg*rg/(rh+ridge) - whole; gain > best.gain {
				best = split{c, b, gain}
			}
		}
	}
	return best
}
