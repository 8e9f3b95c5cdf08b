package locate

import (
	"cmp"
	"slices"
)

// Decisions is how many numbers a decision is made by.
const Decisions = 75

// ranking is what elements may be meant, with how probable each is.
type ranking struct {
	w      *scales
	list   []int
	rows   [][]float32
	chance []float64
	sum    map[int]float64 // of the likeliest, with those that are the same thing
}

// maxLikely is how many of the likeliest elements a decision is made by.
const maxLikely = 8

// top returns the places in the list of the likeliest elements, none in another, the best first.
func (r *ranking) top(most int) (places []int) {
	order := make([]int, len(r.list))
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case r.chance[a] > r.chance[b]:
			return -1
		case r.chance[a] < r.chance[b]:
			return 1
		}
		return 0
	})
	r.sum = map[int]float64{}
	for _, n := range order {
		at := slices.IndexFunc(places, func(o int) bool { return r.w.s.same(r.list[o], r.list[n]) })
		switch {
		case at >= 0:
			r.sum[places[at]] += r.chance[n]
		case len(places) < most:
			places = append(places, n)
			r.sum[n] = r.chance[n]
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(r.sum[b], r.sum[a]) })
	return places
}

// numbers returns what a decision is made by.
func (r *ranking) numbers(top []int) []float32 {
	out := make([]float32, Decisions)
	if len(top) == 0 {
		return out
	}
	p := func(n int) float64 {
		if n < len(top) {
			return r.sum[top[n]]
		}
		return 0
	}
	alike, sum := 0.0, 0.0
	for n := range top {
		sum += p(n)
		if p(n) > 0.5*p(0) {
			alike++
		}
	}
	w := r.w
	matches := float64(len(w.strict.Matches))
	score, agree := 0.0, 0.0
	best := r.list[top[0]]
	for _, m := range w.strict.Matches {
		score = max(score, m.Score)
		if m.Element == best || w.s.same(m.Element, best) {
			agree = 1
		}
	}
	if n := w.strict.Nearest; n != nil {
		score = n.Score
		if n.Element == best || w.s.same(n.Element, best) {
			agree = 1
		}
	}
	f := []float64{p(0), p(1), p(2), p(0) - p(1), ratioOf(p(1), p(0)), ratioOf(p(2), p(0)), alike, sum, min(matches, 5), score, agree}
	for n, v := range f {
		out[n] = float32(v)
	}
	row := r.rows[top[0]]
	for n, k := range decisive {
		out[len(f)+n] = row[k]
	}
	at := len(f) + len(decisive)
	if len(top) > 1 { // how alike the next is
		for n, k := range []int{0, 2, 64, 68, 35, 3} {
			out[at+n] = row[k] - r.rows[top[1]][k]
		}
	}
	return out
}

// decisive are the places of numbers of the likeliest element that decisions are made by.
var decisive = []int{0, 1, 4, 6, 7, 9, 10, 11, 12, 13, 19, 21, 24, 26, 27, 28, 29, 31, 32, 34, 35, 36, 37, 39, 64, 65, 66, 67, 70, 71, 88, 89, 90, 91, 92, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 107, 109, 110, 111, 112, 113, 114}
