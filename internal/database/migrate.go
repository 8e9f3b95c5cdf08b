package database

import (
	"context"
	"embed"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables up to date. Gateways that start together wait for
// each other.
func (db *DB) migrate(ctx context.Context) error {
	p, err := db.provider()
	if err != nil {
		return Fault("database.migrate", err)
	}
	has, newest, err := p.GetVersions(ctx)
	if err != nil {
		return Fault("database.migrate", err)
	}
	if has > newest {
		return fault.New("database.migrate", sdkapi.StateUnavailable,
			"the database is at version %d and this gateway knows up to %d: a newer one has used it; start that, or restore a backup from before", has, newest)
	}
	if _, err := p.Up(ctx); err != nil {
		return Fault("database.migrate", err)
	}
	return nil
}

func (db *DB) provider() (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	options := []goose.ProviderOption{goose.WithTableName("schema_version"), goose.WithDisableGlobalRegistry(true)}
	if !db.Postgres() {
		return goose.NewProvider(goose.DialectSQLite3, db.write.DB, files, options...)
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db.write.DB, files, append(options, goose.WithSessionLocker(locker))...)
}
