// Package database opens the one place where state is kept: an SQLite file, or
// PostgreSQL for several gateways.
//
//	db, err := database.Open(ctx, database.Config{File: "windie.db"})
//	defer db.Close()
//	err = db.Write(ctx, "identity.create", func(ctx context.Context, tx bun.Tx) error { ... })
//
// Both are asked in the same words: bun's, with `?` for values. The tables are
// in migrations, which run at opening. Times are microseconds since 1970 in a
// BIGINT, which sort and compare alike on both.
package database

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"runtime"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Config says which database. URL wins over File.
type Config struct {
	URL  string // of PostgreSQL, as "postgres://windie:secret@db.example/windie"
	File string // of SQLite; it is made if it is not there, its folder is not
}

// DB is an open database. Its methods may be called from several goroutines.
type DB struct {
	url   string // of PostgreSQL; empty for SQLite
	read  *bun.DB
	write *bun.DB // the same as read on PostgreSQL; one connection on SQLite, which has one writer
}

// openTime bounds connecting and migrating.
const openTime = 5 * time.Minute

// Open connects, and brings the tables up to date. It refuses a database that a
// newer version has changed already. The caller closes it.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	db, err := connect(cfg)
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// connections bounds how many a gateway has to PostgreSQL.
const connections = 16

func connect(cfg Config) (*DB, error) {
	if cfg.URL == "" {
		return connectSQLite(cfg.File)
	}
	pool, err := sql.Open("pgx", cfg.URL)
	if err != nil {
		return nil, fault.New("database.Open", sdkapi.StateUnavailable, "database_url (WINDIE_DATABASE_URL) is not one of PostgreSQL, as postgres://windie:secret@db.example/windie").Because(err)
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	db := bun.NewDB(pool, pgdialect.New())
	return &DB{url: cfg.URL, read: db, write: db}, nil
}

// connectSQLite opens a file. What is committed is on disk (synchronous=FULL),
// readers and the writer do not wait for each other (WAL), and another process,
// as the command line, may have the file open too.
func connectSQLite(file string) (*DB, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	open := func(most int, options string) (*bun.DB, error) {
		uri := url.URL{Scheme: "file", Path: abs, RawQuery: "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)" + options}
		pool, err := sql.Open("sqlite", uri.String())
		if err != nil {
			return nil, err
		}
		pool.SetMaxOpenConns(most)
		pool.SetMaxIdleConns(most)
		return bun.NewDB(pool, sqlitedialect.New()), nil
	}
	write, err := open(1, "&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	read, err := open(max(4, 2*runtime.NumCPU()), "&_pragma=query_only(1)")
	if err != nil {
		return nil, err
	}
	return &DB{read: read, write: write}, nil
}

// Close gives back all connections. It may be called twice.
func (db *DB) Close() error {
	err := db.read.Close()
	if db.write != db.read {
		err = db.write.Close()
	}
	return err
}

// Postgres reports whether the database is PostgreSQL, which other gateways
// may use too.
func (db *DB) Postgres() bool { return db.url != "" }

// Name tells people which database it is.
func (db *DB) Name() string {
	if db.Postgres() {
		return "PostgreSQL"
	}
	return "SQLite"
}

// Read is for queries that change nothing. Their errors go through Fault.
func (db *DB) Read() *bun.DB { return db.read }

// Write runs do in a transaction, which is on disk when Write returns nil and
// has changed nothing when it does not. On SQLite there is one at a time, so
// do must not wait for anything else. An error is a fault.
func (db *DB) Write(ctx context.Context, op string, do func(ctx context.Context, tx bun.Tx) error) error {
	return Fault(op, db.write.RunInTx(ctx, nil, do))
}

// Ready reports whether the database answers. Its error says what to do.
func (db *DB) Ready(ctx context.Context) error {
	var one int
	return Fault("database.Ready", db.read.NewRaw("SELECT 1").Scan(ctx, &one))
}

// Now is the time by the clock that all gateways share, in microseconds since
// 1970: PostgreSQL's, or this machine's.
func (db *DB) Now(ctx context.Context, tx bun.IDB) (int64, error) {
	if !db.Postgres() {
		return Micros(time.Now()), nil
	}
	var now int64
	err := tx.NewRaw("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").Scan(ctx, &now)
	return now, err
}

// Micros is how a time is kept.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// Time is the way back.
func Time(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
