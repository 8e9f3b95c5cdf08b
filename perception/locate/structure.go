package locate

import (
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// How well groups and neighbours fit what is asked.
const (
	unnamedGroup = 0.3  // a group of which no word says what it holds
	otherGroup   = 0.15 // a group of another kind
	nextFade     = 0.55 // how much less the next but one in a direction is meant
	leastAnchor  = 0.35 // how well what a relation names is shown, at least
	maxDate      = 24   // bytes of a date
	mostNeighbor = 400  // how far away a neighbour is at most, in usual pixels
)

// structure is how elements stand to what a description names, softly: nothing need be understood in full.
type structure struct {
	nth, related, value, names []float64
	mostNth, mostRelated       float64
}

// structured finds it.
func (w *scales) structured() *structure {
	n := len(w.s.list)
	x := &structure{nth: make([]float64, n), related: make([]float64, n), value: make([]float64, n), names: make([]float64, n)}
	if w.q.ordinal != 0 {
		w.addNth(x.nth)
	}
	w.addExtremes(x.nth)
	if len(w.q.relations) > 0 {
		w.addRelated(x.related)
	}
	w.addValues(x.value, x.names)
	for i := range x.nth {
		x.mostNth, x.mostRelated = max(x.mostNth, x.nth[i]), max(x.mostRelated, x.related[i])
	}
	return x
}

// cover returns how well an element shows words, whatever it says besides.
func (w *scales) covers(i int, b *bag) float64 {
	if b.total == 0 {
		return 0
	}
	r := w.s.bag(i, b)
	return r.cover * (0.6 + 0.4*max(0, r.explained))
}

// addNth raises what has the number asked for in a group, as well as the group fits.
func (w *scales) addNth(out []float64) {
	s, q := w.s, w.q
	names := newBag(tokensOf(q.words))
	for _, t := range q.texts {
		if t.seen {
			names = newBag(tokensOf(append(slices.Clone(q.words), strings.Fields(t.text)...)))
		}
	}
	for g := range s.findGroups() {
		x := &s.grouped[g]
		members := x.members
		if s.headCell(members[0]) < 0 && len(members) > 2 && s.namesColumn(members[0]) && !x.row && !slices.Contains(q.kinds, "column header") {
			members = members[1:] // the name of a column is none of its cells
		}
		if q.from == "right" || q.from == "bottom" {
			members = slices.Clone(members)
			slices.Reverse(members)
		}
		n, ok := nthOf(q.ordinal, len(members))
		if !ok {
			continue
		}
		fit := w.groupFits(x, names) * (0.5 + 0.5*min(1, float64(len(members))/4))
		out[members[n]] = max(out[members[n]], fit)
	}
	for i := range out { // what is on it, too
		if t := s.thingOf(i); t != i {
			out[i] = max(out[i], 0.95*out[t])
		}
	}
}

func tokensOf(words []string) (list []token) {
	for _, w := range words {
		list = append(list, token{text: w})
	}
	return list
}

// groupFits returns how well a group is of what is counted, and where it is asked for.
func (w *scales) groupFits(g *group, names *bag) float64 {
	s, q := w.s, w.q
	fit := 1.0
	if len(q.kinds) > 0 {
		sum := 0.0
		for _, i := range g.members {
			like, _ := s.likeKinds(i, q.kinds)
			sum += like
		}
		fit *= max(otherGroup, sum/float64(len(g.members)))
	}
	if names.total > 0 {
		best := 0.0
		for _, i := range []int{g.above, s.headCell(g.members[0])} {
			if i >= 0 {
				best = max(best, w.covers(i, names))
			}
		}
		sum := 0.0
		for _, i := range g.members {
			sum += s.bag(i, names).cover
		}
		fit *= max(unnamedGroup, best, sum/float64(len(g.members)))
	}
	for _, p := range q.places {
		sum := 0.0
		for _, i := range g.members {
			sum += s.inPlace(i, p)
		}
		fit *= 0.2 + 0.8*sum/float64(len(g.members))
	}
	for r := range q.relations {
		best := 0.0
		for _, i := range []int{g.above, s.headCell(g.members[0])} {
			if i >= 0 {
				best = max(best, w.covers(i, newBag(tokensOf(q.relations[r].anchors[0].said))))
			}
		}
		met := s.relations[&q.relations[r]]
		sum := 0.0
		for _, i := range g.members {
			if met != nil {
				sum += max(met[i], 0.7*w.tail[i])
			}
		}
		fit *= max(unnamedGroup, best, sum/float64(len(g.members)))
	}
	return fit
}

// extremes are words for the largest or smallest of numbers.
var extremes = expand(map[string]float64{
	"highest|largest|biggest|greatest|most expensive|most|longest|latest|newest": 1, "lowest|smallest|least|cheapest|fewest|shortest|earliest|oldest": -1,
})

// addExtremes raises the largest or smallest number of each column, if that is asked for.
func (w *scales) addExtremes(out []float64) {
	s := w.s
	sign := 0.0
	for _, word := range w.bag.words {
		if v := extremes[word]; v != 0 {
			sign = v
		}
	}
	if sign == 0 {
		return
	}
	for g := range s.findGroups() {
		x := &s.grouped[g]
		best, at, n := math.Inf(-1), -1, 0
		for _, i := range x.members {
			if v, ok := numberOf(s.labels[i]); ok {
				if n++; sign*v > best {
					best, at = sign*v, i
				}
			}
		}
		if at < 0 || x.row || 3*n < 2*len(x.members) {
			continue
		}
		fit := 0.4
		for _, i := range []int{x.above, s.headCell(at)} {
			if i >= 0 {
				fit = max(fit, w.bagged[i].best())
			}
		}
		out[at] = max(out[at], fit)
	}
}

// numberOf returns the number that a text is.
func numberOf(label string) (float64, bool) {
	text := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9' || r == '.' || r == '-':
			return r
		case r == '−' || r == '–':
			return '-'
		case r == ',' || r == '\'' || r == ' ' || r == '$' || r == '€' || r == '£' || r == '%':
			return -1
		}
		return 'x'
	}, label)
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// addRelated raises what stands to what a relation names as it says, the nearest most.
func (w *scales) addRelated(out []float64) {
	s, q := w.s, w.q
	for i := range out {
		out[i] = 1
	}
	for r := range q.relations {
		met := make([]float64, len(out))
		for a := range q.relations[r].anchors {
			one := make([]float64, len(out))
			for _, at := range w.anchorsOf(&q.relations[r].anchors[a]) {
				w.neighbors(&q.relations[r], at, one)
			}
			for i, v := range one {
				if a == 0 {
					met[i] = v
				} else {
					met[i] = min(met[i], v)
				}
			}
		}
		for i, v := range met {
			out[i] *= v
		}
	}
	for i := range out {
		if t := s.thingOf(i); t != i {
			out[i] = max(out[i], 0.95*out[t])
		}
	}
}

