package database

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Scrub tries scrubTries times to empty SQLite's log, which a reader can prevent, with a pause of
// scrubPause.
const (
	scrubTries = 50
	scrubPause = 100 * time.Millisecond
	scrubWait  = "100" // milliseconds that one try waits for readers; all writers wait with it
	freeBatch  = 1000  // pages that one transaction frees; writers wait for it
)

// errBusy is the fault of Scrub if readers prevented emptying SQLite's log.
var errBusy = fault.New("database.Scrub", sdkapi.StateUnavailable, "deleted data is still in the database's log, because a long read, such as a backup, uses the log; the gateway retries later; to retry now, run windie prune")

// Scrub removes deleted data from the disk. On SQLite it moves the content of the log to the
// database file, empties the log, and returns free pages to the disk. On PostgreSQL it vacuums the
// tables and rebuilds indexes that are mostly empty. Other writers wait only briefly for Scrub. It
// fails with STATE_UNAVAILABLE if a reader uses the log all the time.
func (db *DB) Scrub(ctx context.Context) error {
	const op = "database.Scrub"
	if db.Postgres() {
		return FaultIn(ctx, op, db.vacuum(ctx))
	}
	if err := db.giveBack(ctx); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := db.emptyLog(ctx)
		if err == nil || try == scrubTries {
			return FaultIn(ctx, op, err)
		}
		if err := background.Sleep(ctx, scrubPause); err != nil {
			return FaultIn(ctx, op, err)
		}
	}
}

// emptyLog moves SQLite's log to the file and then empties it. It fails with errBusy if a reader
// needs the log. The first step moves as much as possible without blocking anybody; the second runs
// only if the first has moved everything.
func (db *DB) emptyLog(ctx context.Context) error {
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // returns it to the pool
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = "+scrubWait); err != nil {
		return err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA "+busyTimeout) }()
	for _, mode := range []string{"PASSIVE", "TRUNCATE"} {
		var busy, log, moved int
		if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &log, &moved); err != nil {
			return err
		}
		if busy != 0 || moved < log {
			return errBusy
		}
	}
	return nil
}

// giveBack returns free pages of the SQLite file to the disk. A file created without incremental
// auto-vacuum keeps its free pages until Compact.
func (db *DB) giveBack(ctx context.Context) error {
	for {
		free, err := db.freePages(ctx)
		if err != nil || free == 0 {
			return err
		}
		err = db.Write(ctx, "database.giveBack", func(ctx context.Context, tx bun.Tx) error {
			rows, err := tx.QueryContext(ctx, "PRAGMA incremental_vacuum(?)", freeBatch)
			if err != nil {
				return err
			}
			defer func() { _ = rows.Close() }() // Err returns the error
			for rows.Next() {                   // each step frees one page
			}
			return rows.Err()
		})
		if err != nil {
			return err
		}
		left, err := db.freePages(ctx)
		if err != nil || left >= free {
			return err
		}
	}
}

// freePages returns the number of unused pages in the SQLite file.
func (db *DB) freePages(ctx context.Context) (free int, err error) {
	err = db.Ask(ctx, "database.freePages", func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("PRAGMA freelist_count").Scan(ctx, &free)
	})
	return free, err
}

// Compact rewrites the SQLite file without its free pages. If the file has new free pages later,
// Scrub can return them to the disk. Writers wait until Compact ends. On PostgreSQL, Compact does
// the same as Scrub.
func (db *DB) Compact(ctx context.Context) error {
	const op = "database.Compact"
	if db.Postgres() {
		return db.Scrub(ctx)
	}
	for _, statement := range []string{"PRAGMA auto_vacuum = INCREMENTAL", "VACUUM"} {
		if _, err := db.write.DB.ExecContext(ctx, statement); err != nil {
			return FaultIn(ctx, op, err)
		}
	}
	return db.Scrub(ctx)
}

// Size returns the size of the database on disk, in bytes.
func (db *DB) Size(ctx context.Context) (bytes int64, err error) {
	const sqlite = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
	query := sqlite
	if db.Postgres() {
		query = "SELECT pg_database_size(current_database())"
	}
	err = db.Ask(ctx, "database.Size", func(ctx context.Context, db *bun.DB) error { return db.NewRaw(query).Scan(ctx, &bytes) })
	return bytes, err
}
