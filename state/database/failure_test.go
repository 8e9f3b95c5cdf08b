package database_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// TestFault sorts errors.
func TestFault(t *testing.T) {
	t.Parallel()
	own := fault.New("test", sdkapi.LeaseLost, "lost")
	for _, c := range []struct {
		err  error
		code sdkapi.Code
		says string
	}{
		{nil, "", ""},
		{own, sdkapi.LeaseLost, "lost"},
		{fmt.Errorf("wrapped: %w", own), sdkapi.LeaseLost, "lost"},
		{&pgconn.PgError{Code: "53100"}, sdkapi.StorageFull, "free space"},
		{&pgconn.PgError{Code: "25006"}, sdkapi.StateUnavailable, "cannot write to"},
		{&pgconn.PgError{Code: "42501"}, sdkapi.StateUnavailable, "make it the owner"},
		{&pgconn.PgError{Code: "28P01"}, sdkapi.StateUnavailable, "user and password"},
		{&pgconn.PgError{Code: "XX001"}, sdkapi.StateDamaged, "restore a backup"},
		{&pgconn.PgError{Code: "57P01"}, sdkapi.StateUnavailable, "does not respond"},
		{io.ErrUnexpectedEOF, sdkapi.StateUnavailable, "does not respond"},
		{context.Canceled, sdkapi.Canceled, ""},
		{context.DeadlineExceeded, sdkapi.Timeout, ""},
	} {
		t.Run(fmt.Sprint(c.err), func(t *testing.T) {
			err := database.Fault("test", c.err)
			if f := fault.From(err); fault.CodeOf(err) != c.code || (f != nil && !strings.Contains(f.Message, c.says)) || !errors.Is(err, c.err) {
				t.Errorf("Fault(%v) is %v, want %s with %q", c.err, err, c.code, c.says)
			}
		})
	}
	if err := database.Fault("test", &pgconn.PgError{Code: "25006"}); !database.TakesNothing(err) {
		t.Errorf("a standby takes something: %v", err)
	}
	if err := database.Fault("test", &pgconn.PgError{Code: "57P01"}); database.TakesNothing(err) {
		t.Errorf("a server that is away takes nothing: %v", err)
	}
	if err := database.FaultIn(t.Context(), "test", context.DeadlineExceeded); fault.CodeOf(err) != sdkapi.StateUnavailable {
		t.Errorf("a time limit of the driver's own: %v", err)
	}
	if err := database.FaultIn(over{t.Context()}, "test", io.EOF); fault.CodeOf(err) != sdkapi.Timeout {
		t.Errorf("at the deadline: %v", err)
	}
}

// over is a context in the moment of its deadline, which it has yet to notice.
type over struct{ context.Context }

func (over) Deadline() (time.Time, bool) { return time.Now(), true }

// TestCallersThatLeave cost the pool no connection.
func TestCallersThatLeave(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
	backend := func() (pid int) {
		if err := db.Read().NewRaw("SELECT pg_backend_pid()").Scan(t.Context(), &pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	before := backend()
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		_ = db.Ask(ctx, "test", func(ctx context.Context, db *bun.DB) error {
			_, err := db.NewRaw("SELECT pg_sleep(0.02)").Exec(ctx)
			return err
		})
		cancel()
	}
	if after := backend(); after != before {
		t.Errorf("there is another connection: %d, before %d", after, before)
	}
}

// TestURLStaysSecret gets URLs wrong in several ways, and finds the password in
// no message and in no log.
func TestURLStaysSecret(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://windie:hush@127.0.0.1:1/windie?connect_timeout=2",
		"postgres://windie:hush@127.0.0.1:1/windie?sslmode=nonsense",
		"postgres://windie:hush@127.0.0.1:port/windie",
		"postgres://windie:hu%sh@127.0.0.1/windie",
		"postgres://windie:hush @127.0.0.1/windie",
		"postgres://127.0.0.1:1/windie?user=windie&password=hush",
		"host=127.0.0.1 port=1 user=windie password=hush connect_timeout=2",
		"host=127.0.0.1 port=one password=hush",
		"password=hush host",
		"mysql://windie:hush@127.0.0.1/windie",
		"hush",
	} {
		_, err := database.Open(t.Context(), database.Config{URL: url})
		wantUnavailable(t, url, err, "")
		if err != nil && (strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "hu%sh")) {
			t.Errorf("%s: the error repeats the password: %v", url, err)
		}
	}
}

