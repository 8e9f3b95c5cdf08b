package memory

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/state/database"
)

// Parameters of ranking.
const (
	saturation  = 1.2                 // BM25's k1: how soon more of a word is not better
	lengthShare = 0.75                // BM25's b: how much longer passages are worse
	usualLength = 200.0               // words of a passage
	adjacent    = 2.0                 // times as good is the whole query in one piece
	newer       = 0.2                 // gain of a note of today over an old one
	halfLife    = 30 * 24 * time.Hour // in which half of that is gone
)

// passage is a hit with the words for ranking.
type passage struct {
	hit
	length int    // words
	asked  []word // words of the query, with an empty word for others between them
	whole  bool   // it has the query in one piece
}

// reader reads hits for one query.
type reader struct {
	q      query
	phrase clause   // the whole query in one piece; see asPhrase
	pairs  []clause // of neighbours in the query
	known  lexicon
	asked  map[word]bool
}

func newReader(q query) *reader {
	r := &reader{q: q, known: lexicon{}, asked: map[word]bool{}}
	r.phrase = q.asPhrase()
	for i := 1; i < len(q.clauses); i++ {
		if a, b := q.clauses[i-1], q.clauses[i]; !a.exact && !b.exact {
			r.pairs = append(r.pairs, clause{words: slices.Concat(a.words, b.words)})
		}
	}
	return r
}

// read keeps the few words of a hit's text that are in the query: clauses are then
// looked for in those.
func (r *reader) read(h hit) passage {
	text := r.known.words(h.Text)
	p := passage{hit: h, length: len(text)}
	for _, w := range text {
		asked, known := r.asked[w]
		if !known {
			asked = r.q.asks(w)
			r.asked[w] = asked
		}
		if asked {
			p.asked = append(p.asked, w)
		} else if n := len(p.asked); n > 0 && p.asked[n-1] != (word{}) {
			p.asked = append(p.asked, word{})
		}
	}
	p.whole = len(r.phrase.words) > 0 && r.phrase.occurs(p.asked) > 0
	return p
}

// rank sorts passages by BM25 (Robertson and Zaragoza, 2009), by the share of the
// query that they have in one piece, and by their age.
func (r *reader) rank(list []passage, weights []float64, now time.Time) []hit {
	for i := range list {
		p := &list[i]
		length := 1 - lengthShare + lengthShare*float64(p.length)/usualLength
		for j, clause := range r.q.clauses {
			n := float64(clause.occurs(p.asked))
			p.score += weights[j] * n * (saturation + 1) / (n + saturation*length)
		}
		if p.whole {
			p.score *= adjacent
		} else {
			p.score *= 1 + (adjacent-1)*r.together(p.asked)
		}
		p.score *= 1 + newer*youth(p.hit, now)
	}
	list = slices.DeleteFunc(list, func(p passage) bool { return p.score == 0 })
	slices.SortFunc(list, func(a, b passage) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.ID, a.ID)) })
	hits := make([]hit, len(list))
	for i, p := range list {
		hits[i] = p.hit
	}
	return hits
}

// together is the share of the query's clauses that follow each other in a text.
func (r *reader) together(text []word) float64 {
	n := 0
	for _, pair := range r.pairs {
		if pair.occurs(text) > 0 {
			n++
		}
	}
	return float64(n) / float64(len(r.q.clauses))
}

// youth is 1 for today's notes, and half of that after a month. Notes without a day are never old.
func youth(h hit, now time.Time) float64 {
	if h.Day == 0 {
		return 1
	}
	age := max(0, now.Sub(database.Time(h.Day)))
	return math.Exp2(-age.Hours() / halfLife.Hours())
}

// asks reports whether a word is in the query.
func (q query) asks(w word) bool {
	return slices.ContainsFunc(q.clauses, func(c clause) bool {
		for i := range c.words {
			if c.is(i, w) {
				return true
			}
		}
		return false
	})
}

// occurs counts a clause in a text.
func (c clause) occurs(text []word) int {
	n := 0
	for i := 0; i+len(c.words) <= len(text); i++ {
		if c.at(text[i:]) {
			n++
		}
	}
	return n
}

// at reports whether a text begins with the clause.
func (c clause) at(text []word) bool {
	for i := range c.words {
		if !c.is(i, text[i]) {
			return false
		}
	}
	return true
}

// is reports whether a word is word i of the clause.
func (c clause) is(i int, w word) bool {
	if !c.exact {
		return w.stem == c.words[i].stem
	}
	return w.plain == c.words[i].plain || c.prefix && i == len(c.words)-1 && strings.HasPrefix(w.plain, c.words[i].plain)
}
