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
	limit := cmp.Or(s.Limit, DefaultResults)
	var hits []hit
	err = m.upToDate(ctx, r, func() (err error) {
		hits, err = m.byWords(ctx, r, q, s.Kind, limit)
		return err
	})
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
	known := lexicon{}
	for _, h := range hits[:min(limit, len(hits))] {
		answer.Found = append(answer.Found, excerptOf(h, q, known))
	}
	return answer, nil
}

// How candidates are found.
const (
	enough     = 100 // that are looked at more closely; of more the newest are taken
	fewTerms   = 8   // words that may do where not all are found
	mostCommon = 500 // passages that those words are in, together
)

// candidates are the passages that may be what one search is for.
type candidates struct {
	m     *Memory
	db    bun.IDB
	scope string
	read  *reader
	known map[int64]bool // which are in the list
	list  []passage
}

// byWords finds what has the query's words, the best first. The database finds
// candidates by their words alone, which it has at hand in its index; only what
// these few say is read and ranked.
func (m *Memory) byWords(ctx context.Context, r *room, q query, kind Kind, limit int) (hits []hit, err error) {
	const op = "memory.Search"
	err = m.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		c := &candidates{m: m, db: db, scope: m.index.scope(r.owner, kind), read: newReader(q), known: map[int64]bool{}}
		weights, err := c.gather(ctx, limit)
		hits = c.read.rank(c.list, weights, m.opts.now())
		return err
	})
	return hits, err
}

// gather finds candidates, and says how much each clause of the query weighs.
func (c *candidates) gather(ctx context.Context, limit int) (weights []float64, err error) {
	clauses := c.read.q.clauses
	all, weights := make([]string, len(clauses)), make([]float64, len(clauses))
	for i, clause := range clauses {
		all[i], weights[i] = c.m.index.match(clause), 1
	}
	if err := c.newest(ctx, all...); err != nil || len(all) == 1 {
		return weights, err
	}
	if phrase := c.read.phrase; len(c.list) >= enough && len(phrase.words) > 0 { // an older one may be better
		if err := c.newest(ctx, c.m.index.match(phrase)); err != nil {
			return weights, err
		}
	}
	if len(c.list) >= limit || slices.ContainsFunc(c.list, func(p passage) bool { return p.whole }) {
		return weights, nil
	}
	return weights, c.gatherSome(ctx, all, weights)
}

// term is a clause of a query, and in how many passages it is.
type term struct {
	match  string
	count  int // up to a bound
	weight float64
}

// gatherSome adds what has some of the clauses, the rare ones: what is in half
// of all notes says little, and would take long. It changes the weights.
func (c *candidates) gatherSome(ctx context.Context, all []string, weights []float64) error {
	scoped := make([]string, len(all))
	for i, match := range all {
		scoped[i] = c.m.index.all([]string{c.scope, match})
	}
	most := mostCommon * fewTerms / max(fewTerms, len(all)) // so that a long query takes no longer
	found, err := counts(ctx, c.db, c.m.index, scoped, most)
	if err != nil {
		return err
	}
	var there []term
	for i, n := range found {
		weights[i] = math.Log(1 + float64(most)/float64(n+1))
		if n > 0 {
			there = append(there, term{scoped[i], n, weights[i]})
		}
	}
	slices.SortStableFunc(there, func(a, b term) int { return cmp.Compare(a.count, b.count) })
	if len(there) > 1 && len(there) < len(all) { // what has all words that there are
		rest := make([]string, len(there))
		for i, t := range there {
			rest[i] = t.match
		}
		if err := c.newest(ctx, rest...); err != nil {
			return err
		}
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
		ids, err := c.m.index.newest(ctx, c.db, t.match, mostCommon)
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
	return c.add(ctx, ids[:min(enough, len(ids))])
}

// newest adds what all expressions take, of more than enough the newest.
func (c *candidates) newest(ctx context.Context, expressions ...string) error {
	ids, err := c.m.index.newest(ctx, c.db, c.m.index.all(append([]string{c.scope}, expressions...)), enough)
	if err != nil {
		return err
	}
	return c.add(ctx, ids)
}

func (c *candidates) add(ctx context.Context, ids []int64) error {
	hits, err := hitsOf(ctx, c.db, slices.DeleteFunc(ids, func(id int64) bool { return c.known[id] }))
	for _, h := range hits {
		c.known[h.ID] = true
		c.list = append(c.list, c.read.read(h))
	}
	return err
}
