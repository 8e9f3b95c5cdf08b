// Package locate finds the one place on a screen that a description means,
// without a model.
//
//	screen, err := screens.Screen(ctx, perception.SourceOf(png))
//	answer := locate.Find(screen, "orange search button on the right side of the search bar")
//	if m, ok := answer.One(); ok { click(m.Point) }
//
// A description is read with lexicons of kinds, colors, states, places and relations; other words
// are text, or the name of an icon. An element's rank is the product of how well it meets each
// term. An element is found if it meets each term well enough and is clearly better than all
// others: a wrong point is worse than no point. If several are as good, Hint distinguishes them; if
// none is, Unmet says what is missing.
package locate

import (
	"cmp"
	"fmt"
	"image"
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// MaxDescription is how long a description may be, in bytes. The rest is not read.
const MaxDescription = 1000

// Match is an element that may be meant.
type Match struct {
	Element  int         // in the screen's list
	Score    float64     // 0 to 1
	Point    image.Point // where to click: in the element, and in none that is on it
	Evidence []Evidence  // by term, in the order of the description's parts

	// Hint distinguishes it from other matches, in words that can be added to the
	// description: `the second from the top`, `in the row of "Boris"`.
	Hint string
}

// Evidence is how well an element meets one term of a description.
type Evidence struct {
	Term string  // as `the text "Save"`, "orange", "right of"
	Met  float64 // 0 to 1
	By   string  // what of the element does, as `label "Save all"` or "icon search"; empty if nothing
}

// Answer is what a description means on a screen.
type Answer struct {
	Matches []Match  // that may be meant, the best first; several fit about equally well
	Unmet   []string // terms that the nearest miss does not meet, if there are no matches
	Nearest *Match   // the nearest miss, if there are no matches; nil if nothing fits at all
}

// One returns the match, if it is clear which is meant.
func (a Answer) One() (Match, bool) {
	if len(a.Matches) != 1 {
		return Match{}, false
	}
	return a.Matches[0], true
}

const (
	leastScore   = 0.52 // of what is answered
	mostUnnamed  = 0.79 // of what is called by no text and no word of its own
	rivalScore   = 0.8  // of the best score, at least, for another element that may be meant
	rivalText    = 0.6  // the same where a word is asked for, which may stand in a longer text
	countedHead  = 0.4  // how much the name of a column counts where things are counted
	clearlySized = 1.4  // how many times as large as the next the largest thing is
	captionGap   = 90   // how far the text of a control is from it at most, if the two are one thing, in usual pixels
	columnGap    = 24   // the least distance between the left sides of columns, in usual pixels
)

// Find returns the elements that a description means, in less than 5 ms for 300 elements.
func Find(on *elements.Screen, description string) Answer {
	said := tokens(description[:min(len(description), MaxDescription)])
	s := newScreen(on)
	list := s.marked(s.withoutNot(said))
	return s.withoutDenied(list, s.byName(said, s.answer(list)))
}

// answer returns what words mean: as they are, or else without the verb that they begin with.
func (s *screen) answer(list []token) Answer {
	q := parse(s.grounded(list), 0)
	a := s.read(&q)
	thing, prefer, isVerb := withoutVerb(list)
	if len(a.Matches) > 0 || !isVerb {
		return a
	}
	q = parse(s.grounded(thing), 0)
	q.prefer = prefer
	return s.read(&q)
}

// candidate is an element that a query may mean.
type candidate struct {
	element int
	score   float64 // of how well it meets all terms
	misses  int     // the terms it does not meet
}

// read finds what a query means.
func (s *screen) read(q *query) Answer {
	if q.empty() {
		return Answer{Unmet: []string{"a description"}}
	}
	all := s.candidates(q)
	if len(all) == 0 {
		return Answer{Unmet: s.unmet(q, nil)}
	}
	chosen, missing := s.chosen(q, s.inColumn(q, s.rivals(q, all)))
	if len(chosen) == 0 {
		return Answer{Unmet: append(s.unmet(q, &all[0]), missing...), Nearest: &s.explained(q, all[:1])[0]}
	}
	best := &chosen[0]
	if len(chosen) == 1 && s.isEmptyGround(q, best.element) {
		best.element = s.onlyLeaf(best.element)
	}
	if best.score < leastScore || s.isEmptyGround(q, best.element) { // a wrong point is worse than none
		return Answer{Unmet: s.weakest(q, best.element), Nearest: &s.explained(q, chosen[:1])[0]}
	}
	if len(q.texts)+len(q.words) == 0 { // known by its kind, place or state alone
		for i := range chosen {
			chosen[i].score = min(chosen[i].score, mostUnnamed)
		}
	}
	return Answer{Matches: s.explained(q, chosen)}
}

// candidates returns all elements, the best first, and those that miss terms last.
func (s *screen) candidates(q *query) []candidate {
	list, likely, best := make([]candidate, len(s.list)), make([]bool, len(s.list)), 0.0
	for i := range s.list {
		c := candidate{element: i, score: s.prior(i, q) * s.preferred(i, q)}
		s.terms(i, q, func(t term) { c.add(t.met, t.need) })
		if q.ordinal != 0 && !slices.Contains(q.kinds, "column header") && !slices.Contains(q.kinds, "heading") && s.namesColumn(i) {
			c.score *= countedHead
		}
		if list[i] = c; c.misses == 0 {
			best = max(best, c.score)
		}
	}
	for i, c := range list {
		likely[i] = c.misses == 0 && c.score >= 0.6*best
	}
	for r := range q.relations {
		met := s.related(q, &q.relations[r], likely)
		s.relations[&q.relations[r]] = met
		for i := range list {
			list[i].add(met[i], needRelation)
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(min(a.misses, 1), min(b.misses, 1)), cmp.Compare(b.score, a.score))
	})
	return list
}

