package match

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/sdkapi"
)

// Query is a text to look for, and what distinguishes one place where it stands
// from another: Region first, then Near, then Occurrence.
type Query struct {
	Text             string
	Threshold        float64 // the least score that counts as a match
	sdkapi.Narrowing         // in the form of requests
}

const (
	// A match is clearly nearer to the text of Near than one that is this
	// many times as far away, and farther by the match's height at least.
	nearer = 1.5

	// Weights of distances from Near. The "Edit" at the end of a table's line belongs to what the
	// line begins with: across a line, this many pixels count as one. Outside of the line and the
	// column of the text, a match counts as this many times as far.
	across = 4
	askew  = 2

	// maxAnchors is how many places of the text of Near count, the best first: each match is compared with each.
	maxAnchors = 1000
)

// Found is what a screen has for a Query.
type Found struct {
	Query  Query
	Ranked []Match // best first, whatever their score; among equals, the nearest to the text of Near

	// NearMissing says that nothing meets the threshold as Near, so that
	// nothing can be resolved, and NearRanked what is most like it.
	NearMissing bool
	NearRanked  []Match

	index *Index
}

// Find returns what answers q.
func (x *Index) Find(q Query) *Found {
	f := &Found{Query: q, Ranked: x.rank(q.Text, q.Narrowing), index: x}
	if q.Near == "" {
		return f
	}
	f.NearRanked = x.rank(q.Near, sdkapi.Narrowing{})
	anchors := alike(f.NearRanked, q.Threshold)
	f.NearMissing = len(anchors) == 0
	anchors = outside(anchors[:min(len(anchors), maxAnchors)], alike(f.Ranked, q.Threshold))
	for i := range f.Ranked {
		f.Ranked[i].away = away(&f.Ranked[i], anchors)
	}
	slices.SortStableFunc(f.Ranked, byScore)
	return f
}

// outside returns the anchors that are no part of a rival.
func outside(anchors, rivals []Match) []Match {
	return slices.DeleteFunc(slices.Clone(anchors), func(a Match) bool {
		return slices.ContainsFunc(rivals, func(r Match) bool { return r.Index == a.Index && a.Row.Box.In(r.Row.Box) })
	})
}

// Matches returns what meets the threshold, best first.
func (f *Found) Matches() []Match { return above(f.Ranked, f.Query.Threshold) }

// Resolve picks the one match that is meant: a "Save" in a list is, and not the "Save As..." there. If it cannot, one is nil, and rivals are the equally
// good matches, best first: empty if nothing meets the threshold, fewer than Query.Occurrence if
// that is too large.
func (f *Found) Resolve() (one *Match, rivals []Match) {
	if f.NearMissing {
		return nil, nil
	}
	rivals = nearest(alike(f.Ranked, f.Query.Threshold))
	n := f.Query.Occurrence
	switch {
	case n > len(rivals):
		return nil, rivals
	case n > 0:
		return &inReadingOrder(rivals)[n-1], nil
	case len(rivals) == 1:
		return &rivals[0], nil
	}
	if one := f.index.withoutLonger(rivals); one != nil {
		return one, nil
	}
	return nil, rivals
}

// nearest returns rivals without those than which another is clearly nearer.
func nearest(rivals []Match) []Match {
	if len(rivals) == 0 {
		return nil
	}
	first := slices.MinFunc(rivals, func(a, b Match) int { return cmp.Compare(a.away, b.away) })
	height := float64(first.Row.Box.Dy())
	return slices.DeleteFunc(slices.Clone(rivals), func(m Match) bool {
		return m.away > first.away && m.away >= nearer*first.away && m.away >= first.away+height
	})
}

func inReadingOrder(matches []Match) []Match {
	return slices.SortedStableFunc(slices.Values(matches), func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Row.Box.Min.X, b.Row.Box.Min.X))
	})
}

func away(m *Match, anchors []Match) float64 {
	least := math.Inf(1)
	for i := range anchors {
		least = min(least, distance(m.Row.Box, anchors[i].Row.Box))
	}
	return least
}

// distance returns the gap between two boxes, weighed by how they stand to each other.
func distance(a, b image.Rectangle) float64 {
	d := math.Hypot(float64(gap(a.Min.X, a.Max.X, b.Min.X, b.Max.X)), float64(gap(a.Min.Y, a.Max.Y, b.Min.Y, b.Max.Y)))
	switch {
	case geo.SameLine(a, b):
		return d / across
	case geo.SameColumn(a, b):
		return d
	}
	return d * askew
}

// gap returns how far apart two intervals are: 0 when they meet.
func gap(a0, a1, b0, b1 int) int { return max(b0-a1, a0-b1, 0) }
