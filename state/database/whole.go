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

// Checked reports whether Open has looked at all of the database, as Config.Check says. A large
// file may take longer than that. On PostgreSQL, which looks after its own files, it is true.
func (db *DB) Checked() bool { return db.Postgres() || db.checked }

// checkFile fails, with STATE_DAMAGED, if the file of SQLite is not whole. It looks at the pages
// and how they hang together, for at most most: damage within a text it cannot see.
func (db *DB) checkFile(ctx context.Context, most time.Duration) error {
	const op = "database.check"
	if db.Postgres() || most == 0 {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, most)
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
		return nil // it is large: what was looked at is whole
	}
	return db.damaged(FaultIn(ctx, op, err))
}

// damaged says what to do about a file that is not whole. Other errors stay as they are.
func (db *DB) damaged(err error) error {
	if fault.CodeOf(err) != sdkapi.StateDamaged || db.Postgres() {
		return err
	}
	return fault.New("database.check", sdkapi.StateDamaged, "%[1]s is damaged, or no database: stop the gateway and restore a backup "+
		"(windie restore FILE --replace); without one, save what can be read (sqlite3 %[1]s .recover), or move the file away to begin anew; "+
		"windie doctor checks the file", db.path).Because(err)
}

// noteLog notes which file SQLite writes commits to first. SQLite removes the file with the last
// connection and makes another one with the next, so one connection stays, whatever becomes of
// those of the pools.
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
		return nil // a file system without shared memory, where SQLite keeps no such file
	}
	db.wal = log
	return FaultIn(ctx, op, err)
}

// inPlace fails if the file of SQLite, or its log, is no longer the one that was opened.
func (db *DB) inPlace(op string) error {
	err := db.file.Check()
	if err == nil {
		err = db.wal.Check()
	}
	if err == nil {
		return nil
	}
	return fault.New(op, sdkapi.StateUnavailable, "the file of the database was removed or replaced while the gateway runs; "+
		"put it back, or restore a backup, and start the gateway again").Because(err)
}
