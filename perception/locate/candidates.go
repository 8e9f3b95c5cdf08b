package locate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

const (
	rivalScore   = 0.8 // minimum share of the best score for another element that may be meant
	rivalText    = 0.6 // the same for a query for a text, which may be part of a longer one
	countedHead  = 0.4 // factor for the head of a column where a query counts
	clearlySized = 1.4 // how many times as large as the next the largest element must be
	captionGap   = 90  // maximum distance between a control and its text, in usual pixels
	columnGap    = 24  // minimum distance between the left sides of columns, in usual pixels
)

// candidates returns all elements, the best first. Elements that miss terms come last.
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

// nearest returns the elements that fit a query best: first, and those of all that are other targets and meet
// a term of it besides its kind.
func (s *screen) nearest(q *query, first candidate, all []candidate) []Match {
	meets := func(c candidate) bool {
		return slices.ContainsFunc(s.allTerms(c.element, q), func(t term) bool { return t.by != byRole && t.met > 0 && t.met >= t.need })
	}
	kept := []candidate{first}
	for _, c := range all {
		if len(kept) == MostNearest {
			break
		}
		if !slices.ContainsFunc(kept, func(k candidate) bool {
			return s.same(k.element, c.element) || s.clickPoint(k.element) == s.clickPoint(c.element)
		}) && !s.isEmptyGround(q, c.element) && meets(c) {
			kept = append(kept, c)
		}
	}
	return s.explained(q, kept)
}

// rivals returns the candidates about as good as the best, without those that are one target with a
// better one.
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

// withoutCaptions removes texts that name a control which is also a candidate, unless the query
// asks for a text.
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

// inColumn returns the candidates in the column that a query counts. Without a counted column it
// returns all.
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

// nthOf returns the index of an ordinal among n elements. ok is false if there is none, also for
// middle with an even n.
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

// chosen returns the candidates that the query's ordinal or size selects. If there are none,
// missing says why.
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
		return geo.Order(q.from, s.list[a.element].Box, s.list[b.element].Box)
	})
	n, ok := nthOf(q.ordinal, len(alike))
	if !ok {
		return nil, []string{fmt.Sprintf("number %d, of %d that fit", max(q.ordinal, -q.ordinal), len(alike))}
	}
	return alike[n : n+1], nil
}

// bySize returns the largest or smallest candidate if the query asks for it and it clearly is.
// Otherwise it returns all.
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

// withoutHeads removes heads of columns whose cells are candidates too.
func (s *screen) withoutHeads(alike []candidate) []candidate {
	return slices.DeleteFunc(slices.Clone(alike), func(c candidate) bool {
		return slices.ContainsFunc(alike, func(o candidate) bool { return s.headCell(o.element) == c.element })
	})
}

// anchors returns up to maxAnchors elements that a query may mean, the best first. It keeps the
// result in s.found.
func (s *screen) anchors(q *query) (list []scored) {
	if known, ok := s.found[q]; ok {
		return known
	}
	all := s.candidates(q)
	for _, c := range all {
		if c.misses > 0 || c.score < rivalScore*all[0].score || len(list) == maxAnchors {
			break
		}
		if role := s.list[c.element].Role; len(q.kinds) == 0 && (role.IsChecked() || role == elements.Slider || s.isSpace(c, all)) {
			continue // it is called by the text beside it, or on it
		}
		list = append(list, scored{c.element, c.score / all[0].score * math.Sqrt(math.Sqrt(all[0].score))})
	}
	if q.ordinal != 0 && len(list) > 0 {
		list = nil
		if chosen, _ := s.chosen(q, s.rivals(q, all)); len(chosen) == 1 {
			list = []scored{{chosen[0].element, 1}}
		}
	}
	s.found[q] = list
	return list
}

// isSpace reports whether a candidate is the space around a text that is nearly as good a
// candidate.
func (s *screen) isSpace(c candidate, all []candidate) bool {
	spaces := []elements.Role{elements.MenuItem, elements.Row, elements.Panel, elements.Tab, elements.Button, elements.Field, elements.Toolbar}
	if !slices.Contains(spaces, s.list[c.element].Role) {
		return false
	}
	for _, o := range all {
		if o.misses > 0 || o.score < 0.6*c.score {
			return false
		}
		if role := s.list[o.element].Role; (role == elements.Text || role == elements.Heading || role == elements.Link) && isIn(s.list[o.element].Box, s.list[c.element].Box) > 0.8 {
			return true
		}
	}
	return false
}
