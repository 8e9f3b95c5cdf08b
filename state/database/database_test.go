package database_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// exec runs one statement in a transaction.
func exec(t *testing.T, db *database.DB, statement string) error {
	t.Helper()
	return db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(statement).Exec(ctx)
		return err
	})
}

// wantUnavailable fails unless err says so, and gives the caller this text.
func wantUnavailable(t *testing.T, what string, err error, says string) {
	t.Helper()
	if f := fault.From(err); f == nil || f.Code != sdkapi.StateUnavailable || !strings.Contains(f.Message, says) {
		t.Errorf("%s: %v, want %s with %q", what, err, sdkapi.StateUnavailable, says)
	}
}

// TestOpenAgain finds what was kept, and is ready each time.
func TestOpenAgain(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		for round := range 3 {
			db := databasetest.Open(t, cfg)
			if err := db.Ready(t.Context()); err != nil {
				t.Error(err)
			}
			if db.Postgres() != (cfg.URL != "") || !strings.Contains("PostgreSQL SQLite", db.Name()) {
				t.Errorf("it is %s", db.Name())
			}
			if err := exec(t, db, "INSERT INTO users (id, created) VALUES ('u', 1)"); database.IsDuplicate(err) != (round > 0) {
				t.Errorf("round %d: %v", round, err)
			}
			for range 2 {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			}
			wantUnavailable(t, "Ready, closed", db.Ready(t.Context()), "")
		}
	})
}

// TestOpenTogether has many gateways start at once on an empty database.
func TestOpenTogether(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		var wg sync.WaitGroup
		start := make(chan struct{})
		for range 12 {
			wg.Go(func() {
				<-start
				db, err := database.Open(t.Context(), cfg)
				if err != nil {
					t.Error(err)
					return
				}
				if err := db.Ready(t.Context()); err != nil {
					t.Error(err)
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		close(start)
		wg.Wait()
	})
}

// TestNewerSchema refuses to work on tables that it does not know.
func TestNewerSchema(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		if err := exec(t, db, "INSERT INTO schema_version (version_id, is_applied) VALUES (9999, TRUE)"); err != nil {
			t.Fatal(err)
		}
		_, err := database.Open(t.Context(), cfg)
		wantUnavailable(t, "Open", err, "version 9999")
	})
}

// TestWriteIsWhole keeps nothing of a transaction that failed, and hands its
// error through.
func TestWriteIsWhole(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		stop := fault.New("test", sdkapi.LeaseLost, "stop")
		err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			if _, err := tx.NewRaw("INSERT INTO users (id, created) VALUES ('u', 1)").Exec(ctx); err != nil {
				return err
			}
			return stop
		})
		if !errors.Is(err, stop) {
			t.Errorf("%v", err)
		}
		var n int
		if err := db.Read().NewRaw("SELECT count(*) FROM users").Scan(t.Context(), &n); err != nil || n != 0 {
			t.Errorf("%d users, %v", n, err)
		}
		if _, err := db.Read().NewRaw("INSERT INTO users (id, created) VALUES ('u', 1)").Exec(t.Context()); err == nil && !db.Postgres() {
			t.Error("Read has written")
		}
	})
}

// TestEndedContexts distinguishes the end of a context from a database that is
// away.
func TestEndedContexts(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		nothing := func(context.Context, bun.Tx) error { return nil }
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := db.Write(canceled, "test", nothing); fault.CodeOf(err) != sdkapi.Canceled || !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
		late, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		if err := db.Write(late, "test", nothing); fault.CodeOf(err) != sdkapi.Timeout || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("late: %v", err)
		}
		if err := db.Write(t.Context(), "test", nothing); err != nil {
			t.Errorf("after that: %v", err)
		}
	})
}

// TestFiles looks at what SQLite leaves in the folder.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "50% a#b?c=d e")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	db := databasetest.Open(t, database.Config{File: filepath.Join(dir, "windie.db")})
	if err := exec(t, db, "INSERT INTO users (id, created) VALUES ('u', 1)"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%v, %v", entries, err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || info.Mode() != 0o600 || !strings.HasPrefix(entry.Name(), "windie.db") {
			t.Errorf("%s is %v, %v", entry.Name(), info.Mode(), err)
		}
	}
}

// TestFileCannotBeUsed opens files that cannot be there.
func TestFileCannotBeUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{
		filepath.Join(dir, "missing", "windie.db"),
		dir,
		"/proc/self/windie.db", // which not even root may make
	} {
		_, err := database.Open(t.Context(), database.Config{File: file})
		wantUnavailable(t, file, err, "its folder exists")
	}
	_, err := database.Open(t.Context(), database.Config{File: text})
	wantDamaged(t, "text", err)
	if text, err := os.ReadFile(text); err != nil || !strings.HasPrefix(string(text), "no database no") {
		t.Errorf("the file that is none was changed: %v", err)
	}
}

// TestReadyWithoutItsFile sees that what is kept would be lost.
func TestReadyWithoutItsFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "windie.db")
	db := databasetest.Open(t, database.Config{File: file})
	if err := os.Rename(file, file+".moved"); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, "Ready", db.Ready(t.Context()), "removed or replaced")
	if err := os.WriteFile(file, nil, fs.FileMode(0o600)); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, "Ready of another file", db.Ready(t.Context()), "removed or replaced")
	if err := os.Rename(file+".moved", file); err != nil {
		t.Fatal(err)
	}
	if err := db.Ready(t.Context()); err != nil {
		t.Errorf("when it is back: %v", err)
	}
}
