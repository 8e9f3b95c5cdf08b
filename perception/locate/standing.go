package locate

import (
	"math"
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// How large the numbers are at most that say where an element stands.
const (
	mostCounted = 30
	mostNumber  = 9 // of an ordinal
)

// standing is where an element stands among others, whatever is asked: what people call a title, a header, the first
// entry or the last one.
type standing struct {
	over          int  // things in the group that it stands over
	column, row   int  // its place in a column and in a row of its like, from 1; 0 if it is in none
	columns, rows int  // how many are in them
	first         bool // the first text of its panel
}

// standings returns where each element stands, found at first use.
func (s *screen) standings() []standing {
	if s.standing != nil {
		return s.standing
	}
	s.standing = make([]standing, len(s.list))
	for g := range s.findGroups() {
		x := &s.grouped[g]
		if x.above >= 0 {
			s.standing[x.above].over = max(s.standing[x.above].over, len(x.members))
		}
		for n, i := range x.members {
			at := &s.standing[i]
			switch {
			case x.row && len(x.members) > at.rows:
				at.row, at.rows = n+1, len(x.members)
			case !x.row && len(x.members) > at.columns:
				at.column, at.columns = n+1, len(x.members)
			}
		}
	}
	firsts := map[int]int{} // by panel
	for i := range s.list {
		if role := s.list[i].Role; role != elements.Text && role != elements.Heading {
			continue
		}
		p := s.panelOf(i)
		if o, known := firsts[p]; !known || s.list[i].Box.Min.Y < s.list[o].Box.Min.Y {
			firsts[p] = i
		}
	}
	for _, i := range firsts {
		s.standing[i].first = true
	}
	return s.standing
}

// titleWords holds words for what stands over other things.
var titleWords = expand(map[string]bool{"title|heading|header|headline|caption|titled|name of": true})

// ofStanding returns where an element stands, with what is asked of that.
func (w *scales) ofStanding(i int) []float64 {
	s := w.s
	own := s.standings()[i]
	at := s.standings()[s.thingOf(i)]
	c := geo.Center(s.list[i].Box)
	high := 0.0
	if role := s.list[i].Role; role == elements.Text || role == elements.Heading || role == elements.Link {
		high = math.Sqrt(float64(s.sizeOf(i))) / (usualText * s.unit)
	}
	counted := func(n int) float64 { return float64(min(n, mostCounted)) }
	return []float64{
		is(slices.ContainsFunc(w.bag.words, func(word string) bool { return titleWords[word] })), counted(own.over), is(own.first), is(s.isTitle(i)), high,
		placeAmong(at.column, at.columns), counted(at.columns), counted(at.column), placeAmong(at.row, at.rows), counted(at.rows), counted(at.row),
		ratioOf(float64(c.X), float64(s.bounds.Dx())), ratioOf(float64(c.Y), float64(s.bounds.Dy())),
		is(slices.Contains(w.q.states, "selected")), s.isIn(i, "selected"), is(slices.Contains(w.q.kinds, "column header")), is(s.isHead(i)),
		float64(max(-2, min(w.q.ordinal, mostNumber))),
	}
}

// placeAmong returns where the nth of some stands: the first 0, the last 1, and none if it is alone.
func placeAmong(n, of int) float64 {
	if of < 2 {
		return none
	}
	return float64(n-1) / float64(of-1)
}
