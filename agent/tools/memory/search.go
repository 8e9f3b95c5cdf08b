package memory

import (
	"cmp"
	"context"
	"log/slog"
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

// Search is a query of the memory. If Kind is empty, it searches files of all kinds. A Limit of 0
// means DefaultResults.
type Search struct {
	Query string `json:"query" minLength:"1" maxLength:"1000" doc:"Words in any form, \"exact phrases\", or prefixes such as inv*."`
	Kind  Kind   `json:"kind,omitempty" enum:"long_term,daily,other" doc:"Kind of memory to search (default: all)."`
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
}

// SearchResult is one passage that a search has found.
type SearchResult struct {
	Path      string  `json:"path"`
	Kind      Kind    `json:"kind"`
	Excerpt   string  `json:"excerpt"`
	LineStart int     `json:"line_start" doc:"First line of the passage, from 1."`
	LineEnd   int     `json:"line_end"`
	Score     float64 `json:"score" doc:"Score of the passage. A higher score is better. Scores of two searches are not comparable."`
}

// Answer is the result of a search.
type Answer struct {
	Found    []SearchResult
	Fallback error // reason why Search did not use the Embedder; nil if nothing failed
}

// Search finds passages of a user's memory, best first. It finds every entry that Write has written
// before. Texts that other programs have written can be found after at most half a second.
//
// Passages with all words of the query come first. Among them, passages with adjacent words come
// first, and newer notes come before older notes of similar quality. If few passages have all
// words, and no passage has them adjacent, passages with some of the words follow. With an
// Embedder, Search also finds passages with a similar meaning.
func (m *Memory) Search(ctx context.Context, user string, s Search) (Answer, error) {
	const op = "memory.Search"
	ctx = ledger.For(ctx, user)
	q, err := parseQuery(s.Query)
	if err != nil {
		return Answer{}, err
	}
	if s.Limit < 0 || s.Limit > MaxResults {
		return Answer{}, fault.New(op, sdkapi.ValidationError, "the number of results is out of range").At("limit", "expected 1 to %d", MaxResults)
	}
	if !slices.Contains([]Kind{"", LongTerm, Daily, Other}, s.Kind) {
		return Answer{}, fault.New(op, sdkapi.ValidationError, "unknown kind of memory").At("kind", "expected %s, %s or %s", LongTerm, Daily, Other)
	}
	r, err := m.roomOf(op, user)
	if err != nil {
		return Answer{}, err
	}
	limit := cmp.Or(s.Limit, DefaultResults)
	if _, err := m.refresh(ctx, r, false); err != nil {
		return Answer{}, err
	}
	found, err := m.byWords(ctx, r, q, s.Kind, limit)
	if err != nil {
		return Answer{}, err
	}
	var near []int64
	answer := Answer{Found: []SearchResult{}}
	if m.opts.Embedder != nil {
		if near, answer.Fallback = m.byMeaning(ctx, r, q, s.Kind); answer.Fallback != nil { // words are enough
			m.opts.Log.Warn("the embedding model failed; memory search uses words only", slog.Any("err", answer.Fallback))
		}
	}
	hits := fuse(found, near)
	hits = hits[:min(limit, len(hits))]
	texts, err := m.texts(ctx, hits)
	for _, ranked := range hits {
		if h, there := texts[ranked.ID]; there {
			answer.Found = append(answer.Found, excerptOf(h, q, ranked.score))
		}
	}
	return answer, err
}

// enough is the maximum number of passages in one ranking.
const enough = 100

// byWords finds passages with the query's words, the best first.
func (m *Memory) byWords(ctx context.Context, r *room, q query, kind Kind, limit int) (ids []int64, err error) {
	err = m.db.Ask(ctx, "memory.Search", func(ctx context.Context, db *bun.DB) error {
		l := &looking{m: m, db: db, r: r, kind: kind, expressions: m.expressions(r.owner)}
		err := l.forWords(ctx, q.clauses, limit)
		ids = l.ids
		return err
	})
	return ids, err
}

// looking is one search for words.
type looking struct {
	m    *Memory
	db   bun.IDB
	r    *room
	kind Kind
	expressions
	ids []int64 // the passages found so far
}

// forWords finds passages with all clauses. If these are few and none has them as a phrase, it adds passages with some
// of the clauses: with those that no passage lacks, and with rare ones. A word in half of all notes says little.
func (l *looking) forWords(ctx context.Context, clauses []clause, limit int) error {
	whole, err := l.forAll(ctx, clauses)
	if err != nil || whole || len(l.ids) >= limit || len(clauses) == 1 {
		return err
	}
	counts, err := l.m.counts(ctx, l.db, l.each(clauses))
	if err != nil {
		return err
	}
	type counted struct {
		clause
		n int
	}
	var there []clause
	var rare []counted
	for i, c := range clauses {
		if counts[i] > 0 {
			there, rare = append(there, c), append(rare, counted{c, counts[i]})
		}
	}
	if len(there) == 0 {
		return nil
	}
	if len(there) < len(clauses) {
		if _, err := l.forAll(ctx, there); err != nil {
			return err
		}
	}
	slices.SortStableFunc(rare, func(a, b counted) int { return cmp.Compare(a.n, b.n) }) // the rarest first
	sum, some := 0, []clause{}
	for _, c := range rare {
		if sum += c.n; sum > mostCommon && len(some) > 0 {
			break
		}
		some = append(some, c.clause)
	}
	return l.add(ctx, l.join(some, l.or))
}

// forAll finds passages with all clauses, and reports whether one has them as a phrase. These are first.
func (l *looking) forAll(ctx context.Context, clauses []clause) (whole bool, err error) {
	if phrase := phraseOf(clauses); len(phrase.words) > 0 {
		if err := l.add(ctx, l.of(phrase)); err != nil {
			return false, err
		}
	}
	whole = len(l.ids) > 0
	return whole, l.add(ctx, l.join(clauses, l.and))
}

// add adds passages that match an expression.
func (l *looking) add(ctx context.Context, expression string) error {
	found, err := l.m.find(ctx, l.db, l.r, l.kind, expression)
	l.ids = append(l.ids, slices.DeleteFunc(found, func(id int64) bool { return slices.Contains(l.ids, id) })...)
	return err
}

// texts returns the passages of hits that still exist, by their ids.
func (m *Memory) texts(ctx context.Context, hits []hit) (map[int64]hit, error) {
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	texts := make(map[int64]hit, len(hits))
	if len(ids) == 0 {
		return texts, nil
	}
	var list []hit
	err := m.db.Ask(ctx, "memory.Search", func(ctx context.Context, db *bun.DB) error {
		list = nil
		return db.NewRaw("SELECT id, path, kind, line_start, line_end, text FROM memory_chunks WHERE id IN (?)", bun.List(ids)).Scan(ctx, &list)
	})
	for _, h := range list {
		texts[h.ID] = h
	}
	return texts, err
}
