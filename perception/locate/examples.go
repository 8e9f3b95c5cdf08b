package locate

import (
	"image"

	"github.com/windieos/windie/perception/elements"
)

// Example is what is known of the elements that a description may mean, to learn from.
type Example struct {
	Elements []int       // the likeliest first
	Rows     [][]float32 // their evidence as numbers
	Rules    Answer      // of the rules alone
	scales   *scales
}

// NewExample weighs what a description may mean on a screen.
func NewExample(on *elements.Screen, description string) Example {
	list := tokens(description[:min(len(description), MaxDescription)])
	s := newScreen(on)
	list = s.marked(s.withoutNot(list))
	rules := s.byRules(list)
	w := s.weigh(list, rules)
	if w == nil {
		return Example{Rules: rules}
	}
	e := Example{Elements: w.weighed(), Rules: rules, scales: w}
	for _, i := range e.Elements {
		e.Rows = append(e.Rows, w.features(i))
	}
	return e
}

// weigh prepares to weigh what a description may mean; nil if it says nothing.
func (s *screen) weigh(list []token, rules Answer) *scales {
	if thing, _, isVerb := withoutVerb(list); isVerb {
		_, kinds, _ := withoutVerb(list)
		q := attach(s.grounded(thing, true), 0, false)
		q.prefer = kinds
		return s.newScales(&q, s.candidates(&q), list, rules)
	}
	q := attach(s.grounded(list, true), 0, false)
	if q.empty() {
		return nil
	}
	return s.newScales(&q, s.candidates(&q), list, rules)
}

// Decide returns what the decision is made by, of the chances of the elements.
func (e *Example) Decide(chance []float64) ([]float32, []int) {
	if e.scales == nil {
		return make([]float32, Decisions), nil
	}
	r := ranking{w: e.scales, list: e.Elements, rows: e.Rows, chance: chance}
	top := r.top(maxLikely)
	return r.numbers(top), top
}

// Answer returns the point of the single answer, if there is one, when the elements have these chances, the
// likeliest are top, the first is right with the probability sure, and several are with the probability alike; or
// else how many rivals there are.
func (e *Example) Answer(chance []float64, sure, alike float64) (p image.Point, single bool, rivals int) {
	a := e.Rules
	if e.scales != nil {
		r := ranking{w: e.scales, list: e.Elements, rows: e.Rows, chance: chance}
		if top := r.top(maxLikely); len(top) > 0 {
			a = r.decided(top, sure, alike)
		}
	}
	m, single := a.One()
	return m.Point, single, len(a.Matches)
}
