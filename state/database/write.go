package database

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
)

// Write tries a transaction up to writeTries times if it conflicts with another one. The first wait
// is writePause; each later one is twice as long.
const (
	writeTries = 6
	writePause = 5 * time.Millisecond
)

// Write calls the function work in a transaction. When Write returns nil, the changes are on disk.
// After an error, nothing has changed, unless the connection broke during the commit. Errors are
// faults.
//
// Write may call the function several times: it tries again if the transaction conflicted with
// another transaction, or if the connection broke before the first statement. On SQLite, other
// transactions wait until the function returns, so the function must do nothing except use the
// database. Write fails if the SQLite file was removed or replaced, because changes to it would be
// lost.
func (db *DB) Write(ctx context.Context, op string, work func(ctx context.Context, tx bun.Tx) error) error {
	if err := db.inPlace(op); err != nil {
		return err
	}
	if err := db.transact(ctx, op, work); err != nil {
		return err
	}
	return db.inPlace(op)
}

// transact does the same as Write, without the check of the SQLite file.
func (db *DB) transact(ctx context.Context, op string, do func(ctx context.Context, tx bun.Tx) error) error {
	pause := writePause
	for try := 1; ; try++ {
		begun := false
		err := db.write.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			begun = true
			return do(ctx, tx)
		})
		again := inTheWay(err) || !begun && broken(err)
		if !again || try == writeTries || ended(ctx) != nil {
			return FaultIn(ctx, op, err)
		}
		if err := background.Sleep(ctx, pause/2+rand.N(pause)); err != nil { //nolint:gosec // so that two do not meet again; no secret
			return FaultIn(ctx, op, err)
		}
		pause *= 2
	}
}

// Change runs one statement in a transaction, in the same way as Write. It returns the number of
// changed rows.
func (db *DB) Change(ctx context.Context, op string, statement func(ctx context.Context, tx bun.Tx) (sql.Result, error)) (changed int64, err error) {
	err = db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		result, err := statement(ctx, tx)
		if err == nil {
			changed, err = result.RowsAffected()
		}
		return err
	})
	return changed, err
}

// ChangeAll repeats a statement, each time in a new transaction, until the statement changes fewer
// than limit rows. The statement must change at most limit rows. Other writers can run between two
// transactions. ChangeAll returns the total number of changed rows.
func (db *DB) ChangeAll(ctx context.Context, op string, limit int64, statement func(ctx context.Context, tx bun.Tx) (sql.Result, error)) (changed int64, err error) {
	for {
		n, err := db.Change(ctx, op, statement)
		changed += n
		if err != nil || n < limit {
			return changed, err
		}
	}
}

// Ask runs query, which reads from the database and changes nothing. If the connection was broken,
// for example because the database restarted, Ask calls query again. Its errors are faults.
func (db *DB) Ask(ctx context.Context, op string, query func(ctx context.Context, db *bun.DB) error) error {
	for try := 1; ; try++ {
		err := query(ctx, db.read)
		if !broken(err) || try == writeTries || ended(ctx) != nil {
			return FaultIn(ctx, op, err)
		}
	}
}

// Prepare parses a statement once, for use in many transactions through Tx.StmtContext. On SQLite,
// parsing takes longer than running most statements. Do not call Prepare within Write. The
// statement can be used until the database is closed.
func (db *DB) Prepare(ctx context.Context, statement string) (*sql.Stmt, error) {
	prepared, err := db.write.DB.PrepareContext(ctx, statement)
	return prepared, FaultIn(ctx, "database.Prepare", err)
}

// Insert inserts rows. head is the beginning of the INSERT statement, up to VALUES. PostgreSQL gets
// all rows in one statement, to save round trips. SQLite gets one statement per row, because one
// long statement takes longer there.
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

// insertEach runs one prepared statement for each row, and stops at the first error.
func insertEach(ctx context.Context, tx bun.Tx, text string, rows [][]any) error {
	insert, err := tx.PrepareContext(ctx, text)
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }() // the errors of its executions were returned before
	for _, row := range rows {
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}
