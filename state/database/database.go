// Package database opens the database that stores all state: an SQLite file, or PostgreSQL for
// several gateways.
//
//	db, err := database.Open(ctx, database.Config{File: "windie.db"})
//	defer db.Close()
//	err = db.Write(ctx, "identity.create", func(ctx context.Context, tx bun.Tx) error { ... })
//
// Both run the same queries, in bun's form with `?` for values. Open applies the migrations, which
// create the tables. Times are stored as microseconds since 1970 in a BIGINT.
package database

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/linked"
)

// Config names a database. If URL is set, File is ignored.
type Config struct {
	URL  string // URL of a PostgreSQL database, for example "postgres://windie:secret@db.example/windie"
	File string // path of an SQLite file; Open creates a missing file, but not its folder

	// Check is the maximum time that Open spends on checking an SQLite file for damage; 0 skips the
	// check. PostgreSQL checks its own files.
	Check time.Duration
}

// DB is an open database. Its methods are safe for concurrent use.
type DB struct {
	postgres *pgx.ConnConfig // nil for SQLite
	path     string          // of SQLite, absolute; empty for PostgreSQL
	file     linked.Path     // of SQLite
	wal      linked.Path     // of SQLite, once it exists; only this file has the last commits
	held     *bun.DB         // of SQLite: an open connection, so that SQLite does not remove wal
	checked  bool            // whether Open has checked the whole file
	read     *bun.DB
	write    *bun.DB // equal to read on PostgreSQL; a single connection on SQLite, which allows one writer
}

const openTime = 5 * time.Minute

// Open connects to a database and applies pending migrations. It refuses a database whose schema is
// newer than this gateway supports. If Config.Check is set, it also refuses a damaged database. The
// caller closes the returned DB.
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

// connect opens the database that cfg names. It may not connect yet, and it applies no migrations.
func connect(cfg Config) (*DB, error) {
	if cfg.URL == "" {
		return connectSQLite(cfg.File)
	}
	return connectPostgres(cfg.URL)
}

// Close closes all connections. It may be called twice.
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

// Postgres reports whether the database is PostgreSQL, which several gateways can share.
func (db *DB) Postgres() bool { return db.postgres != nil }

// Name returns the database's name for people: "PostgreSQL" or "SQLite".
func (db *DB) Name() string {
	if db.Postgres() {
		return "PostgreSQL"
	}
	return "SQLite"
}

// Read returns the connections for queries that change nothing. The caller converts the errors of
// these queries with Fault.
func (db *DB) Read() *bun.DB { return db.read }

// Ready checks that the database responds and accepts changes. Its error says what to do.
func (db *DB) Ready(ctx context.Context) error {
	if db.Postgres() {
		return db.readyPostgres(ctx)
	}
	return db.readySQLite(ctx)
}

// Now returns the time, in microseconds since 1970. It reads the clock that all gateways share.
// This is PostgreSQL's clock, or for SQLite the machine's clock.
func (db *DB) Now(ctx context.Context, tx bun.IDB) (int64, error) {
	if !db.Postgres() {
		return Micros(time.Now()), nil
	}
	var now int64
	err := tx.NewRaw("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").Scan(ctx, &now)
	return now, err
}

// Micros converts a time to its stored form, microseconds since 1970.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// Time converts stored microseconds to a time in UTC.
func Time(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// Path returns the absolute path of the SQLite file. It is empty for PostgreSQL.
func (db *DB) Path() string { return db.path }
