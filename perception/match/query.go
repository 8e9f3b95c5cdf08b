package match

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/sdkapi"
)

// Query is a text to find. If the text occurs several times, its Narrowing selects an occurrence:
// first by Region, then by Near, then by Occurrence.
type Query struct {
	// Text is the text to find. An empty text matches nothing.
	Text             string
	Threshold        float64 // minimum score of a match, 0..1
	sdkapi.Narrowing         // the fields of requests
}

const (
	// nearer is the minimum ratio of two distances to the text of Near of which one is clearly
	// nearer. The difference must also be at least the height of a match.
	nearer = 1.5

	// Weights of distances from Near. An "Edit" at the end of a table row belongs to the text at
	// the beginning of the row, so distances along a line are divided by across. Distances outside
	// the line and the column of the text are multiplied by askew.
	across = 4
	askew  = 2

	// maxAnchors is the maximum number of occurrences of the text of Near, best first. Each match
	// is compared with each of them.
	maxAnchors = 1000
)

// Found is the result of a Query: the matches in their order.
type Found struct {
	// Query is the query.
	Query Query
	// Ranked has all possible matches, best first. Equally good matches are sorted by distance to
	// the text of Near.
	Ranked []Match

	// NearMissing reports that the screen has no text whose score for Near reaches the threshold.
	// Resolve then returns nothing. NearRanked has the most similar texts.
	NearMissing bool
	// NearRanked has the possible matches for Near, best first; nil without Near.
	NearRanked []Match

	index *Index
}

// Find returns the possible matches for q, the best first. If q.Near is set, equally good matches
// are sorted by their distance to the text of q.Near.
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

// outside returns the anchors that are not part of a rival.
func outside(anchors, rivals []Match) []Match {
	return slices.DeleteFunc(slices.Clone(anchors), func(a Match) bool {
		return slices.ContainsFunc(rivals, func(r Match) bool { return r.Index == a.Index && a.Row.Box.In(r.Row.Box) })
	})
}

// Matches returns the matches whose score reaches the threshold, the best match first.
func (f *Found) Matches() []Match { return above(f.Ranked, f.Query.Threshold) }

// Resolve returns the match that the query means. If it cannot decide between equally good matches,
// for example two buttons "Save", match is nil, and rivals has these matches, the best first. match
// is also nil if Query.Occurrence is larger than the number of rivals. If no match reaches the
// threshold, both results are nil.
func (f *Found) Resolve() (match *Match, rivals []Match) {
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

// nearest returns the rivals that are not clearly farther than the nearest.
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

// inReadingOrder returns a sorted copy: by row, then from left to right in a row. Query.Occurrence
// counts in this order.
func inReadingOrder(matches []Match) []Match {
	return slices.SortedStableFunc(slices.Values(matches), func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Row.Box.Min.X, b.Row.Box.Min.X))
	})
}

// away returns the weighted distance from a match to the nearest anchor. Without anchors it is infinite.
func away(m *Match, anchors []Match) float64 {
	least := math.Inf(1)
	for i := range anchors {
		least = min(least, distance(m.Row.Box, anchors[i].Row.Box))
	}
	return least
}

// distance returns the gap between two boxes, weighted by their relative position.
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

// gap returns the distance between two intervals, 0 if they touch or overlap.
func gap(a0, a1, b0, b1 int) int { return max(b0-a1, a0-b1, 0) }
