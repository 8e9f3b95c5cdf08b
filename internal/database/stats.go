package database

import (
	"context"
	"database/sql"
)

// Pools tells of the connections, by what they are for.
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
