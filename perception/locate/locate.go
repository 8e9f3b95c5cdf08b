// Package locate finds the one place on a screen that a description means,
// without a model.
//
//	screen, err := screens.Screen(ctx, perception.SourceOf(png))
//	answer := locate.Find(screen, "orange search button on the right side of the search bar")
//	if m, ok := answer.One(); ok { click(m.Point) }
//
// A description is read with lexicons of roles, colors, states, places and
// relations; what they do not hold is text. Every element gets a score that is
// the product of how well it fits each term. One that fits well, and clearly
// better than all others, is found. Where several do, it is for whoever asks to
// say which; where none does, Unmet says what is missing.
package locate

import (
	"image"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
)

// MaxDescription is how long a description may be, in bytes. What is behind is
// not read.
const MaxDescription = 1000

// Match is an element that may be meant.
type Match struct {
	Element int         // in the screen's list
	Score   float64     // 0 to 1
	Point   image.Point // where to click: in the element, and in none that is on it
}

// Answer is what a description means on a screen.
type Answer struct {
	// Matches are the elements that may be meant, the best first: one, or
	// several that fit about as well as each other, or none.
	Matches []Match

	// Unmet are the terms of the description that what fits best does not
	// meet, if there are no matches.
	Unmet []string
}

// One returns the match, if it is clear which is meant.
func (a Answer) One() (Match, bool) {
	if len(a.Matches) != 1 {
		return Match{}, false
	}
	return a.Matches[0], true
}

// Scores at which an element is meant: it fits that well, and another fits no
// better than that part of it.
const (
	leastScore = 0.3
	rivalScore = 0.8
)

// Find returns the elements of a screen that a description means.
func Find(on *elements.Screen, description string) Answer {
	q := parse(description[:min(len(description), MaxDescription)])
	if q.empty() {
		return Answer{Unmet: []string{"a description"}}
	}
	s := &screen{bounds: image.Rect(0, 0, on.Width, on.Height), list: on.Elements, unit: unitOf(on.Elements), known: map[*query]map[int]float64{}}
	for _, e := range on.Elements {
		s.labels = append(s.labels, strings.ToLower(e.Label))
	}
	all := s.matches(&q)
	if len(all) == 0 || all[0].Score < leastScore {
		return Answer{Unmet: s.unmet(&q, all)}
	}
	best := slices.IndexFunc(all, func(m Match) bool { return m.Score < rivalScore*all[0].Score })
	if best >= 0 {
		all = all[:best]
	}
	return Answer{Matches: s.chosen(&q, all)}
}

// unitOf is the pixels of a screen for one of a usual one, by its text.
func unitOf(list []elements.Element) float64 {
	var heights []int
	for _, e := range list {
		if e.Role == elements.Text {
			heights = append(heights, e.Box.Dy())
		}
	}
	if len(heights) == 0 {
		return 1
	}
	slices.Sort(heights)
	return max(1, float64(heights[len(heights)/2])/usualText)
}

// usualText is how high the box of a text is on a usual screen, in pixels.
const usualText = 18

// matches scores all elements, and leaves of those that lie in each other the
// best.
func (s *screen) matches(q *query) (kept []Match) {
	var all []Match
	for i := range s.list {
		if score := s.score(i, q); score > 0 {
			all = append(all, Match{i, score, s.clickPoint(i)})
		}
	}
	slices.SortStableFunc(all, func(a, b Match) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	for _, m := range all {
		if !slices.ContainsFunc(kept, func(k Match) bool { return s.same(k.Element, m.Element) }) {
			kept = append(kept, m)
		}
	}
	return kept
}

// same reports whether two elements are one for who clicks: one is in the
// middle of the other.
func (s *screen) same(i, j int) bool {
	a, b := s.list[i].Box, s.list[j].Box
	if isIn(b, a) < 0.8 && isIn(a, b) < 0.8 {
		return false
	}
	return middle(a).In(b) || middle(b).In(a) && s.list[i].Role != elements.Panel && s.list[j].Role != elements.Panel
}

// clickPoint returns the middle of an element, or of the widest part of it
// that nothing clickable lies on.
func (s *screen) clickPoint(i int) image.Point {
	free := s.list[i].Box
	for j := i + 1; j < len(s.list); j++ {
		e := &s.list[j]
		if e.Parent != i || plain[e.Role] < 1 || !middle(free).In(e.Box) {
			continue
		}
		left, right := free, free
		left.Max.X, right.Min.X = e.Box.Min.X, e.Box.Max.X
		if left.Dx() > right.Dx() {
			free = left
		} else if right.Dx() > 0 {
			free = right
		}
	}
	return middle(free)
}

// chosen returns the match that the query's ordinal means, if it has one.
func (s *screen) chosen(q *query, alike []Match) []Match {
	if q.ordinal == 0 {
		return alike
	}
	slices.SortStableFunc(alike, func(a, b Match) int { return s.order(q.from, s.list[a.Element].Box, s.list[b.Element].Box) })
	n := q.ordinal - 1
	if q.ordinal < 0 {
		n = len(alike) - 1
	}
	if n >= len(alike) {
		return nil
	}
	return alike[n : n+1]
}

// order compares boxes by the side that is counted from, or as one reads.
func (s *screen) order(from string, a, b image.Rectangle) int {
	p, r := middle(a), middle(b)
	switch from {
	case "left":
		return p.X - r.X
	case "right":
		return r.X - p.X
	case "top":
		return p.Y - r.Y
	case "bottom":
		return r.Y - p.Y
	}
	if p.Y < b.Min.Y || r.Y < a.Min.Y {
		return p.Y - r.Y
	}
	return p.X - r.X
}

// unmet names the terms that the nearest miss does not meet.
func (s *screen) unmet(q *query, all []Match) (terms []string) {
	if len(all) == 0 {
		for _, text := range q.quoted {
			terms = append(terms, `the text "`+text+`"`)
		}
		return append(terms, q.words...)
	}
	for _, t := range s.terms(all[0].Element, q) {
		if t.score < 0.5 {
			terms = append(terms, t.name)
		}
	}
	return terms
}
