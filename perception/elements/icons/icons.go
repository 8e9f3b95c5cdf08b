package icons

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// The sides of masks that are looked at, in pixels. What is smaller shows no
// icon, and what is larger is a picture.
const (
	MinSide = 4
	MaxSide = 128
)

// MaxCandidates is how many candidates Match returns.
const MaxCandidates = 3

// Sure is the score from which on a candidate is to be believed.
const Sure = 0.5

// Candidate is what an icon may be.
type Candidate struct {
	Name  string  // of a Concept
	Score float64 // how probable it is, 0..1
}

// Match tells what icon a mask shows, the most probable first.
func Match(mask *image.Alpha) []Candidate {
	w, h := mask.Rect.Dx(), mask.Rect.Dy()
	if max(w, h) < MinSide || max(w, h) > MaxSide || min(w, h) < 1 {
		return nil
	}
	s, ok := shapeOf(mask)
	if !ok {
		return nil
	}
	return theLibrary().match(&s)
}

// nearest is how many glyphs are looked at closely.
const nearest = 24

// likest is how alike the glyph of a concept that is likest to a shape is.
type likest struct {
	concept  int
	likeness float64
}

// match compares a shape with all glyphs.
func (l *library) match(s *shape) []Candidate {
	found := l.likest(s)
	var candidates []Candidate
	for i, k := range found {
		rival := found[0].likeness
		if i == 0 && len(found) > 1 {
			rival = found[1].likeness
		}
		if k.concept != plain {
			candidates = append(candidates, Candidate{l.concepts[k.concept].Name, score(k.likeness, rival)})
		}
		if len(candidates) == MaxCandidates {
			break
		}
	}
	return candidates
}

// score is how probable a concept is by how alike its glyph is, and by how much
// more so than that of the next one. The numbers are a logistic regression over
// what TestUnseenSets and TestNoIcons draw, half of it icons.
func score(likeness, rival float64) float64 {
	return 1 / (1 + math.Exp(25-25.7*likeness-51.5*(likeness-rival)))
}

// likest finds the concepts that are likest to a shape.
func (l *library) likest(s *shape) []likest {
	var found []likest
	for _, i := range l.nearest(s) {
		g := &l.glyphs[i]
		alike := likeness(s, &g.shape)
		at := slices.IndexFunc(found, func(k likest) bool { return k.concept == g.concept })
		if at < 0 {
			found = append(found, likest{g.concept, alike})
		} else if alike > found[at].likeness {
			found[at].likeness = alike
		}
	}
	slices.SortFunc(found, func(a, b likest) int { return cmp.Compare(b.likeness, a.likeness) })
	return found
}

// nearest lists the glyphs whose sketches are nearest to a shape's.
func (l *library) nearest(s *shape) []int {
	var best [nearest]struct {
		distance float32
		glyph    int
	}
	n, limit := 0, float32(math.MaxFloat32)
	for i := range l.sketches {
		d := apart(&s.sketch, &l.sketches[i], limit)
		if d >= limit {
			continue
		}
		if n < nearest {
			n++
		}
		at := n - 1
		for ; at > 0 && best[at-1].distance > d; at-- {
			best[at] = best[at-1]
		}
		best[at].distance, best[at].glyph = d, i
		if n == nearest {
			limit = best[n-1].distance
		}
	}
	list := make([]int, n)
	for i := range list {
		list[i] = best[i].glyph
	}
	return list
}

// apart is the square of the distance between two sketches, or more than limit
// when it is more: the longest waves, which come first, mostly tell.
func apart(a, b *[strokes]float32, limit float32) float32 {
	const half = strokes / 2
	sum := squares((*[half]float32)(a[:half]), (*[half]float32)(b[:half]))
	if sum < limit {
		sum += squares((*[half]float32)(a[half:]), (*[half]float32)(b[half:]))
	}
	return sum
}

// squares sums the squares of differences, three at a time.
func squares(a, b *[strokes / 2]float32) float32 {
	var s0, s1, s2 float32
	for i := 0; i < len(a)-2; i += 3 {
		d0, d1, d2 := a[i]-b[i], a[i+1]-b[i+1], a[i+2]-b[i+2]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
	}
	return s0 + s1 + s2
}

// likeness is the cosine between the edges of two shapes, 0..1.
func likeness(a, b *shape) float64 {
	var s0, s1, s2, s3 uint32
	for i := 0; i < features; i += 4 {
		x, y := a.edges[i:i+4:i+4], b.edges[i:i+4:i+4]
		s0 += uint32(x[0]) * uint32(y[0])
		s1 += uint32(x[1]) * uint32(y[1])
		s2 += uint32(x[2]) * uint32(y[2])
		s3 += uint32(x[3]) * uint32(y[3])
	}
	return float64(s0+s1+s2+s3) / float64(a.length*b.length)
}
