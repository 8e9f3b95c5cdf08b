package locate

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/perception/trees"
)

// The models, which train makes.
var (
	//go:embed rank.trees
	rankModel []byte
	//go:embed click.trees
	clickModel []byte
)

// judges are the models: how probable it is that an element is meant, and that the likeliest one is right.
var judges = sync.OnceValue(func() (j struct{ rank, click *trees.Model }) {
	var err error
	if j.rank, err = trees.Decode(rankModel, Features); err == nil {
		j.click, err = trees.Decode(clickModel, Decisions)
	}
	if err != nil {
		panic(fmt.Sprintf("locate: the models do not fit this program: %v", err))
	}
	return j
})

// How probable it must be that a single answer is right.
const (
	leastRules  = 0.25 // of one that the rules give
	leastJudged = 0.72 // of one that they do not give
	leastSure   = 0.8  // of one whose score may say that it is sure
	mostJudged  = 0.79 // the score of what is not sure, at most
)

// rank judges how probable it is that each element worth weighing is meant.
func (w *scales) rank() *ranking {
	r := &ranking{w: w, list: w.weighed()}
	for _, i := range r.list {
		row := w.features(i)
		r.rows = append(r.rows, row)
		r.chance = append(r.chance, judges().rank.Predict(row))
	}
	return r
}

// judged returns what a description means after the rules have answered: the answer of the rules, unless it is
// probably wrong, or, where they have none, the likeliest element if that is probably right.
func (s *screen) judged(list []token, rules Answer) Answer {
	w := s.weigh(list, rules)
	if w == nil {
		return rules
	}
	r := w.rank()
	top := r.top(maxLikely)
	if len(top) == 0 {
		return rules
	}
	return r.decided(top, judges().click.Predict(r.numbers(top)))
}

// decided returns the answer when the likeliest elements are top, the first of which is right with the
// probability sure.
func (r *ranking) decided(top []int, sure float64) Answer {
	w, best := r.w, r.list[top[0]]
	one, isOne := w.strict.One()
	switch {
	case isOne && sure >= leastRules:
		if sure < leastSure {
			one.Score = min(one.Score, mostJudged)
		}
		return Answer{Matches: []Match{one}}
	case isOne && sure < leastJudged:
		nearest := one
		return Answer{Unmet: w.unmet(one.Element), Nearest: &nearest}
	case sure < leastJudged || w.isForbidden(best):
		return w.strict
	}
	m := w.s.explained(w.q, []candidate{{element: best, score: min(sure, mostJudged)}})
	m[0].Evidence = append(m[0].Evidence, w.evidence(best)...)
	return Answer{Matches: m}
}

// isForbidden reports whether an element does not show a text that was quoted.
func (w *scales) isForbidden(i int) bool {
	return slices.ContainsFunc(w.clues, func(c clue) bool {
		return c.quoted && (c.head && c.shown[i] < needText || c.most < needText)
	})
}

// unmet names the words that an element does not show, or the terms that it meets worst.
func (w *scales) unmet(i int) (names []string) {
	for n, v := range w.bagged[i].shown {
		if w.bag.weight[n] >= 0.5 && v < leastShown {
			names = append(names, w.bag.words[n])
		}
	}
	if len(names) == 0 {
		return w.s.weakest(w.q, i)
	}
	return names
}

// evidence names the concepts by which an element shows phrases of a description.
func (w *scales) evidence(i int) (list []Evidence) {
	for k := range w.bag.spans {
		sp := &w.bag.spans[k]
		if !sp.whole {
			continue
		}
		for _, id := range sp.ids {
			if v := w.s.means(i, []int{id}); v >= leastShown {
				list = append(list, Evidence{strings.Join(w.bag.words[sp.from:sp.to], " "), v, "concept " + lexicons().names[id]})
				break
			}
		}
	}
	return list
}