// TestSQLiteFull goes on where there is room again.
func TestSQLiteFull(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	// The one connection that writes keeps the bound.
	if err := exec(t, db, "PRAGMA max_page_count = 60"); err != nil {
		t.Fatal(err)
	}
	large := fmt.Sprintf("INSERT INTO users (id, created) VALUES ('%s', 1)", strings.Repeat("x", 1<<20))
	if err := exec(t, db, large); fault.CodeOf(err) != sdkapi.StorageFull || !database.TakesNothing(err) {
		t.Errorf("on a full disk: %v", err)
	}
	if err := exec(t, db, "PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := exec(t, db, large); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// TestSQLiteReadOnly: a file that became read-only is reported as such.
func TestSQLiteReadOnly(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	// The permissions of files do not bind root, as whom tests may run.
	if err := exec(t, db, "PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, "Write", exec(t, db, "INSERT INTO users (id, created) VALUES ('u', 1)"), "cannot write to")
	wantUnavailable(t, "Ready", db.Ready(t.Context()), "cannot write to")
}

// TestPostgresReadOnly is on a server that takes no changes, as a standby.
func TestPostgresReadOnly(t *testing.T) {
	t.Parallel()
	cfg := database.Config{URL: pgtest.Start(t)}
	db := databasetest.Open(t, cfg)
	if err := exec(t, db, "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET default_transaction_read_only = on'; END $$"); err != nil {
		t.Fatal(err)
	}
	standby := databasetest.Open(t, cfg)
	wantUnavailable(t, "Ready", standby.Ready(t.Context()), "standby")
	wantUnavailable(t, "Write", exec(t, standby, "INSERT INTO users (id, created) VALUES ('u', 1)"), "cannot write to")
}

// TestEncoding refuses a database that cannot keep every text.
func TestEncoding(t *testing.T) {
	t.Parallel()
	server := pgtest.Own(t)
	db := databasetest.Open(t, database.Config{URL: server.URL})
	if _, err := db.Read().NewRaw("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0").Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := database.Open(t.Context(), database.Config{URL: strings.Replace(server.URL, "/postgres?", "/latin?", 1)})
	wantUnavailable(t, "Open", err, "UTF8")
}

// TestDeadlock has two transactions each want what the other has: one is given
// up for the other's sake, and tried again.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
	if err := exec(t, db, "INSERT INTO users (id, created) VALUES ('a', 0), ('b', 0)"); err != nil {
		t.Fatal(err)
	}
	var haveFirst sync.WaitGroup // both transactions, before either wants its second
	haveFirst.Add(2)
	add := func(first, second string, tries *int) error {
		return db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			*tries++
			for i, id := range []string{first, second} {
				if i > 0 && *tries == 1 {
					haveFirst.Done()
					haveFirst.Wait()
				}
				if _, err := tx.NewRaw("UPDATE users SET created = created + 1 WHERE id = ?", id).Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	var one, two int
	other := make(chan error, 1)
	go func() { other <- add("b", "a", &two) }()
	if err := errors.Join(add("a", "b", &one), <-other); err != nil {
		t.Error(err)
	}
	var sum int
	if err := db.Read().NewRaw("SELECT sum(created) FROM users").Scan(t.Context(), &sum); err != nil || sum != 4 {
		t.Errorf("the sum is %d, %v", sum, err)
	}
	if one+two < 3 {
		t.Error("there was no deadlock")
	}
}

// TestListen receives the notices, and learns that something may have been
// missed when its connection is lost.
func TestListen(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
	ctx, cancel := context.WithCancel(t.Context())
	missed, told, ended := make(chan struct{}, 10), make(chan string, 10), make(chan struct{})
	go func() {
		db.Listen(ctx, "Test", func() { missed <- struct{}{} }, func(notice string) { told <- notice })
		close(ended)
	}()
	for range 2 {
		<-missed
		for _, notice := range []string{"it's", strings.Repeat("x", database.MaxNotice)} {
			err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error { return db.Notify(ctx, tx, "Test", notice) })
			if got := <-told; err != nil || got != notice {
				t.Errorf("told %.20q, %v", got, err)
			}
		}
		if err := exec(t, db, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'windie listener' AND datname = current_database()"); err != nil {
			t.Error(err)
		}
	}
	<-missed
	cancel()
	<-ended
}
