package memory

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/database"
)

// How passages are ranked.
const (
	saturation  = 1.2                 // BM25's k1: how soon more of a word is not better
	lengthShare = 0.75                // BM25's b: how much longer passages are worse
	usualLength = 200.0               // words of a passage
	adjacent    = 2.0                 // times as good is the whole query in one piece
	newer       = 0.2                 // as much better is a note of today than an old one
	halfLife    = 30 * 24 * time.Hour // in which half of that is gone
)

// rank sorts candidates by BM25 and by their age.
func (c *candidates) rank(hits []hit, q query, weights []float64, now time.Time) {
	known := lexicon{}
	for i := range hits {
		h := &hits[i]
		text := known.words(h.Text)
		length := 1 - lengthShare + lengthShare*float64(len(text))/usualLength
		for j, clause := range q.clauses {
			n := float64(clause.occurs(text))
			h.score += weights[j] * n * (saturation + 1) / (n + saturation*length)
		}
		if c.whole[h.ID] {
			h.score *= adjacent
		} else {
			h.score *= 1 + (adjacent-1)*q.together(text)
		}
		h.score *= 1 + newer*youth(*h, now)
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.ID, a.ID)) })
}

// together is the share of the query's clauses that follow each other in a text
// as they do in the query.
func (q query) together(text []word) float64 {
	n := 0
	for i := 1; i < len(q.clauses); i++ {
		a, b := q.clauses[i-1], q.clauses[i]
		if !a.exact && !b.exact && (clause{words: slices.Concat(a.words, b.words)}).occurs(text) > 0 {
			n++
		}
	}
	return float64(n) / float64(len(q.clauses))
}

// youth is 1 for today's notes, and half of that for those of a month ago. What
// is known for long is never old.
func youth(h hit, now time.Time) float64 {
	if h.Day == 0 {
		return 1
	}
	age := max(0, now.Sub(database.Time(h.Day)))
	return math.Exp2(-age.Hours() / halfLife.Hours())
}

// occurs counts how often a clause is in a text.
func (c clause) occurs(text []word) int {
	forms, n := c.forms(), 0
	for i := 0; i+len(forms) <= len(text); i++ {
		if c.at(text[i:], forms) {
			n++
		}
	}
	return n
}

// at reports whether a text begins with the clause.
func (c clause) at(text []word, forms []string) bool {
	for i, form := range forms {
		w := text[i].stem
		if c.exact {
			w = text[i].plain
		}
		if w != form && (!c.prefix || i < len(forms)-1 || !strings.HasPrefix(w, form)) {
			return false
		}
	}
	return true
}
