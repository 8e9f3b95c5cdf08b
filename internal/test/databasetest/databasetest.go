// Package databasetest has empty databases for tests.
//
//	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
//		db := databasetest.Open(t, cfg)
//	})
package databasetest

import (
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/state/database"
)

// OnBoth runs a test on an empty database of each kind, both beside other tests.
func OnBoth(t *testing.T, run func(t *testing.T, cfg database.Config)) {
	t.Helper()
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		run(t, InFile(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		run(t, database.Config{URL: pgtest.Start(t)})
	})
}

// InFile is an empty SQLite in a folder of the test's own.
func InFile(t testing.TB) database.Config {
	return database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
}

// Open opens a database that is closed with the test, if the test has not done so.
func Open(t testing.TB, cfg database.Config) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
