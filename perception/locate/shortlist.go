package locate

import (
	"cmp"
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// Shortlist returns the elements that a description may mean, for a reader who can choose: first the
// elements of the answer of Find, then those that show the most words of the description. Among
// equals, those that fit the description best are first, then those that can be acted on, in reading
// order. The result has at most most elements, each once, with the Score 0 except for those of the
// answer.
func Shortlist(on *elements.Screen, description string, answer Answer, most int) []Match {
	s := newScreen(on)
	list := answer.Matches
	if len(list) == 0 {
		list = answer.Nearest
	}
	list = slices.Clone(list[:min(len(list), most)])
	words := tokens(description[:min(len(description), MaxDescription)])
	q := parse(s.grounded(words), 0)
	fits := make([]float64, len(s.list))
	for _, c := range s.candidates(&q) {
		fits[c.element] = c.score
	}
	var others []listed
	for i := range s.list {
		if s.thingOf(i) != i || s.list[i].Role.Holds() {
			continue
		}
		c := listed{element: i, class: s.classOf(i), fit: fits[i]}
		for _, t := range words {
			if s.shows(i, t) {
				c.words++
			}
		}
		others = append(others, c)
	}
	slices.SortStableFunc(others, func(a, b listed) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.fit, a.fit), cmp.Compare(a.class, b.class), geo.Order("", s.list[a.element].Box, s.list[b.element].Box))
	})
	for _, c := range others {
		if len(list) == most {
			break
		}
		if !slices.ContainsFunc(list, func(m Match) bool { return m.Element == c.element || s.same(m.Element, c.element) }) {
			list = append(list, Match{Element: c.element, Point: s.clickPoint(c.element)})
		}
	}
	return list
}

// listed is an element that may be on a shortlist.
type listed struct {
	element, words, class int
	fit                   float64
}

// classOf returns the class of an element on a shortlist: lower classes come first.
func (s *screen) classOf(i int) int {
	e := &s.list[i]
	named := e.Label != "" || e.Caption != "" || e.Icon() != ""
	switch {
	case e.Role.IsActedOn() && named:
		return 0
	case named:
		return 1
	case e.Role.IsActedOn():
		return 2
	}
	return 3
}
