//go:build system

package audit_test

import (
	"path/filepath"
	"testing"

	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// databaseAway keeps nobody waiting for ever, and counts what is lost.
func databaseAway(t *testing.T, db *database.DB) {
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	l := audit.Open(db, audit.Options{})
	call(l, "ada", "a.b", "1")
	l.Close()
	call(l, "ada", "a.b", "2")
	if s := l.Stats(); s.Lost != 2 || s.Written != 0 {
		t.Errorf("%+v", s)
	}
	if _, err := l.List(t.Context(), audit.Query{}); fault.CodeOf(err) != sdkapi.StateUnavailable {
		t.Error(err)
	}
}

func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	onEmpty(t, func(t *testing.T) database.Config {
		return database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
	}, map[string]func(*testing.T, *database.DB){"SQLite": databaseAway})
	onEmpty(t, func(t *testing.T) database.Config { return database.Config{URL: pgtest.Start(t)} },
		map[string]func(*testing.T, *database.DB){"PostgreSQL": databaseAway})
}
