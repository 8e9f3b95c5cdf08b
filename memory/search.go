package memory

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of what a search gives.
const (
	MaxResults     = 50
	DefaultResults = 10
	maxExcerpt     = 800 // bytes
)

// Search says what to look for.
type Search struct {
	Query string // words, "phrases" and beginnings*
	Kind  Kind   // of files to look into; empty for all
	Limit int    // most results; 0 for DefaultResults
}

// Found is a passage that was found.
type Found struct {
	Path      string
	Kind      Kind
	Excerpt   string  // of the file, as it stands there
	LineStart int     // of the excerpt, from 1
	LineEnd   int     // the last, included
	Score     float64 // higher is better, among the results of one search
}

// Answer is what a search gives.
type Answer struct {
	Found    []Found
	Fallback error // why it is by words alone although there is an Embedder; nil for no such reason
}

// Search finds passages of a user's memory, the best first. All that was
// written before is there to be found; what other programs wrote, half a second
// later at most.
//
// Passages that have all words of the query come first, those that have them
// next to each other before the others, and newer notes before older ones that
// are about as good. Those with some of the words are there where no passage
// has them next to each other, and few have all. With an Embedder, what is near by its meaning is found too.
func (m *Memory) Search(ctx context.Context, user string, s Search) (Answer, error) {
	const op = "memory.Search"
	q, err := parseQuery(s.Query)
	if err != nil {
		return Answer{}, err
	}
	if s.Limit < 0 || s.Limit > MaxResults {
		return Answer{}, fault.New(op, sdkapi.ValidationError, "there are too many results to give").At("limit", "expected 1 to %d", MaxResults)
	}
	if !slices.Contains([]Kind{"", LongTerm, Daily, Other}, s.Kind) {
		return Answer{}, fault.New(op, sdkapi.ValidationError, "there is no such kind of memory").At("kind", "expected %s, %s or %s", LongTerm, Daily, Other)
	}
	r, err := m.roomOf(op, user)
	if err != nil {
		return Answer{}, err
	}
	if _, err := m.refresh(ctx, r, false); err != nil {
		return Answer{}, err
	}
	limit := cmp.Or(s.Limit, DefaultResults)
	hits, err := m.byWords(ctx, r, q, s.Kind, limit)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Found: make([]Found, 0, limit)}
	if m.opts.Embedder != nil {
		var near []hit
		if near, answer.Fallback = m.byMeaning(ctx, r, q, s.Kind); answer.Fallback != nil { // what has the words is found all the same
			m.opts.Log.Warn("memory is searched by words alone", slog.Any("err", answer.Fallback))
		}
		hits = fuse(hits, near)
	}
	for _, h := range hits[:min(limit, len(hits))] {
		answer.Found = append(answer.Found, excerptOf(h, q))
	}
	return answer, nil
}

// How passages are ranked.
const (
	enough      = 60                  // candidates that are looked at more closely
	fewTerms    = 8                   // words that may do where not all are found
	mostCommon  = 3000                // passages that those words are in, together
	mostRanked  = 2000                // passages that a database ranks; of more the newest are taken
	saturation  = 1.2                 // BM25's k1: how soon more of a word is not better
	lengthShare = 0.75                // BM25's b: how much longer passages are worse
	usualLength = 200.0               // words of a passage
	adjacent    = 2.0                 // times as good is the whole query in one piece
	newer       = 0.2                 // as much better is a note of today than an old one
	halfLife    = 30 * 24 * time.Hour // in which half of that is gone
)

// candidates are what one search has found so far.
type candidates struct {
	m     *Memory
	db    bun.IDB
	scope string
	known map[int64]int // by id, where it is in hits
	hits  []hit
	whole map[int64]bool // which have the query in one piece
}

// byWords finds what has the query's words, the best first.
func (m *Memory) byWords(ctx context.Context, r *room, q query, kind Kind, limit int) (hits []hit, err error) {
	const op = "memory.Search"
	err = m.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		c := &candidates{m: m, db: db, scope: m.index.scope(r.owner, kind), known: map[int64]int{}, whole: map[int64]bool{}}
		weights, err := c.gather(ctx, q, limit)
		if err != nil {
			return err
		}
		c.rank(q, weights, m.opts.now())
		hits = c.hits
		return nil
	})
	return hits, err
}

// gather finds candidates, and says how much each clause of the query weighs.
func (c *candidates) gather(ctx context.Context, q query, limit int) (weights []float64, err error) {
	weights = slices.Repeat([]float64{1}, len(q.clauses))
	if phrase, ok := q.asPhrase(); ok {
		if err := c.add(ctx, c.m.index.match(phrase)); err != nil {
			return nil, err
		}
		for _, h := range c.hits {
			c.whole[h.ID] = true
		}
	}
	all := make([]string, len(q.clauses))
	for i, clause := range q.clauses {
		all[i] = c.m.index.match(clause)
	}
	if err := c.add(ctx, all...); err != nil || len(all) == 1 || len(c.hits) >= limit || len(c.whole) > 0 {
		return weights, err
	}
	return c.gatherSome(ctx, all, weights)
}

// gatherSome adds what has some of the clauses, the rare ones: what is in half
// of all notes says little, and would take long.
func (c *candidates) gatherSome(ctx context.Context, all []string, weights []float64) ([]float64, error) {
	type rarity struct{ at, count int }
	var list []rarity
	for i, expression := range all {
		n, err := c.m.index.count(ctx, c.db, c.m.index.all([]string{c.scope, expression}), mostCommon)
		if err != nil {
			return nil, err
		}
		weights[i] = math.Log(1 + mostCommon/(float64(n)+1))
		if n > 0 {
			list = append(list, rarity{i, n})
		}
	}
	slices.SortFunc(list, func(a, b rarity) int { return cmp.Compare(a.count, b.count) })
	var some []string
	sum := 0
	for _, term := range list[:min(fewTerms, len(list))] {
		if sum += term.count; sum > mostCommon && len(some) > 0 {
			break
		}
		some = append(some, all[term.at])
	}
	if len(list) > 1 && len(list) < len(all) { // what has all words that there are
		var there []string
		for _, term := range list {
			there = append(there, all[term.at])
		}
		if err := c.add(ctx, there...); err != nil {
			return nil, err
		}
	}
	if len(some) == 0 {
		return weights, nil
	}
	return weights, c.add(ctx, c.m.index.some(some))
}

// add adds what all expressions take. That the database ranks it takes it
// longer than finding it, and is for where there is more than enough and none
// that has the query in one piece: that one comes first anyway.
func (c *candidates) add(ctx context.Context, expressions ...string) error {
	expression := c.m.index.all(append([]string{c.scope}, expressions...))
	list, err := c.m.index.find(ctx, c.db, expression, false, enough+1)
	if err == nil && len(list) > enough && len(c.whole) == 0 {
		var n int
		if n, err = c.m.index.count(ctx, c.db, expression, mostRanked+1); err == nil && n <= mostRanked {
			list, err = c.m.index.find(ctx, c.db, expression, true, enough)
		}
	}
	for _, h := range list {
		if _, known := c.known[h.ID]; !known {
			c.known[h.ID] = len(c.hits)
			c.hits = append(c.hits, h)
		}
	}
	return err
}

// rank sorts candidates by BM25 and by their age.
func (c *candidates) rank(q query, weights []float64, now time.Time) {
	for i := range c.hits {
		h := &c.hits[i]
		text := words(h.Text)
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
	slices.SortStableFunc(c.hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
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
