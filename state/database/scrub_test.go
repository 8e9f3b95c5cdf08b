package database_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uptrace/bun"
	_ "modernc.org/sqlite"

	"database/sql"

	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/state/database"
)

// What is deleted is in no file afterwards, and its room is the disk's again: at once in a new
// file, and after Compact in one that an older gateway made.
func TestScrub(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]bool{"a new file": false, "an old file": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "windie.db")
			if old {
				makeOldFile(t, file)
			}
			db := databasetest.Open(t, database.Config{File: file})
			empty := scrubbed(t, db)
			for i := range 200 {
				if err := exec(t, db, fmt.Sprintf("INSERT INTO users (id, created) VALUES ('planted %d %s', 1)", i, strings.Repeat("x", 4000))); err != nil {
					t.Fatal(err)
				}
			}
			full := scrubbed(t, db)
			if err := exec(t, db, "DELETE FROM users"); err != nil {
				t.Fatal(err)
			}
			after := scrubbed(t, db)
			if full < empty+200*4000 || !old && after > empty+empty/10 {
				t.Errorf("empty %d, full %d, after the deletion %d bytes", empty, full, after)
			}
			for _, suffix := range []string{"", "-wal"} {
				if content, err := os.ReadFile(file + suffix); err != nil || bytes.Contains(content, []byte("planted")) {
					t.Errorf("%s has what was deleted, %v", file+suffix, err)
				}
			}
			if err := db.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			if compact := scrubbed(t, db); compact > empty+empty/10 {
				t.Errorf("empty %d, compact %d bytes", empty, compact)
			}
			var mode int
			if err := db.Read().NewRaw("PRAGMA auto_vacuum").Scan(t.Context(), &mode); err != nil || mode != 2 {
				t.Errorf("free pages cannot be given back: mode %d, %v", mode, err)
			}
		})
	}
}

// PostgreSQL gives the room of deleted rows back, too: that of indexes, which it would keep for later
// ones. An index whose table is in use stays as it is, and nobody waits for it.
func TestScrubPostgres(t *testing.T) {
	t.Parallel()
	url := pgtest.Start(t)
	db := databasetest.Open(t, database.Config{URL: url})
	empty := scrubbed(t, db)
	if err := exec(t, db, "INSERT INTO users (id, created) SELECT md5(n::text) || repeat('x', 200), 1 FROM generate_series(1, 20000) AS n"); err != nil {
		t.Fatal(err)
	}
	full := scrubbed(t, db)
	if err := exec(t, db, "DELETE FROM users"); err != nil {
		t.Fatal(err)
	}
	inUse := make(chan struct{})
	used := make(chan error, 1)
	go func() {
		used <- db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			if _, err := tx.ExecContext(ctx, "LOCK TABLE users IN ROW EXCLUSIVE MODE"); err != nil {
				return err
			}
			inUse <- struct{}{}
			<-inUse
			return nil
		})
	}()
	<-inUse
	kept := scrubbed(t, db)
	inUse <- struct{}{}
	if err := <-used; err != nil {
		t.Fatal(err)
	}
	after := scrubbed(t, db)
	if full < empty+20000*200 || kept < empty+1<<20 || after > empty+empty/10 {
		t.Errorf("empty %d, full %d, while its table is in use %d, after the deletion %d bytes", empty, full, kept, after)
	}
}

// makeOldFile makes a file as gateways did that kept free pages.
func makeOldFile(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "PRAGMA journal_mode = WAL; CREATE TABLE old (a); DROP TABLE old"); err != nil {
		t.Fatal(err)
	}
}

// scrubbed returns the size of a database once it is scrubbed.
func scrubbed(t *testing.T, db *database.DB) int64 {
	t.Helper()
	if err := db.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	size, err := db.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// BenchmarkDelete deletes rows of a turn, as a janitor does, with what is deleted overwritten.
func BenchmarkDelete(b *testing.B) {
	for _, secure := range []string{"1", "FAST", "0"} {
		b.Run("secure="+secure, func(b *testing.B) {
			db, err := database.Open(b.Context(), database.Config{File: filepath.Join(b.TempDir(), "windie.db")})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			write := func(statement string) {
				if err := db.Write(b.Context(), "bench", func(ctx context.Context, tx bun.Tx) error {
					_, err := tx.NewRaw(statement).Exec(ctx)
					return err
				}); err != nil {
					b.Fatal(err)
				}
			}
			write("PRAGMA secure_delete = " + secure)
			text := strings.Repeat("x", 400)
			stream := 0
			for b.Loop() {
				stream++
				for seq := range 10 {
					write(fmt.Sprintf("INSERT INTO events (stream_id, seq, time, kind, data) VALUES (%d, %d, 1, 'k', '%s')", stream, seq, text))
				}
				write(fmt.Sprintf("DELETE FROM events WHERE stream_id = %d", stream))
			}
		})
	}
}
