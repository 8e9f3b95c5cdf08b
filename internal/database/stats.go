package database

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Pools counts the connections, by their purpose.
func (db *DB) Pools() map[string]sql.DBStats {
	if db.write == db.read {
		return map[string]sql.DBStats{"all": db.read.Stats()}
	}
	return map[string]sql.DBStats{"read": db.read.Stats(), "write": db.write.Stats()}
}

// SchemaVersion is the version of the tables, 0 before the first migration.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) {
	var version sql.NullInt64
	err := db.read.NewRaw("SELECT max(version_id) FROM schema_version").Scan(ctx, &version)
	return version.Int64, Fault("database.SchemaVersion", err)
}

// Inspection is what is known of a database without changing it.
type Inspection struct {
	Name    string        // as DB.Name
	Exists  bool          // whether there are tables of ours in it
	Version int64         // of the tables, 0 for none
	Newest  int64         // that this gateway knows
	Ahead   time.Duration // of its clock before ours; 0 on SQLite, whose clock is ours
}

// Inspect looks at a database and leaves it as it is. It fails, and says what
// to do, where Open would fail, and for a file that is damaged.
func Inspect(ctx context.Context, cfg Config) (in Inspection, err error) {
	if in.Newest, err = newest(); err != nil {
		return in, err
	}
	if cfg.URL == "" {
		if _, err := os.Stat(cfg.File); errors.Is(err, fs.ErrNotExist) {
			in.Name = "SQLite"
			return in, nil
		}
	}
	db, err := connect(cfg)
	if err != nil {
		return in, err
	}
	defer db.Close()
	in.Name = db.Name()
	if err := db.look(ctx, &in); err != nil {
		return in, damaged(cfg.File, err)
	}
	if in.Version > in.Newest {
		return in, tooNew("database.Inspect", in.Version, in.Newest)
	}
	return in, nil
}

func (db *DB) look(ctx context.Context, in *Inspection) error {
	const op = "database.Inspect"
	there := "SELECT count(*) > 0 FROM sqlite_master WHERE name = 'schema_version'"
	if db.Postgres() {
		there = "SELECT to_regclass('schema_version') IS NOT NULL"
	}
	if err := db.read.NewRaw(there).Scan(ctx, &in.Exists); err != nil {
		return Fault(op, err)
	}
	if in.Exists {
		version, err := db.SchemaVersion(ctx)
		if err != nil {
			return err
		}
		in.Version = version
	}
	if !db.Postgres() {
		var state string
		err := db.read.NewRaw("PRAGMA quick_check(1)").Scan(ctx, &state)
		if err == nil && state != "ok" {
			err = fault.New(op, sdkapi.StateUnavailable, "the database is damaged (%s)", state)
		}
		return Fault(op, err)
	}
	before := time.Now()
	now, err := db.Now(ctx, db.read)
	in.Ahead = Time(now).Sub(before.Add(time.Since(before) / 2))
	return Fault(op, err)
}

func newest() (version int64, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	for _, file := range files {
		n, bad := goose.NumericComponent(file)
		version, err = max(version, n), errors.Join(err, bad)
	}
	return version, err
}

// damaged says what to do about a file that is no database, or no whole one.
func damaged(file string, err error) error {
	code := sqliteCode(err) & 0xff
	f := fault.From(err)
	if code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_CORRUPT || strings.HasPrefix(f.Message, "the database is damaged") {
		return fault.New("database.Inspect", sdkapi.StateUnavailable,
			"%s is damaged, or no database: stop the gateway and restore a backup, or move the file away to begin anew", file).Because(err)
	}
	return err
}
