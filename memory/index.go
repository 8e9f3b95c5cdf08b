package memory

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/database"
)

// index is what each database does in its own way: keeping the words of chunks,
// and finding them. Both are given the words that this package makes. An
// expression is what match returns.
type index interface {
	// insert adds chunks, in a transaction.
	insert(ctx context.Context, tx bun.Tx, owner string, list []placed) error

	// remove removes chunks.
	remove(ctx context.Context, tx bun.Tx, ids []int64) error

	// scope is the expression for an owner's chunks, of one kind unless that is
	// empty; match for those with a clause; and all and some join expressions.
	scope(owner string, kind Kind) string
	match(c clause) string
	all(list []string) string
	some(list []string) string

	// find returns the chunks that an expression takes: of more than so many
	// those that the database ranks first, or else the newest, which is quicker.
	// Count says how many there are, up to a bound.
	find(ctx context.Context, db bun.IDB, expression string, ranked bool, most int) ([]hit, error)
	count(ctx context.Context, db bun.IDB, expression string, most int) (int, error)
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

const hitColumns = "c.id, c.path, c.kind, c.day, c.line_start, c.line_end, c.text"

// scanHits reads the rows of a query for hitColumns.
func scanHits(ctx context.Context, query *bun.RawQuery) ([]hit, error) {
	var list []hit
	err := query.Scan(ctx, &list)
	return list, err
}

// placed is a chunk with the file that it is of.
type placed struct {
	chunk
	path string
}

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
func forms(text string) (stems, plain []string) {
	list := words(text)
	stems, plain = make([]string, len(list)), make([]string, len(list))
	for i, w := range list {
		stems[i], plain[i] = w.stem, w.plain
	}
	return stems, plain
}
