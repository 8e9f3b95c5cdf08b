package database_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// checkTime is ample for the small files of these tests.
const checkTime = time.Minute

// wantDamaged fails unless err says that a database is damaged, and what to do.
func wantDamaged(t *testing.T, what string, err error) {
	t.Helper()
	if f := fault.From(err); f == nil || f.Code != sdkapi.StateDamaged || !strings.Contains(f.Message, "windie restore") {
		t.Errorf("%s: %v, want %s with what to do", what, err, sdkapi.StateDamaged)
	}
}

// filled makes a database of some hundred pages, and returns the file.
func filled(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "windie.db")
	db := databasetest.Open(t, database.Config{File: file})
	err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		for i := range 2000 {
			text := fmt.Sprintf("user %05d %s", i, strings.Repeat("x", 300))
			if _, err := tx.NewRaw("INSERT INTO users (id, created) VALUES (?, ?)", text, i).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = db.Close() // which moves the log into the file
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestDamage overwrites pages of a database, one kind of damage for each case, and opens it.
func TestDamage(t *testing.T) {
	t.Parallel()
	const page = 4096
	noise := make([]byte, 3*page)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // which never fails
	for name, damage := range map[string]func(file *os.File, size int64) error{
		"zeros in the middle": func(f *os.File, size int64) error {
			_, err := f.WriteAt(make([]byte, 3*page), size/2/page*page)
			return err
		},
		"noise in the middle": func(f *os.File, size int64) error { _, err := f.WriteAt(noise, size/2/page*page); return err },
		"noise at the start":  func(f *os.File, _ int64) error { _, err := f.WriteAt(noise, 0); return err },
		"the end is missing":  func(f *os.File, size int64) error { return f.Truncate(size / 2) },
		"a page elsewhere": func(f *os.File, size int64) error {
			text := make([]byte, page)
			_, err := f.ReadAt(text, page)
			if err == nil {
				_, err = f.WriteAt(text, size/2/page*page)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filled(t)
			file, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			info, err := file.Stat()
			if err == nil {
				err = damage(file, info.Size())
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = database.Open(t.Context(), database.Config{File: path, Check: checkTime})
			wantDamaged(t, "Open", err)
			_, err = database.Inspect(t.Context(), database.Config{File: path})
			wantDamaged(t, "Inspect", err)
		})
	}
}

// TestCheckIsBounded opens a whole database, with time to look at all of it and without.
func TestCheckIsBounded(t *testing.T) {
	t.Parallel()
	path := filled(t)
	for most, wholly := range map[time.Duration]bool{0: false, time.Nanosecond: false, checkTime: true} {
		t.Run(most.String(), func(t *testing.T) {
			db := databasetest.Open(t, database.Config{File: path, Check: most})
			if db.Checked() != wholly {
				t.Errorf("Checked is %v, want %v", db.Checked(), wholly)
			}
		})
	}
}

// TestFolderRemoved removes the folder of a database that is written to. What was acknowledged
// before the removal began is gone with it; after its end nothing may be acknowledged.
func TestFolderRemoved(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(dir string) error{
		"all of it":    os.RemoveAll,
		"the log only": func(dir string) error { return os.Remove(filepath.Join(dir, "windie.db-wal")) },
		"moved":        func(dir string) error { return os.Rename(dir, dir+".old") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			db := databasetest.Open(t, database.Config{File: filepath.Join(dir, "windie.db")})
			var mu sync.Mutex
			acknowledged := 0
			var last time.Time // when the last write was begun that was acknowledged
			ctx, stop := context.WithCancel(t.Context())
			var writers sync.WaitGroup
			for w := range 4 {
				writers.Go(func() {
					for i := 0; ctx.Err() == nil; i++ {
						began := time.Now()
						err := exec(t, db, fmt.Sprintf("INSERT INTO users (id, created) VALUES ('%d/%d', 1)", w, i))
						if err == nil {
							mu.Lock()
							acknowledged, last = acknowledged+1, began
							mu.Unlock()
						}
					}
				})
			}
			testkit.Eventually(t, "writes are acknowledged", func() (int, bool) {
				mu.Lock()
				defer mu.Unlock()
				return acknowledged, acknowledged > 20
			})
			if err := remove(dir); err != nil {
				t.Fatal(err)
			}
			removed := time.Now()
			for range 20 {
				wantUnavailable(t, "a write after that", exec(t, db, "INSERT INTO users (id, created) VALUES ('late', 1)"), "removed or replaced")
			}
			wantUnavailable(t, "Ready", db.Ready(t.Context()), "removed or replaced")
			stop()
			writers.Wait()
			if last.After(removed) {
				t.Errorf("a write was acknowledged that began %v after the removal", last.Sub(removed))
			}
		})
	}
}
