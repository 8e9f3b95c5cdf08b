package locate

import (
	"image"
	"math"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

const (
	maxAnchors = 24  // maximum elements to try as the other side of a relation
	unknown    = 0.6 // how well a relation to something without a name holds, such as "the list of messages"
)

// related returns how well a relation holds for each element, 0 to 1, best for the nearest. likely
// marks the elements that meet the query otherwise.
func (s *screen) related(q *query, r *relation, likely []bool) []float64 {
	out := make([]float64, len(s.list))
	if r.kind == between && len(r.anchors) == 2 {
		s.allBetween(r, out)
		return out
	}
	if s.relatedToGroup(r, out) {
		return out
	}
	if r.anchors[0].general() {
		if len(q.texts)+len(q.words)+len(q.states) > 0 || q.ordinal != 0 && len(q.kinds) > 0 {
			for i := range out {
				out[i] = unknown
			}
		}
		return out
	}
	for _, a := range s.anchors(&r.anchors[0]) {
		s.relatedTo(r, a, likely, q.ordinal != 0, out)
	}
	if r.kind == belongs && len(q.kinds)+len(q.words) > 0 {
		s.relatedByName(q, &r.anchors[0], out)
	}
	return out
}

// relatedToGroup sets how well a relation to a form, table or list without a name holds for each
// element. It reports whether the screen has one.
func (s *screen) relatedToGroup(r *relation, out []float64) bool {
	a := &r.anchors[0]
	p := places[strings.Join(a.said, " ")]
	if p != aForm && p != aTable && p != aList {
		return false
	}
	areas := s.groups(p)
	for i := range s.list {
		for _, area := range areas {
			out[i] = max(out[i], s.standsTo(r.kind, s.list[i].Box, area))
		}
	}
	return len(areas) > 0
}

// standsTo returns how well a relation holds between a box and an area, 0 to 1.
func (s *screen) standsTo(kind relationKind, c, a image.Rectangle) float64 {
	var p spot
	switch kind {
	case rightOf, rightSide:
		p = s.right(c, a)
	case leftOf, leftSide:
		p = s.right(mirror(c), mirror(a))
	case below, under:
		p = s.right(flip(c), flip(a))
	case above:
		p = s.right(mirror(flip(c)), mirror(flip(a)))
	case in, belongs, inCard:
		if geo.Center(c).In(a) {
			p.fit = 1
		}
	default:
		p = s.anywhere(c, a)
	}
	return p.fit * math.Exp(-p.gap/(300*s.unit))
}

// isDirected has the relations that name a direction.
var isDirected = map[relationKind]bool{below: true, above: true, rightOf: true, leftOf: true, under: true}

// relatedTo raises out for the elements with a relation to one anchor. The nearest element gets the
// most, except if the query counts along a direction.
func (s *screen) relatedTo(r *relation, a scored, likely []bool, counted bool, out []float64) {
	switch r.kind {
	case in, inCard:
		s.climb(a, 0.7, likely, out)
	case belongs:
		s.climb(a, 0.1, likely, out)
	}
	spots := make([]spot, len(s.list))
	card := s.cardOf(a.element)
	near := map[bool]float64{false: math.Inf(1), true: math.Inf(1)} // the smallest gap, by spot.upright
	for i := range s.list {
		if i == a.element && r.kind != having {
			continue
		}
		spots[i] = s.together(r.kind, i, a.element, card)
		if p := spots[i]; likely[i] && p.fit > 0.5 {
			near[p.upright] = min(near[p.upright], p.gap)
		}
	}
	for i, p := range spots {
		if p.fit == 0 {
			continue
		}
		nearest := 1.0
		if n := near[p.upright]; p.gap > n && (!counted || !isDirected[r.kind]) {
			nearest = (n + p.give*s.unit) / (p.gap + p.give*s.unit)
		}
		out[i] = max(out[i], a.score*p.fit*nearest*math.Exp(-p.gap/(1500*s.unit)))
	}
}

// relatedByName raises out for elements that show the words after "of", as in "the icon of a bell".
func (s *screen) relatedByName(head, q *query, out []float64) {
	if len(q.texts)+len(q.words) == 0 {
		return
	}
	named := query{texts: q.texts, words: q.words, units: q.units, all: q.all, icons: q.icons, kinds: head.kinds}
	for i := range s.list {
		met := 1.0
		s.terms(i, &named, func(t term) {
			if t.by != byRole {
				met = min(met, t.met)
			}
		})
		if met >= needText {
			out[i] = max(out[i], met)
		}
	}
}

// climb raises out for the likely elements in the smallest container around them and an anchor. It
// ignores containers that cover more than a share of the screen.
func (s *screen) climb(a scored, most float64, likely []bool, out []float64) {
	worth := a.score
	for p := a.element; p >= 0; p = s.list[p].Parent {
		if s.part(s.list[p].Box) > most {
			return
		}
		some := false
		for i := range s.list {
			if i != a.element && i != p && likely[i] && (isIn(s.list[i].Box, s.list[p].Box) > 0.8 || s.isOnMate(i, p)) && isIn(s.list[a.element].Box, s.list[i].Box) < 0.8 {
				out[i] = max(out[i], worth)
				some = true
			}
		}
		if some {
			return
		}
		if p != a.element {
			worth *= 0.97
		}
	}
}

// isOnMate reports whether an element is on the picture of card p, or on the part below the
// picture.
func (s *screen) isOnMate(i, p int) bool {
	on := s.list[i].Parent
	for on >= 0 && s.list[on].Parent >= 0 && s.list[on].Parent != s.list[p].Parent {
		on = s.list[on].Parent
	}
	if on < 0 || on == p || s.list[on].Role != elements.Panel || s.list[p].Role != elements.Panel || !s.isCard(&s.list[on]) || !s.isCard(&s.list[p]) {
		return false
	}
	a, b := s.list[on].Box, s.list[p].Box
	return s.near(a.Min.X-b.Min.X, 3) && s.near(a.Max.X-b.Max.X, 3) && (s.near(a.Min.Y-b.Max.Y, 3) || s.near(b.Min.Y-a.Max.Y, 3))
}

// spot is how an element is placed relative to an anchor.
type spot struct {
	fit     float64 // 0 to 1
	gap     float64 // distance between them, in pixels
	give    float64 // extra distance of a rival that hardly matters, in usual pixels
	upright bool    // it is above or below where a relation means beside first
}

// stands returns how an element is placed relative to an anchor. The zero spot means that the
// relation does not hold.
func (s *screen) stands(kind relationKind, i, anchor int) spot {
	c, a := s.list[i].Box, s.list[anchor].Box
	// a container of the anchor and a part of it are not placed relative to it
	if kind != having && (isIn(a, c) > 0.8 || kind != in && s.thingOf(i) == s.thingOf(anchor)) {
		return spot{}
	}
	switch kind {
	case rightOf:
		return s.right(c, a)
	case leftOf:
		return s.right(mirror(c), mirror(a))
	case below:
		return s.right(flip(c), flip(a))
	case under:
		if !s.headed(i, anchor) {
			return s.right(flip(c), flip(s.headOf(anchor)))
		}
	case above:
		return s.right(mirror(flip(c)), mirror(flip(a)))
	case nextTo:
		return s.anywhere(c, a)
	case rightSide:
		return better(s.right(c, a), spot{fit: atEnd(c, a), give: 40})
	case leftSide:
		return better(s.right(mirror(c), mirror(a)), spot{fit: atEnd(mirror(c), mirror(a)), give: 40})
	case inRow:
		return s.inLine(c, a)
	case inColumn:
		return s.underHead(i, anchor)
	case in:
		// the part below a heading
		if p := s.right(flip(c), flip(s.headOf(anchor))); p.fit > 0.5 && !s.headed(i, anchor) {
			return spot{fit: 0.8 * p.fit, gap: p.gap, give: 1500}
		}
	case inCard: // the name of a card may be below the rest
		p := s.right(flip(c), flip(a))
		if o := s.right(mirror(flip(c)), mirror(flip(a))); o.fit > 0.5 && (p.fit == 0 || o.gap < p.gap) {
			p = o
		}
		p.fit *= 0.6
		return p
	case belongs:
		p := s.anywhere(c, a)
		p.fit *= 0.9
		return better(p, s.inLine(c, a))
	case having:
		return s.has(i, anchor)
	}
	return spot{}
}

// underHead returns how well an element is a cell of a head's column.
func (s *screen) underHead(i, head int) spot {
	c, a := s.list[i].Box, s.list[head].Box
	switch {
	case s.headCell(i) == head:
		return spot{fit: 1, give: 2000}
	case c.Min.Y >= a.Max.Y && s.inOneColumn(c, a):
		return spot{fit: 0.8, give: 2000}
	}
	return spot{}
}

// headed reports whether another heading is between a heading and an element.
func (s *screen) headed(i, heading int) bool {
	end, known := s.sections[heading]
	if !known {
		end = s.endOf(heading)
		s.sections[heading] = end
	}
	return end <= s.list[i].Box.Min.Y+4
}

// endOf returns the y at which the next similar heading below a heading ends, or a huge number if
// there is none.
func (s *screen) endOf(heading int) int {
	h, end := &s.list[heading], math.MaxInt-4
	if h.Role != elements.Heading && h.Role != elements.Field && h.Role != elements.Button {
		return end // its rows may look like the heading
	}
	for j := range s.list {
		o := &s.list[j]
		if o.Role == h.Role && o.Label != "" && s.near(o.Box.Min.X-h.Box.Min.X, 4) && s.near(o.Box.Dy()-h.Box.Dy(), 4) && o.Box.Min.Y >= h.Box.Max.Y {
			end = min(end, o.Box.Max.Y)
		}
	}
	return end
}

// cardOf returns the smallest card, dialog or row around an element, or -1.
func (s *screen) cardOf(i int) int {
	for p := s.list[i].Parent; p >= 0; p = s.list[p].Parent {
		if s.list[p].Role == elements.Row || s.list[p].Role == elements.Dialog || s.isCard(&s.list[p]) {
			return p
		}
	}
	return -1
}

// together returns the spot of stands, with a better fit for an element on the anchor's card. card
// is that card, or -1.
func (s *screen) together(kind relationKind, i, anchor, card int) spot {
	p := s.stands(kind, i, anchor)
	if card < 0 || i == card || kind == in || kind == having {
		return p
	}
	c, a := s.list[i].Box, s.list[anchor].Box
	if isIn(c, s.list[card].Box) < 0.8 {
		p.fit *= 0.6
		return p
	}
	loose := kind == nextTo || kind == below && c.Min.Y >= a.Max.Y || kind == above && c.Max.Y <= a.Min.Y ||
		kind == rightOf && c.Min.X >= a.Max.X || kind == leftOf && c.Max.X <= a.Min.X
	if loose && isIn(a, c) < 0.8 {
		d := geo.Center(c).Sub(geo.Center(a))
		p = better(p, spot{fit: 0.68, gap: math.Hypot(float64(d.X), float64(d.Y)), give: 40})
	}
	return p
}

// better returns the spot with the higher fit; with equal fits, the one with the smaller gap. It prefers a.
func better(a, b spot) spot {
	if b.fit > a.fit || b.fit == a.fit && b.gap < a.gap {
		return b
	}
	return a
}

// anywhere returns how well box c is beside box a, or, with less weight, above or below it.
func (s *screen) anywhere(c, a image.Rectangle) spot {
	best := better(s.right(c, a), s.right(mirror(c), mirror(a)))
	for _, p := range []spot{s.right(flip(c), flip(a)), s.right(mirror(flip(c)), mirror(flip(a)))} {
		if p.gap <= 50*s.unit {
			p.fit *= 0.7
			p.upright = true
			best = better(best, p)
		}
	}
	return best
}

// alongRow is the factor for distances along a row. It is small because all of a row belongs to it.
const alongRow = 0.25

// inLine returns how well box c is on the line of box a.
func (s *screen) inLine(c, a image.Rectangle) spot {
	overlap := min(c.Max.Y, a.Max.Y) - max(c.Min.Y, a.Min.Y)
	if c.Dy() > 4*a.Dy() || overlap*2 < min(c.Dy(), a.Dy()) {
		return spot{}
	}
	off := math.Abs(float64(geo.Center(c).Y-geo.Center(a).Y)) / float64(max(c.Dy(), a.Dy()))
	gap := max(0, c.Min.X-a.Max.X, a.Min.X-c.Max.X)
	return spot{fit: 1 - 0.5*off, gap: alongRow * float64(gap), give: 300}
}

// has returns how well an element has another element: in it, or at its edge.
func (s *screen) has(i, other int) spot {
	c, a := s.list[i].Box, s.list[other].Box
	switch {
	case i == other || isIn(a, c) > 0.8 && s.part(c) < 0.35:
		return spot{fit: 1, give: 20}
	case c.Overlaps(a) && geo.Area(a) < geo.Area(c):
		return spot{fit: 0.9, give: 20}
	}
	p := s.anywhere(c, a)
	if p.gap > 14*s.unit {
		return spot{}
	}
	return spot{fit: 0.8 * p.fit, gap: p.gap, give: 10}
}

// mirror swaps left and right. With it, right serves for left too.
func mirror(r image.Rectangle) image.Rectangle {
	return image.Rect(-r.Max.X, r.Min.Y, -r.Min.X, r.Max.Y)
}

// flip swaps x and y. With it, right serves for below too.
func flip(r image.Rectangle) image.Rectangle {
	return image.Rect(r.Min.Y, r.Min.X, r.Max.Y, r.Max.X)
}

// right returns how well box c is right of box a: it begins after a ends, about at the same height.
func (s *screen) right(c, a image.Rectangle) spot {
	gap := c.Min.X - a.Max.X
	if gap < -min(c.Dx(), a.Dx())/3 {
		return spot{}
	}
	p := spot{fit: 0.35, gap: math.Max(0, float64(gap)), give: 16}
	shared := min(c.Max.Y, a.Max.Y) - max(c.Min.Y, a.Min.Y)
	if shared > 0 {
		p.fit = 0.7 + 0.3*float64(shared)/float64(min(c.Dy(), a.Dy()))
	} else if far := float64(-shared); far > 60*s.unit {
		return spot{}
	} else {
		p.gap += far
	}
	return p
}

// atEnd returns how well box c is inside box a at its right end, 0 to 1.
func atEnd(c, a image.Rectangle) float64 {
	return isIn(c, a) * step(float64(a.Max.X-geo.Center(c).X)/float64(max(1, a.Dx())), 0.25, 0.5)
}

// allBetween raises out for the elements between two anchors. Pairs of anchors that are closer
// together count more.
func (s *screen) allBetween(r *relation, out []float64) {
	type pair struct {
		a, b  scored
		apart float64
	}
	var pairs []pair
	near := math.Inf(1)
	for _, a := range s.anchors(&r.anchors[0]) {
		for _, b := range s.anchors(&r.anchors[1]) {
			if a.element == b.element {
				continue
			}
			d := geo.Center(s.list[a.element].Box).Sub(geo.Center(s.list[b.element].Box))
			p := pair{a, b, math.Hypot(float64(d.X), float64(d.Y))}
			near = min(near, p.apart)
			pairs = append(pairs, p)
		}
	}
	for _, p := range pairs {
		worth := min(p.a.score, p.b.score) * (near + 30*s.unit) / (p.apart + 30*s.unit)
		for i := range s.list {
			if i != p.a.element && i != p.b.element {
				out[i] = max(out[i], worth*s.isBetween(i, p.a.element, p.b.element))
			}
		}
	}
}

// isBetween returns how well an element is between two others, in a row or a column, 0 to 1.
func (s *screen) isBetween(i, from, to int) float64 {
	c, a, b := s.list[i].Box, s.list[from].Box, s.list[to].Box
	if isIn(a, c) > 0.5 || isIn(b, c) > 0.5 {
		return 0
	}
	return max(isWithin(c, a, b), isWithin(flip(c), flip(a), flip(b)))
}

// isWithin returns how well box c is between a and b from left to right, 0 to 1.
func isWithin(c, a, b image.Rectangle) float64 {
	if a.Min.X > b.Min.X {
		a, b = b, a
	}
	m := geo.Center(c)
	if m.X <= a.Max.X || m.X >= b.Min.X {
		return 0
	}
	fit := 1.0
	for _, end := range []image.Rectangle{a, b} {
		if shared := min(c.Max.Y, end.Max.Y) - max(c.Min.Y, end.Min.Y); 3*shared < min(c.Dy(), end.Dy()) {
			fit *= 0.5
		}
	}
	if c.Min.X < a.Max.X-c.Dx()/4 || c.Max.X > b.Min.X+c.Dx()/4 {
		fit *= 0.7
	}
	return fit
}
