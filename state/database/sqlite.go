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

// filePerm is the mode of a new file. SQLite gives the -wal and the -shm file the same.
const filePerm fs.FileMode = 0o600

// The settings of every connection. A commit is on disk when it returns (synchronous=FULL), readers
// and the writer do not wait for each other (WAL), and processes wait 10 seconds for each other. A new
// file can give back its free pages in steps: whichever connection writes its first page decides that,
// with journal_mode at the latest.
const sqliteOptions = "_pragma=auto_vacuum(incremental)&_pragma=" + busyTimeout + "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"

// busyTimeout is for how many milliseconds a connection waits for another process.
const busyTimeout = "busy_timeout(10000)"

// More settings of the writer: it caches pages (32 MB), moves them from the log to the file once
// that has 16 MB, and does not write to disk what a statement may have to undo. What is deleted is
// overwritten, so that no free page holds text of a user. The log is cut to its limit when it begins
// anew.
const writerOptions = "&_txlock=immediate&_pragma=cache_size(-32000)&_pragma=wal_autocheckpoint(4000)&_pragma=temp_store(memory)" +
	"&_pragma=secure_delete(1)&_pragma=journal_size_limit(16777216)"

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
		return nil, fault.New(op, sdkapi.StateUnavailable, "the file of the database cannot be made or opened; see that its folder is there, "+
			"and that it belongs to the gateway's user").Because(err)
	}
	if db.write, err = openSQLite(db.path, 1, writerOptions); err != nil {
		return nil, Fault(op, err)
	}
	if db.read, err = openSQLite(db.path, max(4, 2*runtime.NumCPU()), "&_pragma=query_only(1)"); err != nil {
		return nil, Fault(op, errors.Join(err, db.write.Close()))
	}
	return db, nil
}

func openSQLite(path string, most int, options string) (*bun.DB, error) {
	uri := url.URL{Scheme: "file", Path: path, RawQuery: sqliteOptions + options}
	pool, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	return bun.NewDB(pool, sqlitedialect.New()), nil
}

// makeFile makes an empty file for its owner alone, unless there is one.
func makeFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, filePerm)
	if err != nil {
		return err
	}
	return file.Close()
}

// readySQLite writes a value without meaning, since a read-only file and a full disk show only
// then. Write also refuses a file that was removed or replaced.
func (db *DB) readySQLite(ctx context.Context) error {
	return db.Write(ctx, "database.Ready", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("PRAGMA user_version = 1").Exec(ctx)
		return err
	})
}

// lockSuffix is what the file beside that of SQLite has behind its name which
// those lock who use it. It is empty, and stays.
const lockSuffix = "-lock"

// How long Join waits for one that has just found itself alone.
const (
	joinTime  = 10 * time.Second
	joinPause = 5 * time.Millisecond
)

// Join notes that the caller uses the database until it calls leave, or its process ends. If nobody
// else has joined, alone is called before others can join: records of work under way then belong to
// processes that are gone. Whoever keeps such records must join. On PostgreSQL, and on disks
// without locks, nobody is ever alone.
func (db *DB) Join(ctx context.Context, alone func(ctx context.Context) error) (leave func(), err error) {
	const op = "database.Join"
	if db.Postgres() {
		return func() {}, nil
	}
	file, err := filelock.Open(db.path + lockSuffix)
	if err == nil {
		err = join(ctx, file, alone)
	}
	switch {
	case err == nil, errors.Is(err, errors.ErrUnsupported):
		return func() { _ = file.Close() }, nil // nothing was written
	case file != nil:
		_ = file.Close() // likewise
	}
	if errors.As(err, new(*fault.Error)) {
		return nil, err
	}
	return nil, fault.New(op, sdkapi.StateUnavailable, "the file %s cannot be locked; see that it belongs to the gateway's user, and that no other gateway hangs", db.path+lockSuffix).Because(err)
}

// join locks a file for itself, and then, as every process does that is not
// alone, with others. Between the two nobody has begun anything.
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
