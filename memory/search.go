package memory

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"math"
	"slices"

	"github.com/uptrace/bun"

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

// Search finds passages of a user's memory, the best first. All that was
// written before is there to be found; what other programs wrote, half a second
// later at most.
//
// Passages that have all words of the query come first, those that have them
// next to each other before the others, and newer notes before older ones that
// are about as good. Those with some of the words are there where no passage
// has them next to each other, and few have all. With an Embedder, what is near by its meaning is found too.
func (m *Memory) Search(ctx context.Context, user string, s Search) ([]Found, error) {
	const op = "memory.Search"
	q, err := parseQuery(s.Query)
	if err != nil {
		return nil, err
	}
	if s.Limit < 0 || s.Limit > MaxResults {
		return nil, fault.New(op, sdkapi.ValidationError, "there are too many results to give").At("limit", "expected 1 to %d", MaxResults)
	}
	if !slices.Contains([]Kind{"", LongTerm, Daily, Other}, s.Kind) {
		return nil, fault.New(op, sdkapi.ValidationError, "there is no such kind of memory").At("kind", "expected %s, %s or %s", LongTerm, Daily, Other)
	}
	r, err := m.roomOf(op, user)
	if err != nil {
		return nil, err
	}
	if _, err := m.refresh(ctx, r, false); err != nil {
		return nil, err
	}
	limit := cmp.Or(s.Limit, DefaultResults)
	hits, err := m.byWords(ctx, r, q, s.Kind, limit)
	if err != nil {
		return nil, err
	}
	if m.opts.Embedder != nil {
		near, err := m.byMeaning(ctx, r, q, s.Kind)
		if err != nil { // what has the words is found all the same
			m.opts.Log.Warn("memory is searched by words alone", slog.Any("err", err))
		}
		hits = fuse(hits, near)
	}
	list, known := make([]Found, 0, limit), lexicon{}
	for _, h := range hits[:min(limit, len(hits))] {
		list = append(list, excerptOf(h, q, known))
	}
	return list, nil
}

// How candidates are found.
const (
	enough     = 100  // that are looked at more closely; of more the newest are taken
	fewTerms   = 8    // words that may do where not all are found
	mostCommon = 1000 // passages that those words are in, together
)

// candidates are the passages that may be what one search is for.
type candidates struct {
	m     *Memory
	db    bun.IDB
	scope string
	ids   []int64
	known map[int64]bool // those of ids
	whole map[int64]bool // which have the query in one piece
}

// byWords finds what has the query's words, the best first. The database finds
// candidates, by the places of words alone, which it has at hand; what they say
// is read and ranked of those few.
func (m *Memory) byWords(ctx context.Context, r *room, q query, kind Kind, limit int) (hits []hit, err error) {
	const op = "memory.Search"
	err = m.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		c := &candidates{m: m, db: db, scope: m.index.scope(r.owner, kind), known: map[int64]bool{}, whole: map[int64]bool{}}
		weights, err := c.gather(ctx, q, limit)
		if err != nil {
			return err
		}
		if hits, err = hitsOf(ctx, db, c.ids); err == nil {
			c.rank(hits, q, weights, m.opts.now())
		}
		return err
	})
	return hits, err
}

// gather finds candidates, and says how much each clause of the query weighs.
func (c *candidates) gather(ctx context.Context, q query, limit int) (weights []float64, err error) {
	weights = slices.Repeat([]float64{1}, len(q.clauses))
	if phrase, ok := q.asPhrase(); ok {
		ids, err := c.newest(ctx, enough, c.m.index.match(phrase))
		if err != nil {
			return nil, err
		}
		c.add(ids)
		for _, id := range ids {
			c.whole[id] = true
		}
	}
	all := make([]string, len(q.clauses))
	for i, clause := range q.clauses {
		all[i] = c.m.index.match(clause)
	}
	ids, err := c.newest(ctx, enough, all...)
	if err != nil {
		return nil, err
	}
	c.add(ids)
	if len(all) == 1 || len(c.ids) >= limit || len(c.whole) > 0 {
		return weights, nil
	}
	return weights, c.gatherSome(ctx, all, weights)
}

// term is a clause of a query, and in how many passages it is.
type term struct {
	match  string
	count  int // mostCommon for more, too
	weight float64
}

// gatherSome adds what has some of the clauses, the rare ones: what is in half
// of all notes says little, and would take long. It changes the weights.
func (c *candidates) gatherSome(ctx context.Context, all []string, weights []float64) error {
	scoped := make([]string, len(all))
	for i, match := range all {
		scoped[i] = c.m.index.all([]string{c.scope, match})
	}
	found, err := counts(ctx, c.db, c.m.index, scoped, mostCommon)
	if err != nil {
		return err
	}
	var there []term
	for i, n := range found {
		weights[i] = math.Log(1 + mostCommon/(float64(n)+1))
		if n > 0 {
			there = append(there, term{all[i], n, weights[i]})
		}
	}
	slices.SortStableFunc(there, func(a, b term) int { return cmp.Compare(a.count, b.count) })
	if len(there) > 1 && len(there) < len(all) { // what has all words that there are
		rest := make([]string, len(there))
		for i, t := range there {
			rest[i] = t.match
		}
		ids, err := c.newest(ctx, enough, rest...)
		if err != nil {
			return err
		}
		c.add(ids)
	}
	return c.addRare(ctx, there)
}

// addRare adds what has the most of the rare terms, given the rarest first.
func (c *candidates) addRare(ctx context.Context, terms []term) error {
	scores, sum := map[int64]float64{}, 0
	for i, t := range terms[:min(fewTerms, len(terms))] {
		if sum += t.count; sum > mostCommon && i > 0 {
			break
		}
		ids, err := c.newest(ctx, mostCommon, t.match)
		if err != nil {
			return err
		}
		for _, id := range ids {
			scores[id] += t.weight
		}
	}
	ids := slices.SortedFunc(maps.Keys(scores), func(a, b int64) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a))
	})
	c.add(ids[:min(enough, len(ids))])
	return nil
}

// newest returns what all expressions take, of more than so many the newest.
func (c *candidates) newest(ctx context.Context, most int, expressions ...string) ([]int64, error) {
	return c.m.index.newest(ctx, c.db, c.m.index.all(append([]string{c.scope}, expressions...)), most)
}

func (c *candidates) add(ids []int64) {
	for _, id := range ids {
		if !c.known[id] {
			c.known[id] = true
			c.ids = append(c.ids, id)
		}
	}
}
