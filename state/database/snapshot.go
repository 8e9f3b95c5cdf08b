package database

import (
	"context"
	"errors"
	"os"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/filelock"
	"github.com/windieos/windie/sdkapi"
)

// Snapshot copies the SQLite database at the path source to a new file at the path target, and
// returns the schema version of the database. Gateways may use source during the copy. The copy has
// the state of the database at one moment, with all changes acknowledged before the call. Snapshot
// fails if the database is damaged, or if its schema is newer than this gateway supports.
func Snapshot(ctx context.Context, source, target string) (schema int64, err error) {
	const op = "database.Snapshot"
	in, err := Inspect(ctx, Config{File: source})
	if err != nil {
		return 0, err
	}
	if !in.Exists {
		return 0, fault.New(op, sdkapi.StateUnavailable, "%s does not exist or contains no state of a gateway; set another data folder (WINDIE_DATA_DIR)", source)
	}
	db, err := openSQLite(source, 1, "")
	if err != nil {
		return 0, Fault(op, err)
	}
	_, err = db.NewRaw("VACUUM INTO ?", target).Exec(ctx)
	if err = errors.Join(err, db.Close()); err != nil {
		return 0, FaultIn(ctx, op, err)
	}
	if err := os.Chmod(target, filePerm); err != nil {
		return 0, Fault(op, err)
	}
	in, err = Inspect(ctx, Config{File: target})
	return in.Version, err
}

// Alone locks a SQLite file, so that no gateway can open it until the caller calls release. It
// fails with STATE_UNAVAILABLE while a gateway uses the file. The file may be missing, but its
// folder must exist.
func Alone(file string) (release func(), err error) {
	const op = "database.Alone"
	lock, err := filelock.Open(file + lockSuffix)
	if err != nil {
		return nil, fault.New(op, sdkapi.StateUnavailable, "cannot lock the file %s; check that it belongs to the user who runs this command", file+lockSuffix).Because(err)
	}
	release = func() { _ = lock.Close() } // nothing was written
	switch held, err := filelock.Try(lock, filelock.Exclusive); {
	case held, errors.Is(err, errors.ErrUnsupported):
		return release, nil
	default:
		release()
		return nil, fault.New(op, sdkapi.StateUnavailable, "a gateway uses %s; stop the gateway first", file).Because(err)
	}
}

// Followed reports whether any gateway is connected to PostgreSQL with Listen. On SQLite it returns
// false.
func (db *DB) Followed(ctx context.Context) (followed bool, err error) {
	if !db.Postgres() {
		return false, nil
	}
	err = db.read.NewRaw("SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE ?", "%"+listenerSuffix).Scan(ctx, &followed)
	return followed, FaultIn(ctx, "database.Followed", err)
}
