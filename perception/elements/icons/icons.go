// Package icons names icons by their shape: a magnifier is "search", a gear is
// "settings", three bars are "menu".
//
//	for _, c := range icons.Match(mask) {
//		fmt.Println(c.Name, c.Score) // search 0.98
//	}
//	icons.Lookup("magnifying glass") // [search]
//
// A mask is the ink of one blob on a screen: how far each pixel's color is from the ground's,
// against the farthest. So neither color nor contrast count, and a white glyph in a blue disc is
// the glyph if the disc is the ground.
//
// A concept is what icons stand for. lexicon.yaml lists them, with their names and the glyphs that
// five open icon sets draw for them: filled and outlined, thin and bold. `make icons` draws these
// into glyphs.png and lists them in glyphs.txt; nothing is fetched when the package is built or
// runs.
//
// How a mask is compared with them:
//
//	box       of the ink, to parts of a pixel, for icons are small
//	field     of 20 x 20 pixels: the box in its middle, with its aspect kept
//	edges     of 10 x 10 cells: how much edge runs in each of six directions.
//	          A stroke and the rim of a filled shape have the same directions,
//	          which is why outlined and filled glyphs are alike in it
//	sketch    the longest waves of the edges; the 24 glyphs with the nearest
//	          sketches are compared by their edges, and others are not
//	score     a logistic function of how like the closest glyph of a concept is
//	          (the cosine of square roots), and of its lead over the next concept
//
// Boxes, rings, letters and digits are among the glyphs, and stand for nothing: what resembles them
// scores low. What no shape shows is left to the caller: a letter x is a cross, and 66 are
// quotation marks.
//
// Histograms of gradients as features are from Dalal and Triggs (2005), their square roots from
// Arandjelovic and Zisserman (2012). By the other sets alone, 0.85 of a set's glyphs are named
// first and 0.90 among the first three, at 14 to 32 pixels (TestUnseenSets); the cosine of the inks
// names 0.67.
package icons

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// Sides of masks that Match takes, in pixels: smaller ones show no icon, larger ones a picture.
const (
	MinSide = 4
	MaxSide = 128
)

// MaxCandidates is how many candidates Match returns.
const MaxCandidates = 3

// Sure is the score from which a candidate is credible. Of icons that are not in the library 0.75
// reach it, and 0.96 of these are named rightly; so do one letter of twenty and one rectangle of
// ten.
const Sure = 0.5

// Candidate is what an icon may be.
type Candidate struct {
	Name  string  // of a Concept
	Score float64 // how probable it is, 0..1
}

// Match returns up to MaxCandidates concepts that a mask may show, the most probable first; nil if
// it is blank, too small or too large. It is safe for concurrent use. The first call loads the
// library, in 0.1 s.
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

// nearest is how many glyphs by their sketches are looked at closely.
const nearest = 24

// closest is how like a shape the closest glyph of a concept is.
type closest struct {
	concept  int
	likeness float64
}

// match compares a shape with all glyphs.
func (l *library) match(s *shape) []Candidate {
	found := l.closest(s)
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

// score is how probable a concept is by its glyph's likeness and lead over the
// next: a logistic regression over what TestUnseenSets and TestNoIcons draw.
func score(likeness, rival float64) float64 {
	return 1 / (1 + math.Exp(25.7-26.5*likeness-55.7*(likeness-rival)))
}

// closest finds the concepts that are closest to a shape.
func (l *library) closest(s *shape) (found []closest) {
	for _, i := range l.nearest(s) {
		g := &l.glyphs[i]
		alike := likeness(s, &g.shape)
		at := slices.IndexFunc(found, func(k closest) bool { return k.concept == g.concept })
		if at < 0 {
			found = append(found, closest{g.concept, alike})
		} else if alike > found[at].likeness {
			found[at].likeness = alike
		}
	}
	slices.SortFunc(found, func(a, b closest) int { return cmp.Compare(b.likeness, a.likeness) })
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

// apart is the square of the distance between two sketches, or a number over limit:
// the longest waves, which come first, mostly show it.
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