// anchorsOf returns the things that show the words of what a relation names.
func (w *scales) anchorsOf(q *query) (list []scored) {
	s := w.s
	if q.ordinal != 0 || len(q.said) == 0 {
		return s.anchors(q)
	}
	b := newBag(tokensOf(q.said))
	most := 0.0
	for i := range s.list {
		if slices.Contains(holders, s.list[i].Role) {
			continue
		}
		v := w.covers(i, b)
		if len(q.kinds) > 0 && v > 0 {
			like, _ := s.likeKinds(i, q.kinds)
			v *= 0.7 + 0.3*like
		}
		if v >= leastAnchor {
			list = append(list, scored{s.thingOf(i), v})
			most = max(most, v)
		}
	}
	for _, a := range s.anchors(q) {
		list = append(list, scored{s.thingOf(a.element), a.score})
		most = max(most, a.score)
	}
	slices.SortStableFunc(list, func(a, b scored) int {
		if a.score > b.score {
			return -1
		}
		return 1
	})
	list = slices.CompactFunc(list, func(a, b scored) bool { return a.element == b.element })
	for n := range list {
		if list[n].score < 0.8*most || n == maxAnchors/2 {
			return list[:n]
		}
	}
	return list
}

// neighbors raises what stands to an anchor as a relation says: the next in the direction, or all that is with it.
func (w *scales) neighbors(r *relation, a scored, out []float64) {
	s, q := w.s, w.q
	at := s.list[a.element].Box
	type next struct {
		i   int
		gap float64
	}
	var list []next
	for _, i := range s.things() {
		b := s.list[i].Box
		if i == a.element || isIn(at, b) > 0.8 && r.kind != having {
			continue
		}
		gap, ok := s.toward(r.kind, b, at)
		if !ok || gap > mostNeighbor*s.unit {
			continue
		}
		if len(q.kinds) > 0 {
			if like, _ := s.likeKinds(i, q.kinds); like < needRole {
				continue
			}
		}
		list = append(list, next{i, gap})
	}
	slices.SortStableFunc(list, func(x, y next) int { return int(x.gap) - int(y.gap) })
	worth := a.score
	directed := r.kind != in && r.kind != belongs && r.kind != inRow && r.kind != having && r.kind != inCard && r.kind != inColumn
	for n, x := range list {
		if n > 8 && directed {
			break
		}
		v := worth
		if !directed {
			v = a.score * math.Exp(-x.gap/(250*s.unit))
		}
		out[x.i] = max(out[x.i], v)
		worth *= nextFade
	}
}

