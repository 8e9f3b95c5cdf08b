package locate

import (
	"fmt"
	"image"
	"strings"
)

// name returns the term as Evidence.Term and Answer.Unmet show it. The text is not escaped.
func (t term) name() string {
	switch t.what {
	case "":
		return t.about
	case "the text":
		return `the text "` + t.about + `"`
	}
	return t.what + " " + t.about
}

// allTerms returns the terms of a query for one element, including its relations.
func (s *screen) allTerms(i int, q *query) (list []term) {
	s.terms(i, q, func(t term) { list = append(list, t) })
	for r := range q.relations {
		list = append(list, term{"", q.relations[r].said, s.relations[&q.relations[r]][i], needRelation, byPlace})
	}
	return list
}

// explained converts candidates to matches, with their evidence.
func (s *screen) explained(q *query, list []candidate) []Match {
	out := make([]Match, len(list))
	for n, c := range list {
		out[n] = Match{Element: c.element, Score: c.score, Point: s.clickPoint(c.element)}
		for _, t := range s.allTerms(c.element, q) {
			out[n].Evidence = append(out[n].Evidence, Evidence{t.name(), t.met, s.shown(c.element, q, t)})
		}
	}
	return out
}

// shown names the property of an element that meets a term. It returns "" if none does.
func (s *screen) shown(i int, q *query, t term) string {
	e := &s.list[i]
	if t.met == 0 {
		return ""
	}
	switch t.by {
	case byLabel:
		return fmt.Sprintf("label %q", e.Label)
	case byUnder:
		return "the heading above"
	case byBeside:
		return fmt.Sprintf("caption %q", s.beside[i])
	case byIcon:
		for _, c := range e.Icons {
			if q.icons[c.Name] > 0 {
				return "icon " + c.Name
			}
		}
	case byRole:
		return "role " + string(e.Role)
	case byFill, byInk, byBorder:
		return string(t.by)
	case byState:
		return "state " + t.about
	case byPlace:
		return fmt.Sprintf("box %v", e.Box)
	}
	return ""
}

// unmet names the terms that the nearest miss does not meet. Without a nearest miss it names all
// terms.
func (s *screen) unmet(q *query, nearest *candidate) (names []string) {
	if nearest == nil {
		return s.said(q)
	}
	for _, t := range s.allTerms(nearest.element, q) {
		if t.met < t.need {
			names = append(names, t.name())
		}
	}
	return names
}

// weakest names the terms that an element meets worst, within 0.1.
func (s *screen) weakest(q *query, i int) (names []string) {
	least := 1.0
	terms := s.allTerms(i, q)
	for _, t := range terms {
		least = min(least, t.met)
	}
	for _, t := range terms {
		if t.met <= least+0.1 {
			names = append(names, t.name())
		}
	}
	return names
}

// said names all terms of a query except places and relations.
func (s *screen) said(q *query) (names []string) {
	for _, t := range q.texts {
		names = append(names, term{what: "the text", about: t.text}.name())
	}
	if len(q.words) > 0 {
		names = append(names, strings.Join(q.words, " "))
	}
	names = append(names, q.kinds...)
	for _, c := range q.colors {
		names = append(names, c.String())
	}
	return append(names, q.states...)
}

// Match is an element that may be the described element.
type Match struct {
	// Element is the index of the element in the screen's list of elements.
	Element int
	// Score says how well the element fits the description, 0..1.
	Score float64
	// Point is the point to click. It is inside the element, and outside of smaller elements that
	// are on it.
	Point image.Point
	// Evidence has one entry for each term of the description, in the order of the description.
	Evidence []Evidence
}

// Evidence says how well an element meets one term of a description.
type Evidence struct {
	Term string  // a term of the description, for example `the text "Save"`, "orange" or "right of"
	Met  float64 // how well the element meets the term, 0..1
	// By is the property that meets the term, for example `label "Save all"` or "icon search". It
	// is empty if no property meets the term.
	By string
}

// Answer has the elements of a screen that match a description.
type Answer struct {
	// Matches has the best match first. If there are several matches, they fit about equally well.
	Matches []Match
	// Unmet has the terms that the first of Nearest does not meet. It is set only if there are no matches.
	Unmet []string
	// Nearest has the elements that fit best if there are no matches, at most MostNearest, the best first.
	// It is empty if nothing fits at all.
	Nearest []Match
}

// MostNearest is the maximum number of elements of Answer.Nearest.
const MostNearest = 5

// One returns the only match. If there is no match or more than one, it returns false.
func (a Answer) One() (Match, bool) {
	if len(a.Matches) != 1 {
		return Match{}, false
	}
	return a.Matches[0], true
}
