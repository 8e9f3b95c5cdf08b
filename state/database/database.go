// Package database opens the one place where state is kept: an SQLite file, or
// PostgreSQL for several gateways.
//
//	db, err := database.Open(ctx, database.Config{File: "windie.db"})
//	defer db.Close()
//	err = db.Write(ctx, "identity.create", func(ctx context.Context, tx bun.Tx) error { ... })
//
// Both get the same queries: bun's, with `?` for values. The tables are in migrations, which run at
// opening. Times are microseconds since 1970 in a BIGINT.
package database

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/linked"
)

// Config says which database. URL wins over File.
type Config struct {
	URL  string // of PostgreSQL, as "postgres://windie:secret@db.example/windie"
	File string // of SQLite; it is made if it is not there, its folder is not

	// Check bounds the time in which Open looks whether the file of SQLite is whole; 0: Open does
	// not look. PostgreSQL looks after its files itself.
	Check time.Duration
}

// DB is an open database. Its methods are safe for concurrent use.
type DB struct {
	postgres *pgx.ConnConfig // nil for SQLite
	path     string          // of SQLite, absolute
	file     linked.Path     // of SQLite
	wal      linked.Path     // of SQLite, once it is there: the last commits are in it alone
	held     *bun.DB         // of SQLite: a connection that keeps wal
	checked  bool            // whether Open has looked at all of the file
	read     *bun.DB
	write    *bun.DB // the same as read on PostgreSQL; one connection on SQLite, which has one writer
}

const openTime = 5 * time.Minute

// Open connects, and brings the tables up to date. It refuses a database that a newer version has
// changed already, and with Config.Check one that is damaged. The caller closes it.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	db, err := connect(cfg)
	if err != nil {
		return nil, err
	}
	err = db.checkFile(ctx, cfg.Check)
	if err == nil {
		err = db.migrate(ctx)
	}
	if err == nil {
		err = db.noteLog(ctx)
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

func connect(cfg Config) (*DB, error) {
	if cfg.URL == "" {
		return connectSQLite(cfg.File)
	}
	return connectPostgres(cfg.URL)
}

// Close gives back all connections. It may be called twice.
func (db *DB) Close() error {
	err := db.read.Close()
	if db.held != nil {
		err = errors.Join(err, db.held.Close())
	}
	if db.write != db.read {
		err = errors.Join(err, db.write.Close())
	}
	return err
}

// Postgres reports whether the database is PostgreSQL, which other gateways may use too.
func (db *DB) Postgres() bool { return db.postgres != nil }

// Name names the database, for people.
func (db *DB) Name() string {
	if db.Postgres() {
		return "PostgreSQL"
	}
	return "SQLite"
}

// Read is for queries that change nothing. Their errors go through Fault.
func (db *DB) Read() *bun.DB { return db.read }

// Ready reports whether the database answers and takes changes. Its error says what to do.
func (db *DB) Ready(ctx context.Context) error {
	if db.Postgres() {
		return db.readyPostgres(ctx)
	}
	return db.readySQLite(ctx)
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

// Path returns the file of SQLite, empty for PostgreSQL.
func (db *DB) Path() string { return db.path }
