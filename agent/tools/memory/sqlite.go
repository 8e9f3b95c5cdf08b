package memory

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
)

// sqliteIndex keeps words in FTS5, whose table memory_terms has three columns for
// each chunk: its labels, its stems, and its words as written. As labels are words
// too, a search does not look at the chunks of other users.
type sqliteIndex struct{ db *database.DB }

var _ index = sqliteIndex{}

func (s sqliteIndex) insert(ctx context.Context, tx bun.Tx, owner string, list []placed) error {
	var last int64 // there is one writer at a time
	if err := tx.NewRaw("SELECT coalesce(max(id), 0) FROM memory_chunks").Scan(ctx, &last); err != nil {
		return err
	}
	rows, terms := make([][]any, len(list)), make([][]any, len(list))
	known := lexicon{}
	for i, c := range list {
		last++
		text := known.words(c.text)
		stems, plain := forms(text)
		rows[i] = append([]any{last}, c.row(owner)...)
		terms[i] = []any{last, strings.Join(c.labels(owner, text), " "), strings.Join(stems, " "), strings.Join(plain, " ")}
	}
	if err := s.db.Insert(ctx, tx, insertChunks, rows); err != nil {
		return err
	}
	return s.db.Insert(ctx, tx, "INSERT INTO memory_terms (rowid, scope, stems, plain)", terms)
}

func (sqliteIndex) scope(owner string, kind Kind) string {
	whose, what := scopeWords(owner, kind)
	if kind == "" {
		return "scope : " + whose
	}
	return "scope : (" + whose + " AND " + what + ")"
}

func (sqliteIndex) match(c clause) string {
	if label, ok := c.beginsShort(); ok {
		return `scope : "` + label + `"`
	}
	column, more := "stems", ""
	if c.exact {
		column = "plain"
	}
	if c.prefix {
		more = " *"
	}
	return column + ` : "` + strings.Join(c.forms(), " ") + `"` + more // a word holds no quotes
}

func (sqliteIndex) all(list []string) string { return "(" + strings.Join(list, ") AND (") + ")" }
func (sqliteIndex) takes() string            { return "memory_terms MATCH ?" }

func (s sqliteIndex) newest(ctx context.Context, db bun.IDB, expression string, most int) (ids []int64, err error) {
	err = db.NewRaw("SELECT rowid FROM memory_terms WHERE "+s.takes()+" ORDER BY rowid DESC LIMIT ?", expression, most).Scan(ctx, &ids)
	return ids, err
}
