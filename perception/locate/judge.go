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
	//go:embed several.trees
	severalModel []byte
)

// judges are the models: how probable it is that an element is meant, that the likeliest one is right, and that
// several are meant.
var judges = sync.OnceValue(func() (j struct{ rank, click, several *trees.Model }) {
	var err error
	if j.rank, err = trees.Decode(rankModel, Features); err == nil {
		j.click, err = trees.Decode(clickModel, Decisions)
	}
	if err == nil {
		j.several, err = trees.Decode(severalModel, Decisions)
	}
	if err != nil {
		panic(fmt.Sprintf("locate: the models do not fit this program: %v", err))
	}
	return j
})

// How probable it must be that a single answer is right.
const (
	leastRules  = 0.4  // of one that the rules give
	leastJudged = 0.75 // of one that they do not give
	leastSure   = 0.8  // of one whose score may say that it is sure
	leastAlike  = 0.12 // that several are meant, where nothing else is answered
	leastUnseen = 0.4  // the same where a word is shown by nothing
	alikePart   = 0.35 // how likely another one is at least, of the likeliest, if several are meant
	mostJudged  = 0.79 // the score of what is not sure, at most
)

// rank judges how probable it is that each element worth weighing is meant.
func (w *scales) rank() *ranking {
	r := &ranking{w: w, list: w.weighed()}
	var scores []float64
	for _, i := range r.list {
		row := w.features(i)
		r.rows = append(r.rows, row)
		scores = append(scores, judges().rank.Score(row))
	}
	r.chance = trees.Among(scores)
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
	numbers := r.numbers(top)
	return r.decided(top, judges().click.Predict(numbers), judges().several.Predict(numbers))
}

// decided returns the answer when the likeliest elements are top, the first of which is right with the
// probability sure, and several are with the probability alike.
func (r *ranking) decided(top []int, sure, alike float64) Answer {
	w, best := r.w, r.list[top[0]]
	one, isOne := w.strict.One()
	switch {
	case isOne && w.q.column != 0 || w.isTwin(best): // the models know of neither
		return w.strict
	case isOne && sure >= leastRules && (one.Element == best || w.s.same(one.Element, best)):
		if sure < leastSure {
			one.Score = min(one.Score, mostJudged)
		}
		return Answer{Matches: []Match{one}}
	case sure < leastJudged || w.isForbidden(best):
		if len(w.strict.Matches) < 2 && alike >= leastAlike {
			if several := r.several(top, alike); len(several) > 1 {
				return Answer{Matches: w.s.explained(w.q, several)}
			}
		}
		if isOne {
			return Answer{Unmet: w.unmet(one.Element), Nearest: &one}
		}
		return w.strict
	}
	m := w.s.explained(w.q, []candidate{{element: best, score: min(sure, mostJudged)}})
	m[0].Evidence = append(m[0].Evidence, w.evidence(best)...)
	return Answer{Matches: m}
}

// isTwin reports whether the rules found several that say the same as an element.
func (w *scales) isTwin(i int) bool {
	return w.s.labels[i] != "" && slices.ContainsFunc(w.strict.Matches, func(m Match) bool { return m.Element == i }) &&
		slices.ContainsFunc(w.strict.Matches, func(m Match) bool {
			return m.Element != i && w.s.labels[m.Element] == w.s.labels[i] && !w.s.same(i, m.Element)
		})
}

// several returns the likeliest elements that are about as likely as the first, if they show all that is asked for.
// What is counted is one thing: there is no such number, or the rules would have found it.
func (r *ranking) several(top []int, alike float64) (list []candidate) {
	w := r.w
	for n, word := range w.bag.most {
		if w.bag.weight[n] >= 0.5 && word < leastShown && alike < leastUnseen {
			return nil
		}
	}
	for _, n := range top {
		if w.q.ordinal == 0 && r.sum[n] >= alikePart*r.sum[top[0]] && w.mayBe(r.list[n]) {
			list = append(list, candidate{element: r.list[n], score: min(r.sum[n], mostJudged)})
		}
	}
	return list
}

// mayBe reports whether an element has the colors and states that are asked for, and shows what was quoted.
func (w *scales) mayBe(i int) bool {
	for _, c := range w.q.colors {
		if met, _ := w.s.hasColor(i, c, slices.Contains(w.q.kinds, "button")); met < needColor {
			return false
		}
	}
	return !w.isForbidden(i) && !slices.ContainsFunc(w.q.states, func(state string) bool { return w.s.isIn(i, state) < needState })
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
