package sqljournal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// openReclaiming opens a journal as a gateway does that starts.
func openReclaiming(t *testing.T, config database.Config) *gateway {
	t.Helper()
	return openWith(t, config, sqljournal.Options{Poll: poll, Reclaim: true})
}

func openWith(t *testing.T, config database.Config, options sqljournal.Options) *gateway {
	t.Helper()
	db, err := database.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	j, err := sqljournal.Open(db, options)
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{Journal: j, db: db, config: config}
	t.Cleanup(func() { g.end(t) })
	return g
}

// On PostgreSQL, where nobody knows who else there is, leases stay.
func TestReclaimLeavesOthers(t *testing.T) {
	t.Parallel()
	first := openReclaiming(t, database.Config{URL: pgtest.Start(t)})
	if _, err := first.Lease(t.Context(), "k", "a", time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := openReclaiming(t, first.config).Lease(t.Context(), "k", "b", time.Hour); fault.CodeOf(err) != sdkapi.LeaseHeld {
		t.Errorf("the lease of another gateway: %v", err)
	}
}

// A file that cannot be locked keeps the journal from opening, and is named.
func TestOpenWithoutLock(t *testing.T) {
	t.Parallel()
	config := database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
	db, err := database.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := os.Mkdir(config.File+"-lock", 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = sqljournal.Open(db, sqljournal.Options{})
	if fault.CodeOf(err) != sdkapi.StateUnavailable || !strings.Contains(err.Error(), "windie.db-lock") {
		t.Errorf("opened with %v", err)
	}
}
