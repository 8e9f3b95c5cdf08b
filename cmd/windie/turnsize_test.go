//go:build system

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/retention"
)

// turnBytes is the most that a trivial turn, of a prompt of its own, may take on the disk.
const turnBytes = 8000

// turnsEnv says how many turns TestTrivialTurns makes; `make test-system PART=erasure` sets it to 10,000.
const turnsEnv = "WINDIE_TEST_TURNS"

// A trivial turn takes at most turnBytes, and when it is too old the disk has nearly as much room
// as before there were any.
func TestTrivialTurns(t *testing.T) {
	t.Parallel()
	turns := 400
	if n, err := strconv.Atoi(os.Getenv(turnsEnv)); err == nil {
		turns = n
	}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		trivialTurns(t, turns)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		trivialTurns(t, turns, "WINDIE_DATABASE_URL="+pgtest.Start(t))
	})
}

func trivialTurns(t *testing.T, turns int, variables ...string) {
	folder := t.TempDir()
	variables = append(variables, "WINDIE_DATA_DIR="+folder, "WINDIE_RETENTION=1h", "WINDIE_MODE=local", "WINDIE_OPERATOR_TOKEN=")
	c, err := loadWith(t, nil, variables, "")
	if err != nil {
		t.Fatal(err)
	}
	gateway := hostWith(t, []any{"serve"}, variables...)
	kept, err := openState(t.Context(), c, slog.New(slog.DiscardHandler), asBeside)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kept.close)
	size := func() int64 {
		t.Helper()
		if err := kept.db.Scrub(t.Context()); err != nil {
			t.Fatal(err)
		}
		database := int64(0)
		if kept.db.Postgres() {
			if database, err = kept.db.Size(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return database + sizeOf(t, folder)
	}
	askShortly(t, gateway.url, 0) // what every database has is made once
	empty := size()
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for n := worker; n < turns; n += 4 {
				askShortly(t, gateway.url, n+1)
			}
		})
	}
	all.Wait()
	full := size()
	each := (full - empty) / int64(turns)
	t.Logf("%d turns take %d bytes, %d each", turns, full-empty, each)
	if each > turnBytes {
		t.Errorf("a turn takes %d bytes, want at most %d", each, turnBytes)
	}
	later := func() time.Time { return time.Now().Add(2 * time.Hour) }
	removed, err := kept.openRetention(c, slog.New(slog.DiscardHandler), retention.Options{Now: later}).Clean(t.Context())
	if err != nil || removed["prompts"] != int64(turns)+1 {
		t.Errorf("removed %v, %v; want %d prompts", removed, err, turns+1)
	}
	after := size()
	t.Logf("empty %d, full %d, after %d", empty, full, after)
	if after > empty+empty/10 {
		t.Errorf("after all is removed it takes %d bytes, and %d before there was any", after, empty)
	}
}

// sizeOf returns how many bytes the files of a folder take.
func sizeOf(t *testing.T, folder string) (total int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ignoreMissing(err)
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return ignoreMissing(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

// askShortly asks something short, and waits for the end.
func askShortly(t *testing.T, url string, n int) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+sdkapi.PromptPath, bytes.NewReader([]byte(fmt.Sprintf(`{"input":"hello %d"}`, n))))
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sdkapi.UserHeader, "ada")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer res.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(res.Body); err != nil || !bytes.Contains(body.Bytes(), []byte("prompt.completed")) {
		t.Errorf("a prompt: %v %s", err, body.Bytes())
	}
}
