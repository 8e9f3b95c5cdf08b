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
	"github.com/windieos/windie/state/ledger"
)

// Bounds of a search.
const (
	MaxResults     = 50
	DefaultResults = 10
	maxExcerpt     = 800 // bytes
)

// Search is a query in files of a Kind; empty means all. A Limit of 0 is DefaultResults.
type Search struct {
	Query string `json:"query" minLength:"1" maxLength:"1000" doc:"Words in any form, \"exact phrases\", or prefixes such as inv*."`
	Kind  Kind   `json:"kind,omitempty" enum:"long_term,daily,other" doc:"Default: all."`
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
}

// SearchResult is one passage.
type SearchResult struct {
	Path      string  `json:"path"`
	Kind      Kind    `json:"kind"`
	Excerpt   string  `json:"excerpt"`
	LineStart int     `json:"line_start" doc:"From 1."`
	LineEnd   int     `json:"line_end"`
	Score     float64 `json:"score" doc:"Higher is better, among these results only."`
}

// Answer is the result of a search.
type Answer struct {
	Found    []SearchResult
	Fallback error // why an Embedder was not used; may be nil
}

// Search finds passages of a user's memory, the best first. It finds all that was
// written before; texts of other programs at most half a second later.
//
// Passages with all words of the query come first, those with adjacent words before others, and
// newer notes before older ones about as good. Passages with some of the words follow if no passage
// has them adjacent, and few have all. With an Embedder, passages of near meaning are found too.
func (m *Memory) Search(ctx context.Context, user string, s Search) (Answer, error) {
	const op = "memory.Search"
	ctx = ledger.For(ctx, user)
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
	answer := Answer{Found: make([]SearchResult, 0, limit)}
	if m.opts.Embedder != nil {
		var near []hit
		if near, answer.Fallback = m.byMeaning(ctx, r, q, s.Kind); answer.Fallback != nil { // words are enough
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

// Bounds of the candidates.
const (
	enough     = 100 // candidates of one expression, the newest
	fewTerms   = 8   // words that are enough if not all are found
	mostCommon = 500 // passages with those words, together
)

// candidates are passages that one search ranks.
type candidates struct {
	m     *Memory
	db    bun.IDB
	scope string
	read  *reader
	known map[int64]bool // which are in the list
	list  []passage
}

// byWords finds passages with the query's words, the best first. The database
// finds candidates by its index; only their texts are read and ranked.
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

// gather finds candidates, and returns the weight of each clause of the query.
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

// term is a clause of a query.
type term struct {
	match  string
	count  int // of passages that have it, up to a bound
	weight float64
}

// gatherSome adds passages with some of the clauses, the rare ones: a word of half
// of all notes says little, and takes long to look for. It changes the weights.
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
	if len(there) > 1 && len(there) < len(all) { // passages with all words that some passage has
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

// addRare adds passages with most of the rare terms, given the rarest first.
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

// newest adds the newest passages that match all expressions.
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
