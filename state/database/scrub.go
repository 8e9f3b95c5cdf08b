package database

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// How often Scrub tries to empty the log of SQLite, which a reader may be in, and the pause.
const (
	scrubTries = 50
	scrubPause = 100 * time.Millisecond
	scrubWait  = "100" // milliseconds that a try waits for readers, and all writers with it
	freeBatch  = 1000  // pages that one transaction gives back: others wait for it
)

// errBusy is why the log of SQLite could not be emptied.
var errBusy = fault.New("database.Scrub", sdkapi.StateUnavailable, "what was deleted is in the log of the database still, which something reads for long, "+
	"perhaps a backup; the gateway tries again, and so does windie prune")

// Scrub has the disk forget what was deleted: on SQLite it moves the log to the file, empties the
// log, and gives free pages back; on PostgreSQL it vacuums the tables, and writes indexes anew that
// are mostly empty. Nobody waits for it longer than a moment: while something reads the log, it fails.
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

// emptyLog fails with errBusy while a reader needs the log. It first moves what it can to the file,
// for which nobody waits: if the log is not moved to its end, it cannot be emptied either.
func (db *DB) emptyLog(ctx context.Context) error {
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // which gives it back
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

// giveBack gives the free pages of SQLite's file back to the disk. Files that were made before
// this was possible keep them, for later rows, until Compact.
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
			defer func() { _ = rows.Close() }() // Err has the error
			for rows.Next() {                   // each step gives one page back
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

func (db *DB) freePages(ctx context.Context) (free int, err error) {
	err = db.Ask(ctx, "database.freePages", func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("PRAGMA freelist_count").Scan(ctx, &free)
	})
	return free, err
}

// Compact writes SQLite's file anew, without free pages, so that from then on Scrub can give pages
// back. Others wait for it. On PostgreSQL it does what Scrub does.
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

// Size returns how many bytes the database takes on the disk.
func (db *DB) Size(ctx context.Context) (bytes int64, err error) {
	const sqlite = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
	query := sqlite
	if db.Postgres() {
		query = "SELECT pg_database_size(current_database())"
	}
	err = db.Ask(ctx, "database.Size", func(ctx context.Context, db *bun.DB) error { return db.NewRaw(query).Scan(ctx, &bytes) })
	return bytes, err
}
