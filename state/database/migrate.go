package database

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Gateways may start at the same time. PostgreSQL has a lock for migrations. With SQLite, the
// second gateway's migration fails without a change, and the gateway retries.
const (
	migrateTries = 20
	migratePause = 50 * time.Millisecond
)

// migrate applies the pending migrations. On SQLite it retries after most errors, because another
// gateway may migrate at the same time.
func (db *DB) migrate(ctx context.Context) error {
	const op = "database.migrate"
	p, err := db.provider()
	if err != nil {
		return fault.New(op, sdkapi.Internal, "the gateway cannot read its built-in migrations; install it again").Because(err)
	}
	if err := db.checkEncoding(ctx); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := up(ctx, op, p)
		if err == nil || db.Postgres() || full(err) || readOnly(err) || isDamage(err) || try == migrateTries {
			return FaultIn(ctx, op, err)
		}
		if background.Sleep(ctx, migratePause) != nil {
			return FaultIn(ctx, op, err)
		}
	}
}

// up applies the pending migrations once. It fails if the schema is newer than this gateway.
func up(ctx context.Context, op string, p *goose.Provider) error {
	has, newest, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if has > newest {
		return tooNew(op, has, newest)
	}
	_, err = p.Up(ctx)
	return err
}

// tooNew returns the fault for a database whose schema is newer than this gateway.
func tooNew(op string, has, newest int64) error {
	return fault.New(op, sdkapi.StateUnavailable,
		"the database has version %d, and this gateway supports at most version %d; start the newer gateway that upgraded it, or restore an older backup", has, newest)
}

// provider returns the built-in migrations for the kind of this database.
func (db *DB) provider() (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	others, err := db.othersOf(files)
	if err != nil {
		return nil, err
	}
	options := []goose.ProviderOption{goose.WithTableName("schema_version"), goose.WithDisableGlobalRegistry(true), goose.WithExcludeNames(others)}
	if !db.Postgres() {
		return goose.NewProvider(goose.DialectSQLite3, db.write.DB, files, options...)
	}
	return goose.NewProvider(goose.DialectPostgres, db.write.DB, files, append(options, goose.WithSessionLocker(turn{}))...)
}

// othersOf lists the migrations for the other kind of database. Full-text search differs between
// the two and is in two files, such as 0005_memory_sqlite.sql.
func (db *DB) othersOf(files fs.FS) ([]string, error) {
	if db.Postgres() {
		return fs.Glob(files, "*_sqlite.sql")
	}
	return fs.Glob(files, "*_postgres.sql")
}

// turn is a lock in PostgreSQL, so that gateways that start together migrate one after the other.
type turn struct{}

var _ lock.SessionLocker = turn{}

// turnID is the number of the lock: "windie" typed on a telephone keypad.
const turnID = 946343

// SessionLock implements lock.SessionLocker. It waits in PostgreSQL until the lock is free. Goose's
// own SessionLocker polls instead.
func (turn) SessionLock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", turnID)
	return err
}

// SessionUnlock implements lock.SessionLocker.
func (turn) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", turnID)
	return err
}