// isDirected holds the relations that say in which direction something stands.
var isDirected = map[relationKind]bool{below: true, above: true, rightOf: true, leftOf: true, under: true}

// toward returns how far a box is from an anchor in the direction of a relation.
func (s *screen) toward(kind relationKind, b, at image.Rectangle) (gap float64, ok bool) {
	d := geo.Center(b).Sub(geo.Center(at))
	level := min(b.Max.Y, at.Max.Y)-max(b.Min.Y, at.Min.Y) > min(b.Dy(), at.Dy())/3
	upright := min(b.Max.X, at.Max.X)-max(b.Min.X, at.Min.X) > 0 || s.near(b.Min.X-at.Min.X, 12)
	side := math.Abs(float64(b.Min.X-at.Min.X)) / 4
	switch kind {
	case rightOf, rightSide:
		return float64(d.X), level && d.X > 0
	case leftOf, leftSide:
		return -float64(d.X), level && d.X < 0
	case above:
		return -float64(d.Y) + side, upright && d.Y < 0 && !level
	case below, under:
		return float64(d.Y) + side, upright && d.Y > 0 && !level
	case nextTo, between:
		return gapOf(b, at), level || upright
	case inRow:
		return 0.3 * gapOf(b, at), level
	case inColumn:
		return 0.3 * float64(d.Y), s.inOneColumn(b, at) && d.Y > 0
	}
	if level {
		return 0.3 * gapOf(b, at), true
	}
	return gapOf(b, at), true
}

// addValues finds what stands beside, above or below a text that shows what is asked for: the value of a label. It
// also finds what names a number, a date or a time.
func (w *scales) addValues(out, names []float64) {
	s := w.s
	for i := range s.list {
		if s.labels[i] == "" || slices.Contains(holders, s.list[i].Role) {
			continue
		}
		b := s.list[i].Box
		for j := range s.list {
			h := &s.list[j]
			if j == i || w.bagged[j].cover == 0 || h.Role != elements.Text && h.Role != elements.Heading && h.Role != elements.Link || isIn(h.Box, b) > 0.5 || isIn(b, h.Box) > 0.5 {
				continue
			}
			before := b.Min.X - h.Box.Max.X
			over, under := b.Min.Y-h.Box.Max.Y, h.Box.Min.Y-b.Max.Y
			aligned := s.inOneColumn(b, h.Box)
			v := 0.0
			switch {
			case geo.SameLine(b, h.Box) && before >= 0 && s.near(before, 300):
				v = 1
			case aligned && over >= -2 && s.near(over, 50):
				v = 0.95
			case aligned && under >= -2 && s.near(under, 30):
				v = 0.85
			}
			out[i] = max(out[i], v*w.bagged[j].cover)
			if s.isValue(i) && !s.isValue(j) {
				names[j] = max(names[j], v)
			}
		}
	}
}

