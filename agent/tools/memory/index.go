package memory

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
)

// index keeps and finds the words of chunks, in each database's own way. The
// strings that scope, match and all return are expressions.
type index interface {
	// insert adds chunks, in a transaction.
	insert(ctx context.Context, tx bun.Tx, owner string, list []placed) error

	// scope is the expression for an owner's chunks, of one kind unless that is
	// empty; match for those with a clause; and all joins expressions.
	scope(owner string, kind Kind) string
	match(c clause) string
	all(list []string) string

	// takes is the condition on the table of words, memory_terms, for the chunks
	// that match an expression, its only value.
	takes() string

	// newest returns the ids of the newest chunks that match an expression.
	newest(ctx context.Context, db bun.IDB, expression string, most int) ([]int64, error)
}

func indexOf(db *database.DB) index {
	if db.Postgres() {
		return postgresIndex{db}
	}
	return sqliteIndex{db}
}

// hit is a chunk that a search found.
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

// hitsOf returns the chunks with these ids that still exist, in no order.
func hitsOf(ctx context.Context, db bun.IDB, ids []int64) (list []hit, err error) {
	if len(ids) > 0 {
		err = db.NewRaw("SELECT id, path, kind, day, line_start, line_end, text FROM memory_chunks WHERE id IN (?)", bun.List(ids)).Scan(ctx, &list)
	}
	return list, err
}

// placed is a chunk with the path of its file.
type placed struct {
	chunk
	path string
}

// insertChunks inserts an id and a row.
const insertChunks = "INSERT INTO memory_chunks (id, owner, path, kind, day, line_start, line_end, hash, text)"

// row returns the columns of a chunk, without the id.
func (c placed) row(owner string) []any {
	kind, day := kindOf(c.path)
	var micros int64
	if !day.IsZero() {
		micros = database.Micros(day)
	}
	return []any{owner, c.path, string(kind), micros, c.start, c.end, c.hash(), c.text}
}

// scopeWords stand for a chunk's owner and kind.
func scopeWords(owner string, kind Kind) (whose, what string) {
	return "o" + owner, "k" + strings.ReplaceAll(string(kind), "_", "")
}

// labels are words in the index besides a chunk's own: its scopeWords, and the first letter and
// first two letters of its words, with which thousands of words may begin.
func (c placed) labels(owner string, text []word) []string {
	kind, _ := kindOf(c.path)
	whose, what := scopeWords(owner, kind)
	list, known := []string{whose, what}, map[string]bool{}
	for _, w := range text {
		size := 0
		for range shortBeginning {
			_, n := utf8.DecodeRuneInString(w.plain[size:])
			if size += n; n > 0 && !known[w.plain[:size]] {
				known[w.plain[:size]] = true
				list = append(list, "b"+w.plain[:size])
			}
		}
	}
	return list
}

// shortBeginning is the number of letters of the longest beginning with a label.
const shortBeginning = 2

// beginsShort returns the label of a clause that is a short beginning.
func (c clause) beginsShort() (string, bool) {
	if !c.prefix || len(c.words) > 1 || utf8.RuneCountInString(c.words[0].plain) > shortBeginning {
		return "", false
	}
	return "b" + c.words[0].plain, true
}

// forms returns words as stems and as written.
func forms(list []word) (stems, plain []string) {
	stems, plain = make([]string, len(list)), make([]string, len(list))
	for i, w := range list {
		stems[i], plain[i] = w.stem, w.plain
	}
	return stems, plain
}

// counts returns the number of chunks that match each expression, up to most.
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
