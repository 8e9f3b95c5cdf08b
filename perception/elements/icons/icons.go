// Package icons recognizes icons by their shape: a magnifier is "search", a gear is "settings",
// three bars are "menu".
//
//	for _, c := range icons.Match(mask) {
//		fmt.Println(c.Name, c.Score) // search 0.98
//	}
//	icons.Lookup("magnifying glass") // [search]
//
// A mask is the ink of one blob on a screen: the distance of each pixel's color from the color of
// the ground, relative to the largest distance. So neither color nor contrast matters. In a white
// glyph on a blue disc, the disc can be the ground.
//
// A concept is the meaning of an icon. lexicon.yaml lists the concepts with their names, and with
// the glyphs that five open icon sets draw for them: filled and outlined, thin and bold. `make
// icons` draws these glyphs into glyphs.png and lists them in glyphs.txt. Neither the build nor the
// program downloads anything.
//
// Match compares a mask with the glyphs in these steps:
//
//	box       of the ink, in fractions of a pixel, because icons are small
//	field     of 20 x 20 pixels: the box in its middle, with the same aspect
//	edges     of 10 x 10 cells: the amount of edge in each of six directions.
//	          A stroke and the rim of a filled shape have the same directions,
//	          so outlined and filled glyphs have similar edges
//	sketch    the longest waves of the edges; only the 24 glyphs with the
//	          nearest sketches are compared by their edges
//	score     a logistic function of the likeness of a concept's closest glyph
//	          (the cosine of square roots), and of its lead over the next concept
//
// The library contains boxes, rings, letters and digits as glyphs without a concept, so masks that
// resemble them have low scores. The caller must decide about ambiguous shapes: a letter x is also
// a cross, and 66 is also a quotation mark.
//
// The features are histograms of gradients, from Dalal and Triggs (2005). The square roots of
// histograms are from Arandjelovic and Zisserman (2012). TestUnseenSets measures Match on a set of
// icons that is not in the library, at 14 to 32 pixels: the right name is first for 0.85 of the
// glyphs, and among the first three for 0.90. The cosine of the inks instead of these features
// finds 0.67.
package icons

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// Limits of the sides of a mask for Match, in pixels. Smaller masks are not recognizable, larger
// ones are pictures.
const (
	MinSide = 4
	MaxSide = 128
)

// MaxCandidates is the maximum number of candidates that Match returns.
const MaxCandidates = 3

// Sure is the minimum score of a credible candidate. It was measured with icons that are not in the
// library: for 75 % of them, the best candidate reaches this score, and 96 % of these candidates
// are right. Some pictures that are not icons also reach it: 5 % of letters and 10 % of rectangles.
const Sure = 0.5

// Candidate is a possible meaning of an icon.
type Candidate struct {
	Name  string  // the name of a Concept
	Score float64 // the probability that the icon has this meaning, 0..1
}

// Match returns up to MaxCandidates concepts that a mask may show, the most probable concept first.
// It returns nil if the mask is blank, or if a side of the mask is not between MinSide and MaxSide.
// Match is safe for concurrent use. The first call takes 0.1 s to load the library.
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

// nearest is the number of glyphs that are compared by their edges.
const nearest = 24

// closest is the likeness of a concept's closest glyph to a shape.
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

// score returns the probability of a concept by its glyph's likeness and lead over the next: a
// logistic regression on the drawings of TestUnseenSets and TestNoIcons.
func score(likeness, rival float64) float64 {
	return 1 / (1 + math.Exp(25.7-26.5*likeness-55.7*(likeness-rival)))
}

// closest returns the concepts closest to a shape, the closest first.
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

// nearest returns the indices of the glyphs with the nearest sketches.
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

// apart returns the squared distance of two sketches, or any number of at least limit. It compares
// the longest waves first, which usually decide.
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

// likeness returns the cosine between the edges of two shapes, 0..1.
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
