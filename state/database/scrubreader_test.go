//go:build system

package database_test

import (
	"os"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Something that reads for long, as a backup, keeps Scrub from emptying the log, and nobody from
// writing: neither this process nor another. Once it is done, Scrub empties it.
func TestScrubBesideAReader(t *testing.T) {
	t.Parallel()
	cfg := databasetest.InFile(t)
	db, other := databasetest.Open(t, cfg), databasetest.Open(t, cfg)
	if err := exec(t, db, "INSERT INTO users (id, created) VALUES ('planted', 1)"); err != nil {
		t.Fatal(err)
	}
	reader, err := other.Read().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Rollback() }()
	if err := reader.NewRaw("SELECT count(*) FROM users").Scan(t.Context(), new(int)); err != nil {
		t.Fatal(err)
	}
	scrubs := make(chan error, 1)
	go func() { scrubs <- db.Scrub(t.Context()) }() // the reader is at the end of the log for a moment
	longest := time.Duration(0)
	for pending := true; pending; {
		for _, db := range []*database.DB{db, other} {
			began := time.Now()
			if err := exec(t, db, "UPDATE users SET created = created + 1"); err != nil {
				t.Fatal(err)
			}
			longest = max(longest, time.Since(began))
		}
		select {
		case err = <-scrubs:
			pending = false
		case <-time.After(20 * time.Millisecond):
		}
	}
	if fault.CodeOf(err) != sdkapi.StateUnavailable || longest > 3*time.Second {
		t.Errorf("a write took %v beside a scrub that ended with %v", longest, err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := db.Scrub(t.Context()); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(cfg.File + "-wal"); err != nil || info.Size() != 0 {
		t.Errorf("the log has %d bytes, %v", info.Size(), err)
	}
}