// isValue reports whether a text is a number, a date or a time.
func (s *screen) isValue(i int) bool {
	if s.values == nil {
		for j, label := range s.labels {
			short, digit := len(s.words[j]) < 4, strings.ContainsAny(label, "0123456789")
			s.values = append(s.values, digit && (looksNumber(label) || short && looks[timed].MatchString(label)) || short && len(label) < maxDate && looks[dated].MatchString(label))
		}
	}
	return s.values[i]
}

// asksNumber holds words that ask for a number, a date or a time.
var asksNumber = expand(map[string]bool{
	"much|many|number|amount|figure|price|cost|costs|total|sum|balance|when|date|rate|percentage|count|score|size|distance|time|salary|age|fee|earnings|sales|income|budget|duration|long|value|year": true,
})

// asksValue holds words that ask for what a label stands beside.
var asksValue = expand(map[string]bool{
	"much|many|number|amount|value|figure|price|cost|costs|total|sum|balance|when|date|how|rate|percentage|count|score|size|distance|time|salary|age|fee|earnings|paid|pay|who|name|which": true,
})

// acts are verbs of what a button does to something else: an element that does not show them does it not.
var acts = expand(map[string]bool{
	"delete|remove|edit|close|dismiss|add|share|archive|reply|print|export|download|upload|save|cancel|insert|create|undo|redo|copy|paste|cut|rename|refresh|reload|mute|pin|attach|forward|block|import|submit|send|buy|pay|upgrade|discard|unsubscribe|clear|collapse|expand|minimize|maximise|maximize|minimise|hide|log|sign|register": true,
})

// actShown returns how well an element shows the verb with which a description begins; -1 if it begins with no verb.
func (w *scales) actShown(i int) float64 {
	for k, word := range w.bag.words {
		if isSmallWord[word] || word == "i" || word == "to" || word == "please" {
			continue
		}
		if acts[word] || acts[stem(word)] {
			return w.bagged[i].shown[k]
		}
		break
	}
	return none
}

// isIndefinite reports whether a description asks for one of several: "a star", "the box of an entry".
func (w *scales) isIndefinite() float64 {
	for k, word := range w.bag.words {
		if (word == "a" || word == "an" || word == "any" || word == "one") && (k == 0 || w.bag.words[k-1] == "of" || w.bag.words[k-1] == "to") {
			return 1
		}
	}
	return 0
}

// others returns how many other things say the same.
func (w *scales) others(i int) float64 {
	s, n := w.s, 0.0
	if s.labels[i] == "" {
		return 0
	}
	seen := []int{s.thingOf(i)}
	for _, j := range s.byLabel[s.labels[i]] {
		t := s.thingOf(j)
		if !slices.Contains(seen, t) && !slices.ContainsFunc(seen, func(o int) bool { return s.same(o, t) }) {
			seen = append(seen, t)
			n++
		}
	}
	return n
}

// ofStructure returns how an element stands to what a description names.
func (w *scales) ofStructure(i int, a *around) []float64 {
	x := w.structure
	asks := slices.ContainsFunc(w.bag.words, func(word string) bool { return asksValue[word] })
	counts := is(slices.ContainsFunc(w.bag.words, func(word string) bool { return asksNumber[word] }))
	union, own := 0.0, 0.0
	for k, weight := range w.bag.weight {
		if weight == 0 {
			continue
		}
		v := w.bagged[i].shown[k]
		best := v
		for _, list := range [][]int{a.line, a.card} {
			for _, j := range list {
				best = max(best, 0.9*w.bagged[j].shown[k])
			}
		}
		for _, j := range a.near {
			if o := w.bagged[j].shown[k]; o > best {
				best = max(best, 0.9*o*math.Exp(-gapOf(w.s.list[i].Box, w.s.list[j].Box)/(nearFade*w.s.unit)))
			}
		}
		union += weight * best
		own = max(own, v)
	}
	union = ratioOf(union, w.bag.total)
	number := is(w.s.isValue(i))
	return []float64{
		x.nth[i], ratioOf(x.nth[i], x.mostNth), x.related[i], ratioOf(x.related[i], x.mostRelated), x.value[i], is(asks), number,
		union, own, union * own, is(w.s.thingOf(i) == i), w.actShown(i), w.isIndefinite(), w.others(i),
		x.names[i], counts * x.names[i], counts * number * x.value[i],
	}
}
