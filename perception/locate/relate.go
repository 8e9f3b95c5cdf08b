package locate

import (
	"image"
	"math"
)

// related tells how well an element stands to others as a relation says: by the
// best of those that may be meant.
func (s *screen) related(i int, r relation) float64 {
	best := 0.0
	if r.kind == between && len(r.anchors) == 2 {
		for a, p := range s.anchors(&r.anchors[0]) {
			for b, q := range s.anchors(&r.anchors[1]) {
				if a != i && b != i {
					best = max(best, min(p, q)*isBetween(s.list[i].Box, s.list[a].Box, s.list[b].Box))
				}
			}
		}
		return best
	}
	anchors := s.anchors(&r.anchors[0])
	if len(anchors) == 0 && r.kind == in {
		return unseen
	}
	for a, p := range anchors {
		if a != i && p > best {
			best = max(best, p*s.holdsFor(r.kind, s.list[i].Box, s.list[a].Box))
		}
	}
	return best
}

// unseen is how well an element is in something that cannot be told, as "the
// dialog" or "the last row".
const unseen = 0.45

// enough is the least score of what may be an anchor.
const enough = 0.3

// anchors returns the elements that a query may mean, with their scores. They
// are the same for all that is related to them.
func (s *screen) anchors(q *query) map[int]float64 {
	if known, ok := s.known[q]; ok {
		return known
	}
	scores := map[int]float64{}
	s.known[q] = scores
	best := 0.0
	for i := range s.list {
		if score := s.score(i, q); score >= enough {
			scores[i] = score
			best = max(best, score)
		}
	}
	for i, score := range scores {
		if score < best/2 {
			delete(scores, i)
		}
	}
	return scores
}

// holdsFor tells how well a box stands to an anchor's.
func (s *screen) holdsFor(kind relationKind, c, a image.Rectangle) float64 {
	switch kind {
	case rightOf:
		return s.beside(c, a)
	case leftOf:
		return s.beside(mirror(c), mirror(a))
	case below, under:
		return s.beside(flip(c), flip(a))
	case above:
		return s.beside(mirror(flip(c)), mirror(flip(a)))
	case nextTo:
		return max(s.beside(c, a), s.beside(mirror(c), mirror(a)), 0.8*s.beside(flip(c), flip(a)), 0.8*s.beside(mirror(flip(c)), mirror(flip(a))))
	case in:
		return isIn(c, a)
	case rightSide:
		return max(s.beside(c, a), atEnd(c, a))
	case leftSide:
		return max(s.beside(mirror(c), mirror(a)), atEnd(mirror(c), mirror(a)))
	case inRow:
		if overlap := min(c.Max.Y, a.Max.Y) - max(c.Min.Y, a.Min.Y); overlap*2 >= min(c.Dy(), a.Dy()) {
			return 1
		}
	}
	return 0
}

// mirror turns left to right, and flip rows to columns.
func mirror(r image.Rectangle) image.Rectangle {
	return image.Rect(-r.Max.X, r.Min.Y, -r.Min.X, r.Max.Y)
}

func flip(r image.Rectangle) image.Rectangle {
	return image.Rect(r.Min.Y, r.Min.X, r.Max.Y, r.Max.X)
}

// beside tells how well c is right of a: beginning behind its end, near, and
// at its height.
func (s *screen) beside(c, a image.Rectangle) float64 {
	gap := c.Min.X - a.Max.X
	if gap < -min(c.Dx(), a.Dx())/3 {
		return 0
	}
	shared := min(c.Max.Y, a.Max.Y) - max(c.Min.Y, a.Min.Y)
	level := 0.25
	if shared > 0 {
		level = 0.6 + 0.4*float64(shared)/float64(min(c.Dy(), a.Dy()))
	} else if far := -shared; float64(far) > 80*s.unit {
		return 0
	}
	return level * math.Exp(-max(0, float64(gap))/(220*s.unit))
}

// isIn tells how well c is in a.
func isIn(c, a image.Rectangle) float64 {
	shared := c.Intersect(a)
	if c.Dx()*c.Dy() >= a.Dx()*a.Dy() {
		return 0
	}
	return float64(shared.Dx()*shared.Dy()) / float64(c.Dx()*c.Dy())
}

// atEnd tells how well c is at the right end of a, within it.
func atEnd(c, a image.Rectangle) float64 {
	return isIn(c, a) * step(float64(a.Max.X-middle(c).X)/float64(a.Dx()), 0.25, 0.5)
}

// isBetween tells how well c is between a and b.
func isBetween(c, a, b image.Rectangle) float64 {
	m, p, q := middle(c), middle(a), middle(b)
	along := math.Hypot(float64(q.X-p.X), float64(q.Y-p.Y))
	if along == 0 {
		return 0
	}
	detour := math.Hypot(float64(m.X-p.X), float64(m.Y-p.Y)) + math.Hypot(float64(q.X-m.X), float64(q.Y-m.Y))
	return step(detour/along, 1.02, 1.4)
}
