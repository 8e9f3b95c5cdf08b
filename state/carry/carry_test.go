package carry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/uptrace/bun"
	"go.uber.org/goleak"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/artifacts/s3store"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/carry"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// amount is how much a test carries: make test-system PART=migrate sets the variables.
func amount(t *testing.T, variable string, usual int) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		return usual
	}
	return n
}

const breaks = 10 // of each carrying

func silent(string, int64, int64) {}

// fill keeps events, large ones among them, decisions and users.
func fill(t *testing.T, db *database.DB, events int) {
	t.Helper()
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	const page = 500
	for n := 0; n < events; n += page {
		var list []journal.Event
		for i := range min(page, events-n) {
			list = append(list, journal.Event{Kind: "test", Data: json.RawMessage(fmt.Sprintf(`{"n": %d, "text": "it's \\ \"quoted\" ? ü"}`, n+i))})
		}
		if _, err := log.Append(t.Context(), fmt.Sprintf("session/%d", n/page%7), list...); err != nil {
			t.Fatal(err)
		}
	}
	large := json.RawMessage(`"` + strings.Repeat("large ", 500_000) + `"`)
	if _, err := log.Append(t.Context(), "session/large", journal.Event{Kind: "test", Data: large}); err != nil {
		t.Fatal(err)
	}
	ids := identity.Open(db)
	for range 20 {
		if _, _, err := ids.Register(t.Context(), "Plan 9"); err != nil {
			t.Fatal(err)
		}
	}
	err = db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		for i, stored := range []bool{true, false} {
			_, err := tx.NewRaw("INSERT INTO artifacts (id, owner, created, stored, expires, missing) VALUES (?, 'ada', 1, ?, 0, 0)", fmt.Sprint("a", i, ".png"), stored).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// interrupted calls work until it succeeds; the first times its context ends in the middle.
func interrupted(t *testing.T, steps int, work func(ctx context.Context, report carry.Report) error) {
	t.Helper()
	for n := 0; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		left := rand.IntN(max(1, steps/breaks)) + 1
		err := work(ctx, func(string, int64, int64) {
			if left--; left == 0 && n < breaks {
				cancel()
			}
		})
		cancel()
		if err == nil {
			if n < breaks {
				t.Logf("it was broken off %d times", n)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || n > breaks {
			t.Fatalf("try %d: %v", n, err)
		}
	}
}

// TestTables carries a database to PostgreSQL, broken off many times, and reads it there.
func TestTables(t *testing.T) {
	t.Parallel()
	events := amount(t, "WINDIE_MIGRATE_EVENTS", 5000)
	from := databasetest.Open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	fill(t, from, events)
	to := databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
	interrupted(t, events/1000+20, func(ctx context.Context, report carry.Report) error { return carry.Tables(ctx, from, to, report) })
	for _, table := range []string{"streams", "events", "pieces", "users", "installs", "artifacts", "leases", "decisions"} {
		t.Run(table, func(t *testing.T) {
			var want, got int
			err := errors.Join(from.Read().NewRaw("SELECT count(*) FROM ?", bun.Ident(table)).Scan(t.Context(), &want),
				to.Read().NewRaw("SELECT count(*) FROM ?", bun.Ident(table)).Scan(t.Context(), &got))
			if err != nil || got != want {
				t.Errorf("%d rows of %d, %v", got, want, err)
			}
		})
	}
	a, errA := sqljournal.Open(from, sqljournal.Options{})
	b, errB := sqljournal.Open(to, sqljournal.Options{})
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	defer b.Close()
	for _, stream := range []string{"session/0", "session/3", "session/large"} {
		want, errA := a.Read(t.Context(), stream, 0, 1000)
		got, errB := b.Read(t.Context(), stream, 0, 1000)
		if fmt.Sprint(want) != fmt.Sprint(got) || len(got) == 0 {
			t.Errorf("%s: %d events of %d, %v", stream, len(got), len(want), errors.Join(errA, errB))
		}
	}
	if _, err := b.Append(t.Context(), "session/0", journal.Event{Kind: "later"}); err != nil {
		t.Error(err)
	}
	if err := carry.Tables(t.Context(), from, to, silent); err != nil {
		t.Errorf("again, when a gateway has used it: %v", err)
	}
}

// TestTablesRefused lists what may not be carried to.
// TestBytesInKeys carries rows with bytes in their key, is broken off among them, and goes on there.
func TestBytesInKeys(t *testing.T) {
	t.Parallel()
	from := databasetest.Open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	to := databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
	var rows [][]any
	for i := range 2500 { // more than are carried at once
		rows = append(rows, []any{"notes", "ada", fmt.Appendf(nil, "\x00\xff'%d", i), []byte{}})
	}
	err := from.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		return from.Insert(ctx, tx, "INSERT INTO plugin_values (plugin, user_id, name, value)", rows)
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = carry.Tables(ctx, from, to, func(table string, copied, _ int64) {
		if table == "plugin_values" && copied > 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := carry.Tables(t.Context(), from, to, silent); err != nil {
		t.Fatal(err)
	}
}

func TestTablesRefused(t *testing.T) {
	t.Parallel()
	from := databasetest.Open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	fill(t, from, 3000)
	t.Run("rows are there", func(t *testing.T) {
		to := databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
		if _, err := identity.Open(to).CreateUser(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := carry.Tables(t.Context(), from, to, silent); !strings.Contains(fmt.Sprint(err), "in the table users") {
			t.Error(err)
		}
	})
	t.Run("a gateway uses it", func(t *testing.T) {
		to := databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
		log, err := sqljournal.Open(to, sqljournal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		testkit.Eventually(t, "it listens", func() (bool, bool) { used, err := to.Followed(t.Context()); return used, used && err == nil })
		if err := carry.Tables(t.Context(), from, to, silent); !strings.Contains(fmt.Sprint(err), "stop the gateway first") {
			t.Error(err)
		}
	})
	t.Run("another one is half there", func(t *testing.T) {
		to := databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
		ctx, cancel := context.WithCancel(t.Context())
		if err := carry.Tables(ctx, from, to, func(string, int64, int64) { cancel() }); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if half, err := carry.Unfinished(t.Context(), to); !half || err != nil {
			t.Errorf("Unfinished: %v, %v", half, err)
		}
		other := databasetest.Open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
		if err := carry.Tables(t.Context(), other, to, silent); !strings.Contains(fmt.Sprint(err), "start with an empty database") {
			t.Error(err)
		}
		// What the source got meanwhile, in a part that was carried, is noticed.
		err := from.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw("UPDATE artifacts SET created = 2").Exec(ctx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := carry.Tables(t.Context(), from, to, silent); !strings.Contains(fmt.Sprint(err), "the table artifacts differs") {
			t.Error(err)
		}
	})
	t.Run("a table without a key", func(t *testing.T) {
		err := from.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw("CREATE TABLE keyless (a TEXT)").Exec(ctx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		to := databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
		if err := carry.Tables(t.Context(), from, to, silent); !strings.Contains(fmt.Sprint(err), "keyless has no primary key") {
			t.Error(err)
		}
	})
}

// TestArtifacts carries a folder to a bucket, broken off many times. A damaged artifact stays behind.
func TestArtifacts(t *testing.T) {
	t.Parallel()
	many := amount(t, "WINDIE_MIGRATE_ARTIFACTS", 40)
	from, err := dirstore.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := range many {
		if _, err := from.Put(t.Context(), fmt.Sprintf("%04x.txt", i*7919%65536), "text/plain", strings.NewReader(strings.Repeat("x", i*100))); err != nil {
			t.Fatal(err)
		}
	}
	data, _ := from.Files(fmt.Sprintf("%04x.txt", 5*7919%65536))
	if err := os.WriteFile(data, []byte(strings.Repeat("y", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	server := testkit.S3(t)
	to, err := s3store.Open(t.Context(), s3store.Config{Endpoint: server.Endpoint, Bucket: server.Bucket, AccessKey: server.AccessKey, SecretKey: server.SecretKey, Region: server.Region, SpoolDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	var done carry.Carried
	for n := range breaks { // in the middle of uploads
		ctx, cancel := context.WithCancel(t.Context())
		some := &counted{Store: from, then: cancel}
		some.left.Store(int64(max(1, many/breaks-2)))
		if _, err = carry.Artifacts(ctx, some, to, silent); fault.CodeOf(err) != sdkapi.Canceled {
			t.Fatalf("try %d: %v", n, err)
		}
		cancel()
	}
	if done, err = carry.Artifacts(t.Context(), from, to, silent); err != nil || int(done.Copied+done.Present) != many-1 || len(done.Damaged) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	ids, err := from.Walk(t.Context(), "", many+1)
	if err != nil || len(ids) != many {
		t.Fatalf("%d of %d artifacts are listed, %v", len(ids), many, err)
	}
	there, err := to.Walk(t.Context(), "", many+1)
	if err != nil || len(there) != many-1 {
		t.Fatalf("%d of %d artifacts are there, %v", len(there), many-1, err)
	}
	for _, id := range there {
		want, errA := from.Stat(t.Context(), id)
		got, errB := to.Stat(t.Context(), id)
		if errA != nil || errB != nil || got != want {
			t.Errorf("%s: %+v, want %+v: %v", id, got, want, errors.Join(errA, errB))
		}
	}
}

// counted ends a context after some artifacts were opened.
type counted struct {
	*dirstore.Store
	left atomic.Int64
	then func()
}

// Get implements artifacts.Store.
func (c *counted) Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	if c.left.Add(-1) == 0 {
		c.then()
	}
	return c.Store.Get(ctx, id, offset, length)
}
