package database

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/pressly/goose/v3"
)

// Pools returns the statistics of the connection pools by purpose: "read" and "write", or "all" if
// there is only one pool.
func (db *DB) Pools() map[string]sql.DBStats {
	if db.write == db.read {
		return map[string]sql.DBStats{"all": db.read.Stats()}
	}
	return map[string]sql.DBStats{"read": db.read.Stats(), "write": db.write.Stats()}
}

// SchemaVersion returns the version of the tables, or 0 before the first migration.
func (db *DB) SchemaVersion(ctx context.Context) (int64, error) {
	var version sql.NullInt64
	err := db.read.NewRaw("SELECT max(version_id) FROM schema_version").Scan(ctx, &version)
	return version.Int64, Fault("database.SchemaVersion", err)
}

// Inspection is the result of Inspect: a description of a database.
type Inspection struct {
	Name    string        // name of the database, as DB.Name returns it
	Exists  bool          // whether the database has Windie's tables
	Version int64         // schema version; 0 if there are no tables
	Newest  int64         // newest schema version that this gateway knows
	Checked bool          // whether the whole SQLite file was checked within the time limit
	Ahead   time.Duration // how far the database's clock is ahead of this machine's clock; 0 on SQLite
}

// inspectTime limits the time in which Inspect checks the SQLite file. A check of windie doctor has
// five seconds.
const inspectTime = 4 * time.Second

// Inspect examines a database without changing it. It fails if the file is damaged, or if Open
// would fail. Its error says what to do.
func Inspect(ctx context.Context, cfg Config) (in Inspection, err error) {
	return inspect(ctx, cfg, inspectTime)
}

// IsCurrent reports whether the database exists and has this gateway's schema version. If so, Open
// would change nothing. It does not check for damage.
func IsCurrent(ctx context.Context, cfg Config) (bool, error) {
	in, err := inspect(ctx, cfg, 0)
	return in.Exists && in.Version == in.Newest, err
}

// inspect does the same as Inspect, but checks for damage for at most the time check; 0 skips the check.
func inspect(ctx context.Context, cfg Config, check time.Duration) (in Inspection, err error) {
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
	if err := db.look(ctx, &in, check); err != nil {
		return in, db.damaged(err)
	}
	if in.Version > in.Newest {
		return in, tooNew("database.Inspect", in.Version, in.Newest)
	}
	return in, nil
}

// look sets the fields of in that need a connection. It checks an SQLite file for damage for at
// most the time check; 0 skips the check.
func (db *DB) look(ctx context.Context, in *Inspection, check time.Duration) error {
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
		err := db.checkFile(ctx, check)
		in.Checked = db.checked
		return err
	}
	before := time.Now()
	now, err := db.Now(ctx, db.read)
	in.Ahead = Time(now).Sub(before.Add(time.Since(before) / 2))
	return Fault(op, err)
}

// newest returns the version of the newest built-in migration.
func newest() (version int64, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	for _, file := range files {
		n, bad := goose.NumericComponent(file)
		version, err = max(version, n), errors.Join(err, bad)
	}
	return version, err
}
