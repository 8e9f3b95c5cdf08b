package memory

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/database"
)

// index is what each database does in its own way: keeping the words of chunks,
// and finding them. Both are given the words that this package makes. An
// expression is what match returns.
type index interface {
	// insert adds chunks, in a transaction.
	insert(ctx context.Context, tx bun.Tx, owner string, list []placed) error

	// scope is the expression for an owner's chunks, of one kind unless that is
	// empty; match for those with a clause; and all and some join expressions.
	scope(owner string, kind Kind) string
	match(c clause) string
	all(list []string) string
	some(list []string) string

	// takes is the condition on the table of words, memory_terms, for the chunks
	// that an expression takes, which is its only value.
	takes() string

	// newest returns the ids of the chunks that an expression takes, of more than
	// so many the newest.
	newest(ctx context.Context, db bun.IDB, expression string, most int) ([]int64, error)
}

func indexOf(db *database.DB) index {
	if db.Postgres() {
		return postgresIndex{db}
	}
	return sqliteIndex{db}
}

// hit is a chunk that was found.
type hit struct {
	ID        int64
	Path      string
	Kind      Kind
	Day       int64 // of a daily file, in microseconds since 1970; else 0
	LineStart int
	LineEnd   int
	Text      string

	score float64
}

// hitsOf returns the chunks with these ids that are still there, in no order.
func hitsOf(ctx context.Context, db bun.IDB, ids []int64) (list []hit, err error) {
	if len(ids) > 0 {
		err = db.NewRaw("SELECT id, path, kind, day, line_start, line_end, text FROM memory_chunks WHERE id IN (?)", bun.List(ids)).Scan(ctx, &list)
	}
	return list, err
}

// placed is a chunk with the file that it is of.
type placed struct {
	chunk
	path string
}

// insertChunks is how both keep a chunk: its id, and row.
const insertChunks = "INSERT INTO memory_chunks (id, owner, path, kind, day, line_start, line_end, hash, text)"

// row is what the table of chunks keeps of one.
func (c placed) row(owner string) []any {
	kind, day := kindOf(c.path)
	var micros int64
	if !day.IsZero() {
		micros = database.Micros(day)
	}
	return []any{owner, c.path, string(kind), micros, c.start, c.end, c.hash(), c.text}
}

// forms returns the words of a text as stems and as they are written.
func (l lexicon) forms(text string) (stems, plain []string) {
	list := l.words(text)
	stems, plain = make([]string, len(list)), make([]string, len(list))
	for i, w := range list {
		stems[i], plain[i] = w.stem, w.plain
	}
	return stems, plain
}

// remove removes chunks with their words.
func remove(ctx context.Context, tx bun.Tx, ids []int64) error {
	if _, err := tx.NewRaw("DELETE FROM memory_terms WHERE rowid IN (?)", bun.List(ids)).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewRaw("DELETE FROM memory_chunks WHERE id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

// counts says how many chunks each expression takes, up to a bound.
func counts(ctx context.Context, db bun.IDB, ix index, expressions []string, most int) ([]int, error) {
	var parts []string
	var values []any
	for i, expression := range expressions {
		parts = append(parts, "SELECT ? AS i, (SELECT count(*) FROM (SELECT 1 FROM memory_terms WHERE "+ix.takes()+" LIMIT ?) AS found) AS n")
		values = append(values, i, expression, most)
	}
	var rows []struct{ I, N int }
	err := db.NewRaw(strings.Join(parts, " UNION ALL "), values...).Scan(ctx, &rows)
	list := make([]int, len(expressions))
	for _, row := range rows {
		list[row.I] = row.N
	}
	return list, err
}
