package database

import (
	"context"
	"strings"

	"github.com/uptrace/bun"
)

// Insert runs an INSERT, of which head is what comes before VALUES, for each of
// some rows. PostgreSQL gets all at once, since each question costs a round
// trip; SQLite gets one after the other, since a long text costs it more than
// many questions.
func (db *DB) Insert(ctx context.Context, tx bun.Tx, head string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	one := "(?" + strings.Repeat(", ?", len(rows[0])-1) + ")"
	if !db.Postgres() {
		return insertEach(ctx, tx, head+" VALUES "+one, rows)
	}
	var values []any
	for _, row := range rows {
		values = append(values, row...)
	}
	_, err := tx.ExecContext(ctx, head+" VALUES "+one+strings.Repeat(", "+one, len(rows)-1), values...)
	return err
}

func insertEach(ctx context.Context, tx bun.Tx, text string, rows [][]any) error {
	insert, err := tx.PrepareContext(ctx, text)
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }() // what it did has been reported
	for _, row := range rows {
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}
