package database

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/linked"
	"github.com/windieos/windie/sdkapi"
)

// Checked reports whether Open has checked the whole database. The check of a large file may take
// longer than its time limit, Config.Check. On PostgreSQL, which checks its own files, Checked
// always returns true.
func (db *DB) Checked() bool { return db.Postgres() || db.checked }

// checkFile fails with STATE_DAMAGED if the SQLite file is damaged. It checks the pages and their
// links for at most limit; 0 skips the check. It cannot detect damage inside a text.
func (db *DB) checkFile(ctx context.Context, limit time.Duration) error {
	const op = "database.check"
	if db.Postgres() || limit == 0 {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var state string
	err := db.read.NewRaw("PRAGMA quick_check(1)").Scan(within, &state)
	switch {
	case err == nil && state == "ok":
		db.checked = true
		return nil
	case err == nil:
		err = fault.New(op, sdkapi.StateDamaged, "%s", state)
	case within.Err() != nil && ctx.Err() == nil:
		return nil // the file is large; the checked part is intact
	}
	return db.damaged(FaultIn(ctx, op, err))
}

// damaged turns STATE_DAMAGED into a fault that says what to do about a damaged file. It returns
// other errors unchanged.
func (db *DB) damaged(err error) error {
	if fault.CodeOf(err) != sdkapi.StateDamaged || db.Postgres() {
		return err
	}
	return fault.New("database.check", sdkapi.StateDamaged, "%[1]s is damaged or not a database: stop the gateway and restore a backup (windie restore FILE --replace); without a backup, recover the readable rows (sqlite3 %[1]s .recover), or move the file away to start empty; windie doctor checks the file", db.path).Because(err)
}

// noteLog records SQLite's log file, which gets commits first. SQLite removes that file with its
// last connection and makes another one with the next. So noteLog keeps a connection of its own
// open, which does not depend on the pools.
func (db *DB) noteLog(ctx context.Context) error {
	if db.Postgres() {
		return nil
	}
	const op = "database.Open"
	var err error
	if db.held, err = openSQLite(db.path, 1, "&_pragma=query_only(1)"); err == nil {
		err = db.held.NewRaw("SELECT 1 FROM sqlite_master LIMIT 1").Scan(ctx, new(int))
	}
	if err != nil {
		return FaultIn(ctx, op, err)
	}
	log, err := linked.Open(db.path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a file system without shared memory, where SQLite has no such file
	}
	db.wal = log
	return FaultIn(ctx, op, err)
}

// inPlace fails if the SQLite file or its log was removed or replaced since Open.
func (db *DB) inPlace(op string) error {
	err := db.file.Check()
	if err == nil {
		err = db.wal.Check()
	}
	if err == nil {
		return nil
	}
	return fault.New(op, sdkapi.StateUnavailable, "someone removed or replaced the database file while the gateway was running; put it back, or restore a backup, then restart the gateway").Because(err)
}
