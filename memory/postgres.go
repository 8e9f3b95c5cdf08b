package memory

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/database"
)

// postgresIndex keeps words in a tsvector beside each chunk. A stem stands
// there as it is, a word as written after "=", and whose and what the chunk is
// after "@".
type postgresIndex struct{ db *database.DB }

var _ index = postgresIndex{}

// maxPosition is the last that a tsvector knows. A chunk has fewer words.
const maxPosition = 16383

func (p postgresIndex) insert(ctx context.Context, tx bun.Tx, owner string, list []placed) error {
	rows := make([][]any, len(list))
	for i, c := range list {
		rows[i] = append(c.row(owner), vectorOf(owner, c.path, c.text))
	}
	for some := range slices.Chunk(rows, 200) {
		err := p.db.Insert(ctx, tx, "INSERT INTO memory_chunks (owner, path, kind, day, line_start, line_end, hash, text, terms)", some)
		if err != nil {
			return err
		}
	}
	return nil
}

// vectorOf writes a tsvector. Words hold letters and digits, and need quotes
// only for what PostgreSQL might take for something else.
func vectorOf(owner, path, text string) string {
	var b strings.Builder
	kind, _ := kindOf(path)
	whose, what := scopeWords(owner, kind)
	b.WriteString("'@" + whose + "' '@" + what + "'")
	for i, w := range words(text) {
		at := "':" + strconv.Itoa(min(i+1, maxPosition))
		b.WriteString(" '" + w.stem + at + " '=" + w.plain + at)
	}
	return b.String()
}

func (postgresIndex) remove(ctx context.Context, tx bun.Tx, ids []int64) error {
	_, err := tx.NewRaw("DELETE FROM memory_chunks WHERE id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

func (postgresIndex) scope(owner string, kind Kind) string {
	whose, what := scopeWords(owner, kind)
	if kind == "" {
		return "'@" + whose + "'"
	}
	return "'@" + whose + "' & '@" + what + "'"
}

func (postgresIndex) match(c clause) string {
	list := c.forms()
	for i, w := range list {
		if c.exact {
			w = "=" + w
		}
		list[i] = "'" + w + "'"
	}
	if c.prefix {
		list[len(list)-1] += ":*"
	}
	return strings.Join(list, " <-> ")
}

func (postgresIndex) all(list []string) string  { return "(" + strings.Join(list, ") & (") + ")" }
func (postgresIndex) some(list []string) string { return "(" + strings.Join(list, ") | (") + ")" }

func (postgresIndex) find(ctx context.Context, db bun.IDB, expression string, ranked bool, most int) ([]hit, error) {
	if !ranked { // by more than the id, so that nobody goes through all ids to look for the words in each
		return scanHits(ctx, db.NewRaw("SELECT "+hitColumns+" FROM memory_chunks AS c WHERE c.terms @@ ?::tsquery ORDER BY c.id + 0 DESC LIMIT ?", expression, most))
	}
	return scanHits(ctx, db.NewRaw("SELECT "+hitColumns+" FROM memory_chunks AS c WHERE c.terms @@ ?::tsquery "+
		"ORDER BY ts_rank(c.terms, ?::tsquery, 1) DESC, c.id DESC LIMIT ?", expression, expression, most))
}

func (postgresIndex) count(ctx context.Context, db bun.IDB, expression string, most int) (n int, err error) {
	err = db.NewRaw("SELECT count(*) FROM (SELECT 1 FROM memory_chunks WHERE terms @@ ?::tsquery LIMIT ?) AS f", expression, most).Scan(ctx, &n)
	return n, err
}
