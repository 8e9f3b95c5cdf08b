package memory

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/database"
)

// sqliteIndex keeps words in FTS5, whose table memory_terms has three columns
// for each chunk: whose and what it is, its stems, and its words as written.
// What is in the first is looked for as a word too: so the many chunks of other
// users are not even looked at.
type sqliteIndex struct{ db *database.DB }

var _ index = sqliteIndex{}

// scopeWords are what stands in the column scope.
func scopeWords(owner string, kind Kind) (whose, what string) {
	return "o" + owner, "k" + strings.ReplaceAll(string(kind), "_", "")
}

func (s sqliteIndex) insert(ctx context.Context, tx bun.Tx, owner string, list []placed) error {
	var last int64 // there is one writer at a time
	if err := tx.NewRaw("SELECT coalesce(max(id), 0) FROM memory_chunks").Scan(ctx, &last); err != nil {
		return err
	}
	rows, terms := make([][]any, len(list)), make([][]any, len(list))
	for i, c := range list {
		last++
		kind, _ := kindOf(c.path)
		whose, what := scopeWords(owner, kind)
		stems, plain := forms(c.text)
		rows[i] = append([]any{last}, c.row(owner)...)
		terms[i] = []any{last, whose + " " + what, strings.Join(stems, " "), strings.Join(plain, " ")}
	}
	err := s.db.Insert(ctx, tx, "INSERT INTO memory_chunks (id, owner, path, kind, day, line_start, line_end, hash, text)", rows)
	if err != nil {
		return err
	}
	return s.db.Insert(ctx, tx, "INSERT INTO memory_terms (rowid, scope, stems, plain)", terms)
}

func (sqliteIndex) remove(ctx context.Context, tx bun.Tx, ids []int64) error {
	if _, err := tx.NewRaw("DELETE FROM memory_terms WHERE rowid IN (?)", bun.List(ids)).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewRaw("DELETE FROM memory_chunks WHERE id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

func (sqliteIndex) scope(owner string, kind Kind) string {
	whose, what := scopeWords(owner, kind)
	if kind == "" {
		return "scope : " + whose
	}
	return "scope : (" + whose + " AND " + what + ")"
}

func (sqliteIndex) match(c clause) string {
	column, more := "stems", ""
	if c.exact {
		column = "plain"
	}
	if c.prefix {
		more = " *"
	}
	return column + ` : "` + strings.Join(c.forms(), " ") + `"` + more // a word holds no quotes
}

func (sqliteIndex) all(list []string) string  { return "(" + strings.Join(list, ") AND (") + ")" }
func (sqliteIndex) some(list []string) string { return "(" + strings.Join(list, ") OR (") + ")" }

func (sqliteIndex) find(ctx context.Context, db bun.IDB, expression string, ranked bool, most int) ([]hit, error) {
	order := "rowid DESC"
	if ranked {
		order = "rank" // BM25, for which FTS5 counts each word's passages anew
	}
	return scanHits(ctx, db.NewRaw("SELECT "+hitColumns+" FROM (SELECT rowid FROM memory_terms WHERE memory_terms MATCH ? ORDER BY "+order+" LIMIT ?) AS f "+
		"JOIN memory_chunks AS c ON c.id = f.rowid", expression, most))
}

func (sqliteIndex) count(ctx context.Context, db bun.IDB, expression string, most int) (n int, err error) {
	err = db.NewRaw("SELECT count(*) FROM (SELECT 1 FROM memory_terms WHERE memory_terms MATCH ? LIMIT ?) AS f", expression, most).Scan(ctx, &n)
	return n, err
}
