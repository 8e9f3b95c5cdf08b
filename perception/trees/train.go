package trees

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Options configures Train. The zero value is a good choice for about ten thousand rows.
type Options struct {
	Trees int     // number of trees; default 200
	Depth int     // maximum depth of a tree; default 5
	Rate  float64 // share of each tree's correction that the model applies; default 0.08
	Least float64 // minimum weight of the rows in a leaf; default 8
	// Weight has the weight of each row; nil gives each row the weight 1.
	Weight []float64
	// Seed is the seed of the random choices. Each tree uses only some of the rows, and only some of
	// the numbers in each row, chosen at random.
	Seed uint64
}

const (
	maxBins  = 63   // maximum bins for the values of a number
	ridge    = 2.0  // strength that pulls leaves towards zero
	rowsUsed = 0.5  // share of all rows that each tree uses
	colsUsed = 0.35 // share of the numbers that each tree uses
)

// filled returns o with a default in each zero field.
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

// Train returns a model that predicts the class of a row of numbers: right or wrong. The parameter
// right has the class of each training row. There must be at least one row, and all rows must have
// the same width. The same rows and options give the same model.
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

// trainer grows the trees of one model.
type trainer struct {
	Options
	rows              int
	random            *rand.Rand
	cuts              [][]float32 // by number: the upper limits of its bins
	bins              [][]uint8   // by number and row
	score, grad, hess []float64

	nodes []node
	cols  []int
}

// weight returns the weight of row i, by default 1.
func (t *trainer) weight(i int) float64 {
	if t.Weight == nil {
		return 1
	}
	return t.Weight[i]
}

// bin sorts the values of each number into bins of about the same size.
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

// slopes sets the gradient and curvature of the loss for each row's score.
func (t *trainer) slopes(right []bool) {
	for i, s := range t.score {
		p, y := logistic(s), 0.0
		if right[i] {
			y = 1
		}
		t.grad[i], t.hess[i] = (y-p)*t.weight(i), max(p*(1-p), 1e-6)*t.weight(i)
	}
}

// tree grows one tree on a random part of the rows and numbers, and adds its result to all scores.
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
	t.grow(in, out, t.sum(in), 0)
	return t.nodes
}

// split is a division of a node's rows, and its gain.
type split struct {
	col, bin int
	gain     float64
}

// bin has the sums of the slopes of the rows whose value is in it.
type bin struct{ g, h float64 }

// sums has the bins of each number that a tree uses, one after the other.
type sums []bin

// sum adds the slopes of rows to their bins.
func (t *trainer) sum(in []int) sums {
	all := make(sums, len(t.cols)*(maxBins+1))
	for c, col := range t.cols {
		bins, of := t.bins[col], all[c*(maxBins+1):(c+1)*(maxBins+1)]
		for _, i := range in {
			b := &of[bins[i]]
			b.g += t.grad[i]
			b.h += t.hess[i]
		}
	}
	return all
}

// without subtracts the sums of a part of the rows from s, in place.
func (s sums) without(part sums) sums {
	for i := range s {
		s[i].g -= part[i].g
		s[i].h -= part[i].h
	}
	return s
}

// grow appends the node for rows in and the nodes below it, and returns its index. of has the sums
// of in. The rows out are not used for the choice of splits; they only get the scores.
func (t *trainer) grow(in, out []int, of sums, depth int) int {
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{feature: -1})
	var g, h float64
	for _, i := range in {
		g, h = g+t.grad[i], h+t.hess[i]
	}
	best := split{col: -1}
	if depth < t.Depth && h >= 2*t.Least/4 {
		best = t.best(of, g, h)
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
	low, high := t.parted(in, best)
	lowOut, highOut := t.parted(out, best)
	var ofLow, ofHigh sums
	if depth+1 < t.Depth { // the smaller part is quicker to add up; the larger part is the whole without it
		if len(low) < len(high) {
			ofLow = t.sum(low)
			ofHigh = of.without(ofLow)
		} else {
			ofHigh = t.sum(high)
			ofLow = of.without(ofHigh)
		}
	}
	left := t.grow(low, lowOut, ofLow, depth+1)
	right := t.grow(high, highOut, ofHigh, depth+1)
	t.nodes[at] = node{int16(best.col), uint16(left), uint16(right), t.cuts[best.col][best.bin]}
	return at
}

// parted divides rows at a split.
func (t *trainer) parted(list []int, by split) (low, high []int) {
	bins := t.bins[by.col]
	for _, i := range list {
		if int(bins[i]) <= by.bin {
			low = append(low, i)
		} else {
			high = append(high, i)
		}
	}
	return low, high
}

// best returns the split with the highest gain; its col is -1 if none is good enough.
func (t *trainer) best(of sums, g, h float64) split {
	best := split{col: -1, gain: 1e-3}
	whole := g * g / (h + ridge)
	for c, col := range t.cols {
		lg, lh := 0.0, 0.0
		for b := range len(t.cuts[col]) - 1 {
			in := of[c*(maxBins+1)+b]
			lg, lh = lg+in.g, lh+in.h
			rg, rh := g-lg, h-lh
			if min(lh, rh) < t.Least/4 {
				continue
			}
			if gain := lg*lg/(lh+ridge) + rg*rg/(rh+ridge) - whole; gain > best.gain {
				best = split{col, b, gain}
			}
		}
	}
	return best
}
