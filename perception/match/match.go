// Package match finds the rows of a screen, or parts of rows, that match a text query.
//
//	index := match.NewIndex(scene.Rows)
//	one, rivals := index.Find(match.Query{Text: "Search", Threshold: 0.8}).Resolve()
//
// Matches are ranked by score, then by tier. If a longer row contains the query as whole words, the
// match is these words and not the row. If no row equals the query, a match may extend across
// adjacent rows of one line. Equally good matches are rivals. A Query can select one of the rivals,
// and Distinguish describes their differences.
//
// # Near misses
//
// If a text does not equal the query, the package compares them word by word. It ignores typical
// errors of readers and typing errors: look-alikes, accents, case, white space, marks at the ends
// of words, and one slip in a word of at least six letters or two slips in a word of at least ten.
// In a number, all digits and the marks between them must agree. However, an unsure reader may take
// a digit for a similar letter. A text with a different number, a different word, an opposite or a
// negation is a near miss: its score is below the default threshold. A list of English words
// distinguishes slips from different words. Same applies these rules to two texts.
package match

import (
	"cmp"
	"slices"
	"sync"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Tier says how closely a text matches a query. A lower Tier is a closer match.
type Tier int

// Values of Tier. Each value except the last is a form of equality. It ignores more differences
// than the value before it.
const (
	Exact      Tier = iota // equal, except for the amount of white space
	CaseFolded             // equal except for case
	SpaceFree              // equal except for the positions of white space
	Confusable             // equal except for similar glyphs, such as 0 and O, or rn and m
	Fuzzy                  // similar text that is not equal in any of the other ways
)

// tierScore has the score of an equality; for Fuzzy it is the maximum.
var tierScore = [...]float64{Exact: 1, CaseFolded: 0.99, SpaceFree: 0.98, Confusable: 0.97, Fuzzy: 0.96}

const (
	// Margin is the minimum difference in score between the best match and the next match. With a
	// smaller difference, both matches are rivals.
	Margin = 0.05

	// partCost is subtracted from the score of a part of a row. It is less than Margin, so a whole
	// row does not clearly beat a part.
	partCost = 0.02

	// shortfallCost is subtracted from an unequal part with fewer words than the query. For "Check
	// in", the "Check" of "Check out" is no better than the whole.
	shortfallCost = 0.1

	// acrossCost is subtracted from a match across rows of one line. It exceeds Margin, because the
	// line may be two texts.
	acrossCost = 0.07

	// sure is the minimum confidence of a confident word. All but one in fifty words that are read
	// correctly reach it (.97 of the certainty of Windie's own network). A confidently read word
	// that differs by a letter from a known word is a different word.
	sure = 0.865

	// floor is the minimum score of a listed match.
	floor = 0.55

	// shortQuery is the maximum length, in characters, of a query that says little. A text that is
	// not equal to it scores at most shortScore.
	shortQuery = 3
	shortScore = 0.6

	// shortMarks is added to the score of a word that equals a short query except for its marks,
	// for example "Cc:" for "Cc".
	shortMarks = 0.25
)

// Match is a row, or some words of one or more adjacent rows, that may match a query.
type Match struct {
	// Index is the index of the row in reading order. If the match has several rows, it is the
	// index of the first of them.
	Index int
	// Row has the matched text. It is a whole row, or a part of a row or of its perception.Line.
	Row perception.Row
	// Tier says how closely Row matches the query.
	Tier Tier
	// Score ranges from 0.55 (hardly similar) to 1 (equal).
	Score float64

	away float64 // weighted distance to the text of Query.Near; 0 without Near
}

// Index contains the rows of a screen in a form that is prepared for queries. It never changes, and
// is safe for concurrent use.
type Index struct {
	rows     []indexed
	lines    func() []indexedLine // lines of several rows
	negating func() []int         // indexes of rows that negate the row beside them
}

// indexedLine is a line, folded like a row.
type indexedLine struct {
	line perception.Line
	indexed
}

// NewIndex returns an Index of rows. Callers must not change rows afterwards.
func NewIndex(rows []perception.Row) *Index {
	x := &Index{rows: make([]indexed, len(rows))}
	for i, r := range rows {
		x.rows[i] = newIndexed(r)
	}
	x.lines = sync.OnceValue(func() []indexedLine { return newLines(rows) })
	x.negating = sync.OnceValue(func() []int { return negatingRows(x.rows) })
	return x
}

// newLines indexes the lines that consist of several rows.
func newLines(rows []perception.Row) (list []indexedLine) {
	for _, l := range perception.Lines(rows) {
		in := newIndexed(l.Row)
		in.begins = l.Begins
		list = append(list, indexedLine{l, in})
	}
	return list
}

// Rank returns the possible matches for a query, the best match first: by score, then by tier, then
// by reading order. If a row contains the query several times, each occurrence is a match.
func (x *Index) Rank(query string) []Match { return x.rank(query, sdkapi.Narrowing{}) }

// rank does the same as Rank, but only for matches in the region of in.
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

// byScore compares matches by score, best first, then by tier, then by distance to the text of
// Query.Near. Callers use it in a stable sort, so equals stay in reading order.
func byScore(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.away, b.away))
}

// above returns the leading part of ranked whose scores are at least threshold.
func above(ranked []Match, threshold float64) []Match {
	n := slices.IndexFunc(ranked, func(m Match) bool { return m.Score < threshold })
	if n < 0 {
		return ranked
	}
	return ranked[:n]
}

// alike returns the best of ranked, if it reaches threshold, and the matches within Margin of it.
func alike(ranked []Match, threshold float64) []Match {
	list := above(ranked, threshold)
	if len(list) == 0 {
		return nil
	}
	return above(list, list[0].Score-Margin)
}
