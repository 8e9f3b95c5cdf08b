package memory

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
)

// hit is a chunk of the index.
type hit struct {
	ID        int64
	Path      string
	Kind      Kind
	LineStart int
	LineEnd   int
	Text      string

	score float64
}

// placed is a chunk with the path of its file.
type placed struct {
	chunk
	path string
}

// batchWords is the number of chunks whose words one statement inserts.
const batchWords = 200

// insertChunks adds chunks, in a transaction of change.
func (m *Memory) insertChunks(ctx context.Context, tx bun.Tx, owner string, list []placed) error {
	var before int64
	if err := tx.NewRaw("SELECT coalesce(max(id), 0) FROM memory_chunks").Scan(ctx, &before); err != nil {
		return err
	}
	insert := "INSERT INTO memory_terms (rowid, words) SELECT value ->> 0, value ->> 1 FROM json_each(?)"
	if m.db.Postgres() {
		insert = "INSERT INTO memory_terms (rowid, terms) SELECT (v ->> 0)::bigint, to_tsvector('english', v ->> 1) FROM json_array_elements(?::json) AS v"
	}
	for some := range slices.Chunk(list, batchWords) {
		rows := make([][]any, len(some))
		for i, c := range some {
			kind, day := kindOf(c.path)
			var micros int64
			if !day.IsZero() {
				micros = database.Micros(day)
			}
			rows[i] = []any{owner, c.path, string(kind), micros, c.start, c.end, c.hash(), c.text}
		}
		if err := m.db.Insert(ctx, tx, "INSERT INTO memory_chunks (owner, path, kind, day, line_start, line_end, hash, text)", rows); err != nil {
			return err
		}
		var fresh []hit
		if err := tx.NewRaw("SELECT id, text FROM memory_chunks WHERE owner = ? AND id > ? ORDER BY id", owner, before).Scan(ctx, &fresh); err != nil {
			return err
		}
		terms := make([][]any, len(fresh))
		for i, h := range fresh {
			terms[i] = []any{h.ID, markOf(owner).both(h.Text)}
			before = h.ID
		}
		text, err := json.Marshal(terms)
		if err != nil {
			return err
		}
		if _, err := tx.NewRaw(insert, string(text)).Exec(ctx); err != nil {
			return err
		}
	}
	if !m.db.Postgres() {
		return nil
	}
	// PostgreSQL collects new rows in a pending list that every search would read. Merging the list once is several
	// times as fast as merging each row.
	_, err := tx.NewRaw("SELECT gin_clean_pending_list('memory_terms_by_term')").Exec(ctx)
	return err
}

// Parameters of ranking.
const (
	mostRanked = 2000                // number of newest matches that the database ranks
	newer      = 0.2                 // gain of a note of today over a very old one
	halfLife   = 30 * 24 * time.Hour // age at which the gain is half
)

// find returns the ids of passages that match an expression, best first, at most enough. A note without a day counts as
// new.
func (m *Memory) find(ctx context.Context, db bun.IDB, r *room, kind Kind, expression string) (ids []int64, err error) {
	now := database.Micros(m.opts.now())
	words, newest, rank, ranked := "bm25(memory_terms)", "memory_terms.rowid", "-words", []any{}
	if m.db.Postgres() { // sorting by an expression keeps PostgreSQL from walking all ids in order
		words, newest, rank, ranked = "terms", "rowid + 0", "ts_rank(words, to_tsquery('english', ?), 1)", []any{expression}
	}
	err = db.NewRaw("SELECT id FROM (SELECT c.id, c.day, "+words+" AS words FROM memory_terms CROSS JOIN memory_chunks AS c WHERE "+m.matches()+
		" AND c.id = memory_terms.rowid AND c.owner = ? AND (? = '' OR c.kind = ?) ORDER BY "+newest+" DESC LIMIT ?) AS found ORDER BY "+rank+
		" * (1 + ? * CASE WHEN day = 0 OR day > ? THEN 1 ELSE exp((day - ?) * ?) END) DESC, id DESC LIMIT ?",
		slices.Concat([]any{expression, r.owner, string(kind), string(kind), mostRanked}, ranked,
			[]any{newer, now, now, math.Ln2 / float64(halfLife.Microseconds()), enough})...).Scan(ctx, &ids)
	return ids, err
}

// matches returns the condition on memory_terms for the chunks that match an expression. The expression is its only
// parameter.
func (m *Memory) matches() string {
	if m.db.Postgres() {
		return "terms @@ to_tsquery('english', ?)"
	}
	return "memory_terms MATCH ?"
}

// mostCommon is the maximum number of passages with a word that still counts as rare.
const mostCommon = 500

// counts returns the number of chunks that match each expression, up to mostCommon.
func (m *Memory) counts(ctx context.Context, db bun.IDB, expressions []string) ([]int, error) {
	var parts []string
	var values []any
	for i, expression := range expressions {
		parts = append(parts, "SELECT ? AS i, (SELECT count(*) FROM (SELECT 1 FROM memory_terms WHERE "+m.matches()+" LIMIT ?) AS found) AS n")
		values = append(values, i, expression, mostCommon)
	}
	var rows []struct{ I, N int }
	err := db.NewRaw(strings.Join(parts, " UNION ALL "), values...).Scan(ctx, &rows)
	list := make([]int, len(expressions))
	for _, row := range rows {
		list[row.I] = row.N
	}
	return list, err
}

// expressions joins the words of queries for a database.
type expressions struct {
	mark
	quote, next string // around words that follow each other, and between them
	more        string // after a word that may go on
	and, or     string
}

// expressions returns the syntax of the database for the words of an owner.
func (m *Memory) expressions(owner string) expressions {
	if m.db.Postgres() {
		return expressions{markOf(owner), "'", "' <-> '", ":*", ") & (", ") | ("}
	}
	return expressions{markOf(owner), `"`, " ", " *", ") AND (", ") OR ("}
}

// of returns the expression for a clause. The words of the clause must not contain quotes.
func (x expressions) of(c clause) string {
	list, form, more := make([]string, len(c.words)), x.stems, ""
	if c.exact {
		form = x.exact
	}
	if c.prefix {
		more = x.more
	}
	for i, w := range c.words {
		list[i] = form(w)
	}
	return x.quote + strings.Join(list, x.next) + x.quote + more
}

// each returns the expressions for clauses.
func (x expressions) each(clauses []clause) []string {
	list := make([]string, len(clauses))
	for i, c := range clauses {
		list[i] = x.of(c)
	}
	return list
}

// join joins the expressions of clauses with by, which is x.and or x.or.
func (x expressions) join(clauses []clause, by string) string {
	return "(" + strings.Join(x.each(clauses), by) + ")"
}
