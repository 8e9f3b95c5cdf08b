package locate

import (
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

func fieldsOf(text string) []string { return strings.Fields(strings.ToLower(text)) }

// Features is how many numbers the evidence of an element is.
const Features = 134

// none stands for what a description does not say.
const none = -1

// features returns the evidence of an element as numbers.
func (w *scales) features(i int) []float32 {
	f := make([]float64, 0, Features)
	a := w.aroundOf(i)
	f = append(f, w.ofClues(i, &a)...)
	f = append(f, w.ofTerms(i)...)
	f = append(f, w.ofRules(i)...)
	f = append(f, w.ofElement(i)...)
	f = append(f, w.ofBag(i)...)
	f = append(f, w.ofNearness(i, &a)...)
	f = append(f, w.ofStructure(i, &a)...)
	f = append(f, w.ofStanding(i)...)
	out := make([]float32, Features)
	for n, v := range f {
		out[n] = float32(v)
	}
	return out
}

// ofClues returns how well an element and what stands with it show the clues.
func (w *scales) ofClues(i int, a *around) []float64 {
	least, most, literal, icon, beside, unmet, nowhere, nowhereRest := 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	heads, rests, restOwn, restLine, restCard, restHead, restNear, restAny, headAny, quoted := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
	best, bestWeight, properMissing := 0.0, 0.0, 0.0
	for k := range w.clues {
		c := &w.clues[k]
		v := c.shown[i]
		line, card, head, near := w.shownAround(i, a, c)
		anyOf := max(v, line, card, head, near)
		if c.quoted {
			if c.head {
				quoted = min(quoted, v)
			} else {
				quoted = min(quoted, c.most)
			}
		}
		properMissing += is(c.proper && c.most < leastShown)
		if c.soft {
			continue
		}
		if v > best {
			best, bestWeight = v, c.literal[i]
		}
		if !c.head {
			rests++
			restOwn, restLine, restCard, restHead, restNear, restAny = restOwn+v, restLine+line, restCard+card, restHead+head, restNear+near, restAny+anyOf
			if c.most < leastShown {
				nowhereRest++
			}
			continue
		}
		heads++
		headAny += anyOf
		least, most, literal = min(least, v), max(most, v), max(literal, c.literal[i])
		switch c.by[i] {
		case byIcon:
			icon = max(icon, v)
		case byBeside:
			beside = max(beside, v)
		}
		unmet, nowhere = unmet+is(v < leastShown), nowhere+is(c.most < leastShown)
	}
	only := w.s.only(i, w.q)
	if heads == 0 {
		least, only = none, none
	}
	return []float64{
		w.own[i], w.all[i], ratioOf(w.own[i], w.mostOwn), ratioOf(w.all[i], w.mostAll), least, most, literal, icon, beside, unmet, nowhere, nowhereRest,
		heads, rests, ratioOf(restOwn, rests), ratioOf(restLine, rests), ratioOf(restCard, rests), ratioOf(restHead, rests), ratioOf(restNear, rests),
		ratioOf(restAny, rests), ratioOf(headAny, heads), quoted, best, bestWeight, only, ratioOf(headAny+restAny, heads+rests), properMissing,
	}
}

// ofBag returns how well an element shows the words, in whatever order.
func (w *scales) ofBag(i int) []float64 {
	b := &w.bagged[i]
	unmet, nowhere, heavy, best := 0.0, 0.0, 0.0, 0.0
	for n, v := range b.shown {
		if w.bag.weight[n] < 0.5 {
			continue
		}
		heavy++
		best = max(best, v)
		if v < leastShown {
			unmet++
		}
		if w.bag.most[n] < leastShown {
			nowhere++
		}
	}
	rank := none + 0.0
	if w.size != 0 {
		rank = w.s.sizeRank(i)
	}
	return []float64{b.cover, b.literal, b.phrase, b.explained, ratioOf(b.cover, w.cover), ratioOf(b.phrase, w.phrase), unmet, nowhere, heavy, best,
		w.bag.total, w.tail[i], w.size, rank, w.soft[i], ratioOf(w.soft[i], w.mostSoft), float64(min(slices.Index(w.order, i), 30)), w.gap(i), is(w.captions[i]), w.cell(i), is(w.s.namesColumn(i)), is(w.typed()), is(w.typed() && w.captions[i]), w.under[i]}
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// typed reports whether what is asked for is typed into, or set.
func (w *scales) typed() bool {
	return slices.Contains(w.q.prefer, "field") || slices.ContainsFunc(w.q.kinds, isControl)
}

// gap returns how much better an element is, softly, than the best that is not the same.
func (w *scales) gap(i int) float64 {
	for _, j := range w.order[:min(len(w.order), 40)] {
		if j != i && !w.s.same(i, j) {
			return ratioOf(w.soft[i]-w.soft[j], w.mostSoft)
		}
	}
	return ratioOf(w.soft[i], w.mostSoft)
}

// ofTerms returns how well an element meets what is not words: kind, color, state, place and relations.
func (w *scales) ofTerms(i int) []float64 {
	s, q := w.s, w.q
	kind, color, state, position, place := none+0.0, none+0.0, none+0.0, none+0.0, none+0.0
	if len(q.kinds) > 0 {
		kind, _ = s.likeKinds(i, q.kinds)
	}
	least := func(to *float64, v float64) {
		if *to == none || v < *to {
			*to = v
		}
	}
	for _, c := range q.colors {
		met, _ := s.hasColor(i, c, slices.Contains(q.kinds, "button"))
		least(&color, met)
	}
	for _, st := range q.states {
		least(&state, s.isIn(i, st))
	}
	for _, p := range q.positions {
		least(&position, s.at(geo.Center(s.list[i].Box), p))
	}
	for _, p := range q.places {
		least(&place, s.inPlace(i, p))
	}
	relation, mean, known := none+0.0, none+0.0, none+0.0
	for r := range q.relations {
		met := s.relations[&q.relations[r]]
		if met == nil {
			continue
		}
		least(&relation, met[i])
		mean = max(mean, 0) + met[i]/float64(len(q.relations))
		top := 0.0
		for _, v := range met {
			top = max(top, v)
		}
		least(&known, top)
	}
	ordinal := 0.0
	if q.ordinal != 0 {
		ordinal = 1
	}
	sorts := none + 0.0
	for _, n := range q.nouns {
		if n != unsure {
			least(&sorts, s.isSort(i, n))
		}
	}
	return []float64{kind, color, state, position, place, relation, mean, known, ordinal, w.counted[i].part, w.counted[i].size, sorts}
}

// ofRules returns what the rules say of an element.
func (w *scales) ofRules(i int) []float64 {
	c := w.scores[i]
	among, matches, near := 0.0, float64(min(len(w.strict.Matches), 9)), 0.0
	score := 0.0
	for _, m := range w.strict.Matches {
		if m.Element == i || w.s.same(m.Element, i) {
			among, score = 1, max(score, m.Score)
		}
	}
	if n := w.strict.Nearest; n != nil && (n.Element == i || w.s.same(n.Element, i)) {
		near = 1
	}
	share := 0.0
	if c.misses == 0 {
		share = ratioOf(c.score, w.best)
	}
	return []float64{c.score, float64(min(c.misses, 5)), share, among, matches, near, score, w.s.preferred(i, w.q)}
}

// ofElement returns what an element is like, whatever is asked.
func (w *scales) ofElement(i int) []float64 {
	s := w.s
	e := &s.list[i]
	icon := 0.0
	if len(e.Icons) > 0 {
		icon = e.Icons[0].Score
	}
	bool01 := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	kindOf := func(roles ...elements.Role) float64 { return bool01(slices.Contains(roles, e.Role)) }
	return []float64{
		plain[e.Role], s.part(e.Box), float64(e.Box.Dx()) / s.unit, float64(e.Box.Dy()) / s.unit, icon, float64(min(len(s.words[i]), 12)),
		kindOf(elements.Text, elements.Heading), kindOf(elements.Icon, elements.IconButton), kindOf(elements.Field, elements.SearchBox, elements.TextArea, elements.Dropdown),
		kindOf(elements.Panel, elements.Row, elements.Picture, elements.Toolbar, elements.Sidebar, elements.Dialog), bool01(e.Role.IsChecked()), bool01(s.isEmptyGround(w.q, i)),
		kindOf(elements.Button, elements.Link, elements.MenuItem, elements.Tab), bool01(isTarget(e.Role)),
		bool01(len(w.q.relations) > 0), bool01(len(w.q.kinds) > 0), bool01(len(w.q.words)+len(w.q.texts) == 0),
	}
}

// count finds the elements with the number that is asked for, in each row and column of what fits.
func (w *scales) count(list []candidate) {
	w.counted = map[int]share{}
	q, s := w.q, w.s
	if q.ordinal == 0 {
		return
	}
	var alike []int
	for _, c := range list {
		if c.misses == 0 && c.score >= 0.6*w.best && len(alike) < 150 && !slices.ContainsFunc(alike, func(o int) bool { return s.same(o, c.element) }) {
			alike = append(alike, c.element)
		}
	}
	w.countAmong(alike, 1)
	w.countUnder()
	var rows []int
	for i := range s.list {
		if s.list[i].Role == elements.Row {
			rows = append(rows, i)
		}
	}
	if len(q.kinds) == 0 && len(rows) > 2 {
		w.countAmong(rows, 0.8)
	}
}

// countUnder finds what has the number asked for below a heading that a relation names.
func (w *scales) countUnder() {
	s, q := w.s, w.q
	for r := range q.relations {
		if k := q.relations[r].kind; k != belongs && k != in && k != under {
			continue
		}
		for _, a := range s.anchors(&q.relations[r].anchors[0]) {
			if role := s.list[a.element].Role; role != elements.Text && role != elements.Heading && role != elements.Link {
				continue
			}
			head := s.list[a.element].Box
			var below []int
			for i := range s.list {
				b := s.list[i].Box
				if b.Min.Y < head.Max.Y-2 || !s.near(b.Min.X-head.Min.X, 70) || s.headed(i, a.element) || plain[s.list[i].Role] < 0.6 ||
					slices.ContainsFunc(below, func(o int) bool { return s.same(o, i) || geo.SameLine(s.list[o].Box, b) }) {
					continue
				}
				below = append(below, i)
			}
			slices.SortStableFunc(below, func(a, b int) int { return s.list[a].Box.Min.Y - s.list[b].Box.Min.Y })
			if n, ok := nthOf(q.ordinal, len(below)); ok {
				w.under[below[n]] = a.score
			}
		}
	}
}

// countAmong raises the shares of the elements that have the number asked for in their row or column.
func (w *scales) countAmong(alike []int, worth float64) {
	s, q := w.s, w.q
	for _, i := range alike {
		for _, in := range []func(a, b int) bool{
			func(a, b int) bool { return geo.SameLine(s.list[a].Box, s.list[b].Box) },
			func(a, b int) bool { return s.inOneColumn(s.list[a].Box, s.list[b].Box) },
			func(_, _ int) bool { return true },
		} {
			var group []int
			for _, j := range alike {
				if in(i, j) && s.near(s.list[i].Box.Dy()-s.list[j].Box.Dy(), seriesHigh) {
					group = append(group, j)
				}
			}
			slices.SortStableFunc(group, func(a, b int) int { return s.order(q.from, s.list[a].Box, s.list[b].Box) })
			if n, ok := nthOf(q.ordinal, len(group)); ok && group[n] == i && len(group) > 1 {
				if part := worth * float64(len(group)) / float64(len(alike)); part > w.counted[i].part {
					w.counted[i] = share{part, float64(min(len(group), 20))}
				}
			}
		}
	}
}
