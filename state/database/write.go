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

// How often a transaction that met another one is tried, and its first wait, doubled each time.
const (
	writeTries = 6
	writePause = 5 * time.Millisecond
)

// Write runs do in a transaction, which is on disk when Write returns nil. After an error, a fault,
// nothing has changed, unless the connection broke during the commit. On SQLite there is one
// transaction at a time, so do must not wait for anything else. Write runs do again if another
// transaction was in the way, or the connection broke before anything was asked. It also fails if
// the file of SQLite was removed or replaced: what was written to it would be gone with the process.
func (db *DB) Write(ctx context.Context, op string, do func(ctx context.Context, tx bun.Tx) error) error {
	if err := db.inPlace(op); err != nil {
		return err
	}
	if err := db.transact(ctx, op, do); err != nil {
		return err
	}
	return db.inPlace(op)
}

// transact is Write without a look at the file.
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

// Change runs a statement in a Write of its own, and returns the number of rows that it changed.
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

// ChangeAll repeats a Change of most rows at once until it changes fewer, so that
// other writers get in between. It returns how many rows were changed.
func (db *DB) ChangeAll(ctx context.Context, op string, most int64, statement func(ctx context.Context, tx bun.Tx) (sql.Result, error)) (changed int64, err error) {
	for {
		n, err := db.Change(ctx, op, statement)
		changed += n
		if err != nil || n < most {
			return changed, err
		}
	}
}

// Ask runs a query, do, that changes nothing; again if the connection was broken, as all are after
// a restart of the database. An error is a fault.
func (db *DB) Ask(ctx context.Context, op string, do func(ctx context.Context, db *bun.DB) error) error {
	for try := 1; ; try++ {
		err := do(ctx, db.read)
		if !broken(err) || try == writeTries || ended(ctx) != nil {
			return FaultIn(ctx, op, err)
		}
	}
}

// Prepare parses a statement once for many transactions of Write, which run it
// by their StmtContext. On SQLite parsing takes longer than most statements
// do. It must not be called within Write, and ends with the database.
func (db *DB) Prepare(ctx context.Context, statement string) (*sql.Stmt, error) {
	prepared, err := db.write.DB.PrepareContext(ctx, statement)
	return prepared, FaultIn(ctx, "database.Prepare", err)
}

// Insert inserts rows; head is the INSERT up to VALUES. PostgreSQL gets all rows at once, since
// each statement costs a round trip; SQLite gets them one by one, since a long statement costs it
// more than many.
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
