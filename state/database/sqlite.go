package database

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/filelock"
	"github.com/windieos/windie/internal/linked"
	"github.com/windieos/windie/sdkapi"
)

// filePerm is the mode of a new file. SQLite gives its -wal and -shm files the same mode.
const filePerm fs.FileMode = 0o600

// sqliteOptions are the settings of every connection. A commit is on disk when it returns
// (synchronous=FULL). Readers and the writer do not block each other (WAL). Processes wait up to 10
// seconds for each other. A new file can free its pages in steps (auto_vacuum); the connection that
// writes its first page decides that, at the latest with journal_mode.
const sqliteOptions = "_pragma=auto_vacuum(incremental)&_pragma=" + busyTimeout + "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"

// busyTimeout is how long a connection waits for another process, in milliseconds.
const busyTimeout = "busy_timeout(10000)"

// writerOptions are more settings of the writer. It caches 32 MB of pages, moves the log to the
// file when the log reaches 16 MB, and holds rollback data of statements in memory. Deleted data is
// overwritten, so that free pages hold no text of users. When the log restarts, SQLite truncates it
// to its limit.
const writerOptions = "&_txlock=immediate&_pragma=cache_size(-32000)&_pragma=wal_autocheckpoint(4000)&_pragma=temp_store(memory)" +
	"&_pragma=secure_delete(1)&_pragma=journal_size_limit(16777216)"

// connectSQLite creates a missing file and opens the pools for it: one writer, and several readers
// that cannot change anything.
func connectSQLite(file string) (*DB, error) {
	const op = "database.Open"
	db := &DB{}
	var err error
	if db.path, err = filepath.Abs(file); err == nil {
		err = makeFile(db.path)
	}
	if err == nil {
		db.file, err = linked.Open(db.path)
	}
	if err != nil {
		return nil, fault.New(op, sdkapi.StateUnavailable, "the gateway cannot create or open the database file; check that its folder exists and belongs to the gateway's user").Because(err)
	}
	if db.write, err = openSQLite(db.path, 1, writerOptions); err != nil {
		return nil, Fault(op, err)
	}
	if db.read, err = openSQLite(db.path, max(4, 2*runtime.NumCPU()), "&_pragma=query_only(1)"); err != nil {
		return nil, Fault(op, errors.Join(err, db.write.Close()))
	}
	return db, nil
}

// openSQLite returns a pool of at most limit connections with sqliteOptions and further options. It
// opens the file at the first query.
func openSQLite(path string, limit int, options string) (*bun.DB, error) {
	uri := url.URL{Scheme: "file", Path: path, RawQuery: sqliteOptions + options}
	pool, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(limit)
	pool.SetMaxIdleConns(limit)
	return bun.NewDB(pool, sqlitedialect.New()), nil
}

// makeFile creates an empty file that only its owner can read. It does nothing if the file exists.
func makeFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, filePerm)
	if err != nil {
		return err
	}
	return file.Close()
}

// readySQLite writes a value without meaning: only a write detects a read-only file or a full disk.
// Write also refuses a file that was removed or replaced.
func (db *DB) readySQLite(ctx context.Context) error {
	return db.Write(ctx, "database.Ready", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("PRAGMA user_version = 1").Exec(ctx)
		return err
	})
}

// lockSuffix ends the name of the lock file, which lies beside the SQLite file. The lock file is
// empty and is never removed.
const lockSuffix = "-lock"

// Join waits up to joinTime for another process that is the only user, and tries every joinPause.
const (
	joinTime  = 10 * time.Second
	joinPause = 5 * time.Millisecond
)

// Join registers the process as a user of the SQLite database, until the caller calls release or
// the process ends. A process that stores records of unfinished work must join. If no other process
// has joined, all such records belong to processes that have ended. In this case, Join calls
// cleanup before another process can join. On PostgreSQL, and on disks without file locks, Join
// never calls cleanup.
func (db *DB) Join(ctx context.Context, cleanup func(ctx context.Context) error) (release func(), err error) {
	const op = "database.Join"
	if db.Postgres() {
		return func() {}, nil
	}
	file, err := filelock.Open(db.path + lockSuffix)
	if err == nil {
		err = join(ctx, file, cleanup)
	}
	switch {
	case err == nil, errors.Is(err, errors.ErrUnsupported):
		return func() { _ = file.Close() }, nil // nothing was written
	case file != nil:
		_ = file.Close() // nothing was written
	}
	if errors.As(err, new(*fault.Error)) {
		return nil, err
	}
	return nil, fault.New(op, sdkapi.StateUnavailable, "the gateway cannot lock the file %s; check that it belongs to the gateway's user, and stop other gateways that use it", db.path+lockSuffix).Because(err)
}

// join tries an exclusive lock; if it gets the lock, it calls alone. Then it takes a shared lock,
// which every joined process has. No process does work between the two locks.
func join(ctx context.Context, file *os.File, alone func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	if held, err := filelock.Try(file, filelock.Exclusive); err != nil {
		return err
	} else if held {
		if err := alone(ctx); err != nil {
			return err
		}
	}
	for {
		held, err := filelock.Try(file, filelock.Shared)
		if held || err != nil {
			return err
		}
		if err := background.Sleep(ctx, joinPause); err != nil {
			return err
		}
	}
}
