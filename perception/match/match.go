// Package match tells which rows of a screen answer a text query.
//
//	ranked := match.Rank("Search", scene.Rows)
//	one, rivals := match.Choose(ranked, 0.8)
package match

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lithammer/fuzzysearch/fuzzy"

	"github.com/windieos/windie/perception"
)

// Margin is how much better the best match must score than the next to be
// the one meant.
const Margin = 0.05

// Match is a row that may answer a query.
type Match struct {
	Index int // of the row, in reading order
	Row   perception.Row
	Score float64 // 0 unlike, 1 the same but for case and white space
}

// Score tells how well text answers query: one minus the Levenshtein distance
// by the longer one's length, after folding case and runs of white space.
// Texts whose lengths alone rule out a score of 0.3 score 0.
func Score(query, text string) float64 {
	q, t := fold(query), fold(text)
	if q == t {
		return 1
	}
	short, long := utf8.RuneCountInString(q), utf8.RuneCountInString(t)
	if short > long {
		short, long = long, short
	}
	if float64(short) < 0.3*float64(long) {
		return 0
	}
	return 1 - float64(fuzzy.LevenshteinDistance(q, t))/float64(long)
}

func fold(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// Rank scores all rows that have something in common with query, best first,
// equal ones in reading order.
func Rank(query string, rows []perception.Row) []Match {
	var ranked []Match
	for i, row := range rows {
		if score := Score(query, row.Text); score > 0 {
			ranked = append(ranked, Match{Index: i, Row: row, Score: score})
		}
	}
	slices.SortStableFunc(ranked, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return ranked
}

// Above returns the part of ranked whose score is at least threshold.
func Above(ranked []Match, threshold float64) []Match {
	n := slices.IndexFunc(ranked, func(m Match) bool { return m.Score < threshold })
	if n < 0 {
		return ranked
	}
	return ranked[:n]
}

// Choose picks the one match that is meant: the best of ranked, when it meets
// threshold and no other that does comes within Margin of it. Otherwise one is
// nil, and rivals holds the matches that cannot be told apart, or none when
// nothing meets threshold.
func Choose(ranked []Match, threshold float64) (one *Match, rivals []Match) {
	above := Above(ranked, threshold)
	if len(above) == 0 {
		return nil, nil
	}
	rivals = Above(above, above[0].Score-Margin)
	if len(rivals) == 1 {
		return &rivals[0], nil
	}
	return nil, rivals
}
