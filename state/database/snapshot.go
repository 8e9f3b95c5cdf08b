package database

import (
	"context"
	"errors"
	"os"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/filelock"
	"github.com/windieos/windie/sdkapi"
)

// Snapshot writes what is in the file of SQLite at one moment to a new file, also while gateways
// use it, and returns the version of its tables. All that was acknowledged before the call is in
// it. It fails for a database that is damaged, or that a newer version has changed.
func Snapshot(ctx context.Context, file, to string) (schema int64, err error) {
	const op = "database.Snapshot"
	in, err := Inspect(ctx, Config{File: file})
	if err != nil {
		return 0, err
	}
	if !in.Exists {
		return 0, fault.New(op, sdkapi.StateUnavailable, "%s holds no state of a gateway; name another data folder (WINDIE_DATA_DIR)", file)
	}
	db, err := openSQLite(file, 1, "")
	if err != nil {
		return 0, Fault(op, err)
	}
	_, err = db.NewRaw("VACUUM INTO ?", to).Exec(ctx)
	if err = errors.Join(err, db.Close()); err != nil {
		return 0, FaultIn(ctx, op, err)
	}
	if err := os.Chmod(to, filePerm); err != nil {
		return 0, Fault(op, err)
	}
	in, err = Inspect(ctx, Config{File: to})
	return in.Version, err
}

// Alone keeps gateways from using the file of SQLite until leave. It fails, with STATE_UNAVAILABLE,
// while one uses it. The file need not be there, its folder must.
func Alone(file string) (leave func(), err error) {
	const op = "database.Alone"
	lock, err := filelock.Open(file + lockSuffix)
	if err != nil {
		return nil, fault.New(op, sdkapi.StateUnavailable, "the file %s cannot be locked; see that it belongs to this user", file+lockSuffix).Because(err)
	}
	leave = func() { _ = lock.Close() } // nothing was written
	switch held, err := filelock.Try(lock, filelock.Exclusive); {
	case held, errors.Is(err, errors.ErrUnsupported):
		return leave, nil
	default:
		leave()
		return nil, fault.New(op, sdkapi.StateUnavailable, "a gateway uses %s; stop it first", file).Because(err)
	}
}

// Followed reports whether a gateway listens on PostgreSQL. One that was opened by this process
// counts only if it listens.
func (db *DB) Followed(ctx context.Context) (followed bool, err error) {
	if !db.Postgres() {
		return false, nil
	}
	err = db.read.NewRaw("SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE ?", "%"+listenerSuffix).Scan(ctx, &followed)
	return followed, FaultIn(ctx, "database.Followed", err)
}
