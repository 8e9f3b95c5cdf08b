package locate

import (
	"slices"
)

// Decisions is how many numbers a decision is made by.
const Decisions = 48

// ranking is what elements may be meant, with how probable each is.
type ranking struct {
	w      *scales
	list   []int
	rows   [][]float32
	chance []float64
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
	for _, n := range order {
		if len(places) == most {
			break
		}
		if !slices.ContainsFunc(places, func(o int) bool { return r.w.s.same(r.list[o], r.list[n]) }) {
			places = append(places, n)
		}
	}
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
			return r.chance[top[n]]
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
var decisive = []int{0, 1, 4, 6, 7, 9, 10, 11, 12, 13, 19, 21, 24, 26, 27, 28, 29, 31, 32, 34, 35, 36, 37, 39, 64, 65, 66, 67, 70, 71}
