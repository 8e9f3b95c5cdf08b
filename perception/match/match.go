// Package match finds which rows of a screen, or which words of them, answer
// a text query.
//
//	index := match.NewIndex(scene.Rows)
//	one, rivals := index.Find(match.Query{Text: "Search", Threshold: 0.8}).Resolve()
//
// Matches are ranked by tier, and within the last tier by score. A query that stands as words
// within a longer row matches those words, and not the row. What equals no row may stand across
// rows that are close beside each other. Equally good matches are rivals: a
// Query can say which one it means, and Distinguish what they differ in.
//
// # Near misses
//
// What is not equal is judged word by word. What readers and typists do is forgiven: look-alikes,
// accents, case, white space, marks at the ends of words, and one slip in a word of six letters or
// two in one of ten. Of a number all digits agree, and the marks in it: a reader in doubt alone takes
// a digit for a letter that looks like it. Another number, another word, an opposite or a negation is a near miss: it is
// listed, and scores less than the default threshold. A list of English words sets a slip
// apart from another word. Same is that judgement for two texts.
package match

import (
	"cmp"
	"slices"
	"sync"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Tier is a way in which a text can answer a query, the closest first.
type Tier int

// The tiers. Each but the last is an equality of texts, folded more than in the one before.
const (
	Exact      Tier = iota // the same, but for how much white space there is
	CaseFolded             // and for case
	SpaceFree              // and for where white space is
	Confusable             // and for glyphs that look alike, as 0 and O, or rn and m
	Fuzzy                  // alike
)

// tierScore is what an equality scores. A fuzzy match scores less.
var tierScore = [...]float64{Exact: 1, CaseFolded: 0.99, SpaceFree: 0.98, Confusable: 0.97, Fuzzy: 0.96}

const (
	// Margin is how much better the best match must score than the next to be the one meant.
	Margin = 0.05

	// partCost is what a match of some of a row's words scores less than one
	// of all. It is below Margin: neither is clearly the one meant.
	partCost = 0.02

	// shortfallCost is deducted from an unequal part with fewer words than the query: of "Check
	// out", the "Check" is no better an answer to "Check in".
	shortfallCost = 0.1

	// acrossCost is what a match across rows of one line scores less: more than Margin, for the line may be two texts.
	acrossCost = 0.07

	// sure is the confidence of all but one in fifty words that are read rightly (.97 of what Windie's own network says
	// by itself). A known word is
	// not what one says that differs by a letter and was read so.
	sure = 0.865

	// floor is the least score worth listing.
	floor = 0.55

	// Queries of at most shortQuery characters say little: what is not equal to
	// them scores at most shortScore.
	shortQuery = 3
	shortScore = 0.6

	// shortMarks is what a word scores more that is equal to a short query but for marks at it, as "Cc:" is to "Cc".
	shortMarks = 0.25
)

// Match is a row, or some words of one or of several beside each other, that may answer a query.
type Match struct {
	Index int            // of the row, or of the first of several, in reading order
	Row   perception.Row // what matches: the row itself, the part of it, or of its perception.Line
	Tier  Tier
	Score float64 // from 0.55, hardly alike, to 1, the same

	away float64 // from the text of Query.Near; 0 without
}

// Index is the rows of a screen, prepared for queries. It never changes.
type Index struct {
	rows     []indexed
	lines    func() []indexedLine // of several rows
	negating func() []int         // the indexes of rows that negate what goes on beside them
}

// indexedLine is a line, folded as a row is.
type indexedLine struct {
	line perception.Line
	indexed
}

// NewIndex prepares rows, which nobody may change afterwards.
func NewIndex(rows []perception.Row) *Index {
	x := &Index{rows: make([]indexed, len(rows))}
	for i, r := range rows {
		x.rows[i] = newIndexed(r)
	}
	x.lines = sync.OnceValue(func() []indexedLine { return newLines(rows) })
	x.negating = sync.OnceValue(func() []int { return negatingRows(x.rows) })
	return x
}

func newLines(rows []perception.Row) (list []indexedLine) {
	for _, l := range perception.Lines(rows) {
		in := newIndexed(l.Row)
		in.begins = l.Begins
		list = append(list, indexedLine{l, in})
	}
	return list
}

// Rank returns what may answer query, best first: by score, tier, and reading
// order. A row is there once, or once for each time that the query stands in
// it.
func (x *Index) Rank(query string) []Match { return x.rank(query, sdkapi.Narrowing{}) }

// rank is Rank in a part of the screen.
func (x *Index) rank(query string, in sdkapi.Narrowing) []Match {
	q := newText(query)
	if q.length == 0 {
		return nil
	}
	s := newSearcher(q, in)
	s.screen = x
	for i := range x.rows {
		if s.mayFind(&x.rows[i]) {
			s.search(i, &x.rows[i])
		}
	}
	if !s.isAnswered() {
		s.searchAcross(x.lines())
	}
	slices.SortStableFunc(s.found, byScore)
	return s.found
}

func byScore(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.away, b.away))
}

// above returns the part of ranked whose score is at least threshold.
func above(ranked []Match, threshold float64) []Match {
	n := slices.IndexFunc(ranked, func(m Match) bool { return m.Score < threshold })
	if n < 0 {
		return ranked
	}
	return ranked[:n]
}

// alike returns the best of ranked that meets threshold, and what is within Margin.
func alike(ranked []Match, threshold float64) []Match {
	list := above(ranked, threshold)
	if len(list) == 0 {
		return nil
	}
	return above(list, list[0].Score-Margin)
}
