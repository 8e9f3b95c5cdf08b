package database

import (
	"context"
	"embed"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Gateways may start together. PostgreSQL has a lock for them. With SQLite the
// one that comes second fails, at whichever step, leaves nothing, and tries
// again.
const (
	migrateTries = 20
	migratePause = 50 * time.Millisecond
)

// migrate brings the tables up to date.
func (db *DB) migrate(ctx context.Context) error {
	const op = "database.migrate"
	p, err := db.provider()
	if err != nil {
		return fault.New(op, sdkapi.Internal, "the gateway's own migrations cannot be read").Because(err)
	}
	if err := db.checkEncoding(ctx); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := up(ctx, op, p)
		if err == nil || db.Postgres() || full(err) || readOnly(err) || sqliteCode(err)&0xff == sqlite3.SQLITE_NOTADB || try == migrateTries {
			return FaultIn(ctx, op, err)
		}
		if sleep(ctx, migratePause) != nil {
			return FaultIn(ctx, op, err)
		}
	}
}

func up(ctx context.Context, op string, p *goose.Provider) error {
	has, newest, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if has > newest {
		return fault.New(op, sdkapi.StateUnavailable,
			"the database is at version %d and this gateway knows up to %d: a newer one has used it; start that, or restore a backup from before", has, newest)
	}
	_, err = p.Up(ctx)
	return err
}

// lockSeconds bounds how long one gateway waits for another to migrate.
const lockSeconds = 300

func (db *DB) provider() (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	options := []goose.ProviderOption{goose.WithTableName("schema_version"), goose.WithDisableGlobalRegistry(true)}
	if !db.Postgres() {
		return goose.NewProvider(goose.DialectSQLite3, db.write.DB, files, options...)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, lockSeconds))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db.write.DB, files, append(options, goose.WithSessionLocker(locker))...)
}