func (c *candidate) add(met, need float64) {
	c.score *= max(met, floor)
	if met < need {
		c.misses++
	}
}

// rivals returns the candidates about as good as the best, none in another.
func (s *screen) rivals(q *query, all []candidate) (kept []candidate) {
	least := rivalScore
	if slices.Equal(q.kinds, []string{"text"}) {
		least = rivalText
	}
	for _, c := range all {
		if c.misses > 0 || c.score < least*all[0].score {
			break
		}
		if !slices.ContainsFunc(kept, func(k candidate) bool { return s.same(k.element, c.element) }) {
			kept = append(kept, c)
		}
	}
	return s.withoutCaptions(q, kept)
}

// withoutCaptions leaves out texts that say what a control is for that may be meant as well, unless a text is asked for.
func (s *screen) withoutCaptions(q *query, kept []candidate) []candidate {
	if len(kept) < 2 || slices.Contains(q.kinds, "text") || slices.Contains(q.kinds, "heading") {
		return kept
	}
	controls := slices.Clone(kept)
	return slices.DeleteFunc(kept, func(c candidate) bool {
		role := s.list[c.element].Role
		return (role == elements.Text || role == elements.Heading || role == elements.Link) && slices.ContainsFunc(controls, func(o candidate) bool {
			return s.beside[o.element] != "" && s.beside[o.element] == s.labels[c.element] &&
				gapOf(s.list[o.element].Box, s.list[c.element].Box) < captionGap*s.unit
		})
	})
}

// inColumn returns the candidates in the column that a query means, or all.
func (s *screen) inColumn(q *query, alike []candidate) []candidate {
	if q.column == 0 || len(alike) == 0 {
		return alike
	}
	var columns [][]candidate
	slices.SortStableFunc(alike, func(a, b candidate) int { return s.list[a.element].Box.Min.X - s.list[b.element].Box.Min.X })
	for n, c := range alike {
		if n == 0 || float64(s.list[c.element].Box.Min.X-s.list[alike[n-1].element].Box.Min.X) > columnGap*s.unit {
			columns = append(columns, nil)
		}
		columns[len(columns)-1] = append(columns[len(columns)-1], c)
	}
	if n, ok := nthOf(q.column, len(columns)); ok {
		return columns[n]
	}
	return nil
}

// middle is the ordinal of the one in the middle.
const middle = 1 << 20

// nthOf returns the index of an ordinal, -1 for the last, among n things.
func nthOf(ordinal, n int) (index int, ok bool) {
	index = ordinal - 1
	switch {
	case ordinal == middle:
		return n / 2, n%2 == 1
	case ordinal < 0:
		index = n + ordinal
	}
	return index, index >= 0 && index < n
}

// chosen returns the candidates that the query's ordinal means, and what is missing.
func (s *screen) chosen(q *query, alike []candidate) (list []candidate, missing []string) {
	if q.ordinal == 0 || len(alike) == 0 {
		return s.bySize(q, alike), nil
	}
	alike = s.withoutHeads(alike)
	if q.menus {
		alike = s.menuBar(alike)
	}
	outermost := q.from != "" && q.ordinal == 1
	if !outermost && !s.isOneText(alike) {
		alike = s.series(q, alike)
	}
	if len(alike) == 0 {
		return nil, []string{"one row or column to count in"}
	}
	slices.SortStableFunc(alike, func(a, b candidate) int {
		return s.order(q.from, s.list[a.element].Box, s.list[b.element].Box)
	})
	n, ok := nthOf(q.ordinal, len(alike))
	if !ok {
		return nil, []string{fmt.Sprintf("number %d, of %d that fit", max(q.ordinal, -q.ordinal), len(alike))}
	}
	return alike[n : n+1], nil
}

// bySize returns the largest or the smallest candidate, if a description asks for it and it clearly is, or all.
func (s *screen) bySize(q *query, alike []candidate) []candidate {
	if q.size == 0 || len(alike) < 2 {
		return alike
	}
	sorted := slices.Clone(alike)
	slices.SortStableFunc(sorted, func(a, b candidate) int {
		return -int(q.size) * (s.sizeOf(a.element) - s.sizeOf(b.element))
	})
	first, next := float64(s.sizeOf(sorted[0].element)), float64(s.sizeOf(sorted[1].element))
	if q.size > 0 && first > clearlySized*next || q.size < 0 && next > clearlySized*first {
		return sorted[:1]
	}
	return alike
}

// withoutHeads leaves out the names of columns whose cells are meant as well.
func (s *screen) withoutHeads(alike []candidate) []candidate {
	return slices.DeleteFunc(slices.Clone(alike), func(c candidate) bool {
		return slices.ContainsFunc(alike, func(o candidate) bool { return s.headCell(o.element) == c.element })
	})
}

// order compares boxes from a side, or in reading order.
func (s *screen) order(from string, a, b image.Rectangle) int {
	p, r := geo.Center(a), geo.Center(b)
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
