package sqljournal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

func wantCode(t *testing.T, what string, err error, code sdkapi.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Errorf("%s: %q (%v), want %q", what, got, err, code)
	}
}

// exec runs one statement past the journal.
func (g *gateway) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	err := g.db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(statement, args...).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// deaf ends the connection on which gateways on a database listen.
const deaf = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'windie listener' AND datname = current_database()"

// followed follows a stream from now on, and waits for what comes.
func followed(t *testing.T, j journal.Log, stream string) <-chan journal.Event {
	t.Helper()
	cursor, err := j.Append(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan journal.Event, 100)
	go func() {
		for e, err := range j.Follow(t.Context(), stream, cursor) {
			if err != nil {
				if t.Context().Err() == nil {
					t.Errorf("Follow: %v", err)
				}
				return
			}
			events <- e
		}
	}()
	time.Sleep(100 * time.Millisecond) // until it waits
	return events
}

// wantNext fails unless the next event comes soon and has that number.
func wantNext(t *testing.T, events <-chan journal.Event, seq int64) {
	t.Helper()
	select {
	case e := <-events:
		if e.Seq != seq {
			t.Errorf("event %d, want %d", e.Seq, seq)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("nobody told of event %d", seq)
	}
}

// TestListenerLost wakes followers by notices alone. For events appended while
// nobody listens they look again when the listener is back.
func TestListenerLost(t *testing.T) {
	t.Parallel()
	config := database.Config{URL: pgtest.Start(t)}
	one, two := openPolling(t, config, time.Hour), openPolling(t, config, time.Hour)
	mustAppend(t, one, "s")
	events := followed(t, two, "s")
	for seq := int64(2); seq <= 9; seq++ {
		if seq%2 == 0 {
			one.exec(t, deaf)
		}
		mustAppend(t, one, "s")
		wantNext(t, events, seq)
	}
}

// TestNoticeLost has the poller wake followers and those who await, without any
// notice.
func TestNoticeLost(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]database.Config{"SQLite": {File: filepath.Join(t.TempDir(), "windie.db")}, "Postgres": {URL: pgtest.Start(t)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := open(t, config)
			if _, err := g.Append(t.Context(), "s", something); err != nil {
				t.Fatal(err)
			}
			if _, err := g.Open(t.Context(), journal.Decision{ID: "q", User: "ada", Kind: "approval", Digest: "d"}); err != nil {
				t.Fatal(err)
			}
			awaited := make(chan journal.Decision, 1)
			go func() {
				d, err := g.Await(t.Context(), "q")
				if err != nil {
					t.Error(err)
				}
				awaited <- d
			}()
			events := followed(t, g, "s")
			for seq := int64(2); seq < 4; seq++ {
				g.exec(t, "INSERT INTO events (stream_id, seq, time, kind, data) SELECT id, last + 1, 1, 'silent', '1' FROM streams WHERE name = 's'")
				g.exec(t, "UPDATE streams SET last = last + 1 WHERE name = 's'")
				wantNext(t, events, seq)
			}
			g.exec(t, "UPDATE decisions SET state = 'decided', ended = 1 WHERE id = 'q'")
			if d := <-awaited; d.State != journal.Decided {
				t.Errorf("it is %s", d.State)
			}
		})
	}
}

func mustAppend(t *testing.T, j journal.Log, stream string) {
	t.Helper()
	if _, err := j.Append(t.Context(), stream, something); err != nil {
		t.Fatal(err)
	}
}

// TestDiskFull keeps what was acknowledged, refuses the rest, and goes on when
// there is room.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	g := open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	g.exec(t, "PRAGMA max_page_count = 500") // on the one connection that writes
	large := journal.Event{Kind: "k", Data: json.RawMessage(`"` + strings.Repeat("x", 100_000) + `"`)}
	last := int64(0)
	for {
		got, err := g.Append(t.Context(), "s", large, large, large)
		if err != nil {
			wantCode(t, "Append", err, sdkapi.StorageFull)
			break
		}
		if last += 3; got != last {
			t.Fatalf("last is %d, want %d", got, last)
		}
	}
	if last == 0 {
		t.Fatal("there was no room at all")
	}
	_, err := g.Open(t.Context(), journal.Decision{ID: "q", User: "ada", Kind: "approval", Digest: "d", Request: large.Data})
	for err == nil { // it was small enough
		_, err = g.Open(t.Context(), journal.Decision{ID: fmt.Sprint("q", time.Now().UnixNano()), User: "ada", Kind: "approval", Digest: "d", Request: large.Data})
	}
	wantCode(t, "Open", err, sdkapi.StorageFull)
	if got, err := g.Append(t.Context(), "s"); err != nil || got != last {
		t.Errorf("the last event is %d, want %d, %v", got, last, err)
	}
	g.exec(t, "PRAGMA max_page_count = 1000000")
	if got, err := g.Append(t.Context(), "s", large); err != nil || got != last+1 {
		t.Errorf("with room again: %d, want %d, %v", got, last+1, err)
	}
	events, err := g.Read(t.Context(), "s", 0, journal.MaxEvents)
	if err != nil || int64(len(events)) != last+1 {
		t.Errorf("%d events, want %d, %v", len(events), last+1, err)
	}
}

// TestReadOnly refuses to keep anything, and reads on.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	g := open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	mustAppend(t, g, "s")
	_, err := g.Open(t.Context(), journal.Decision{ID: "q", User: "ada", Kind: "approval", Digest: "d", Lasts: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	g.exec(t, "PRAGMA query_only = 1") // as a file system that went read-only
	testkit.Eventually(t, "the question has expired", func() (journal.Decision, bool) {
		d, err := g.Decision(t.Context(), "q")
		if err != nil {
			t.Fatal(err)
		}
		return d, d.State == journal.Expired
	})
	_, err = g.Decide(t.Context(), "q", journal.Decider{User: "ada"}, journal.Answer{})
	wantCode(t, "Decide", err, sdkapi.StateUnavailable)
	_, err = g.Append(t.Context(), "s", something)
	wantCode(t, "Append", err, sdkapi.StateUnavailable)
	wantCode(t, "Trim", g.Trim(t.Context(), "s", 2, nil), sdkapi.StateUnavailable)
	wantCode(t, "Ready", g.Ready(t.Context()), sdkapi.StateUnavailable)
	if events, err := g.Read(t.Context(), "s", 0, 9); err != nil || len(events) != 1 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// TestGatewaysLockInOrder has two gateways append to the same streams in
// batches, without ever standing in each other's way for good.
func TestGatewaysLockInOrder(t *testing.T) {
	t.Parallel()
	config := database.Config{URL: pgtest.Start(t)}
	gateways := []*gateway{open(t, config), open(t, config)}
	const writers, each, streams = 16, 30, 8
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range each {
				mustAppend(t, gateways[w%2], fmt.Sprint("s", (w*7+n*3)%streams))
			}
		})
	}
	wg.Wait()
	total := int64(0)
	for s := range streams {
		last, err := gateways[0].Append(t.Context(), fmt.Sprint("s", s))
		if err != nil {
			t.Error(err)
		}
		total += last
	}
	if total != writers*each {
		t.Errorf("%d events, want %d", total, writers*each)
	}
	var deadlocks int
	testkit.Throughout(t, 20*poll, "there are no deadlocks", func() (int, bool) { // the server counts with some delay
		err := gateways[0].db.Read().NewRaw("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(t.Context(), &deadlocks)
		if err != nil {
			t.Fatal(err)
		}
		return deadlocks, deadlocks == 0
	})
}

// hold keeps the writer of SQLite from writing until release is called.
func hold(t *testing.T, g *gateway) (release func()) {
	t.Helper()
	held, free, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- g.db.Write(context.WithoutCancel(t.Context()), "test", func(context.Context, bun.Tx) error {
			close(held)
			<-free
			return nil
		})
	}()
	<-held
	return func() {
		close(free)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// appended starts an Append and returns where its result will be.
func appended(ctx context.Context, do func(ctx context.Context) (int64, error)) <-chan error {
	result := make(chan error, 1)
	go func() {
		_, err := do(ctx)
		result <- err
	}()
	time.Sleep(50 * time.Millisecond) // until it is queued
	return result
}

// TestQueued has callers leave and a lease get lost while appends wait for the
// writer.
func TestQueued(t *testing.T) {
	t.Parallel()
	g := open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	lost, err := g.Lease(t.Context(), "k", "one", journal.MinTTL)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * journal.MinTTL)
	if _, err := g.Lease(t.Context(), "k", "two", journal.MaxTTL); err != nil {
		t.Fatal(err)
	}
	plain := func(kind string) func(ctx context.Context) (int64, error) {
		return func(ctx context.Context) (int64, error) { return g.Append(ctx, "s", journal.Event{Kind: kind}) }
	}
	release := hold(t, g)
	taken := appended(t.Context(), plain("taken"))
	ctx, leave := context.WithCancel(t.Context())
	left := appended(ctx, plain("left"))
	fenced := appended(t.Context(), func(ctx context.Context) (int64, error) { return g.AppendAs(ctx, lost, "s", something) })
	beside := appended(t.Context(), plain("beside"))
	leave()
	wantCode(t, "Append of who left", <-left, sdkapi.Canceled) // before the writer goes on
	release()
	wantCode(t, "Append", <-taken, "")
	wantCode(t, "AppendAs with a lost lease", <-fenced, sdkapi.LeaseLost)
	wantCode(t, "Append beside it", <-beside, "")
	events, err := g.Read(t.Context(), "s", 0, 9)
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	if err != nil || !slices.Equal(kinds, []string{"taken", "beside"}) {
		t.Errorf("there are %v, %v", kinds, err)
	}
}

// TestCloseAnswersTheQueue fails what is queued, and finishes what is being
// written.
func TestCloseAnswersTheQueue(t *testing.T) {
	t.Parallel()
	g := open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	release := hold(t, g)
	taken := appended(t.Context(), func(ctx context.Context) (int64, error) { return g.Append(ctx, "s", something) })
	queued := appended(t.Context(), func(ctx context.Context) (int64, error) { return g.Append(ctx, "s", something) })
	closed := make(chan error, 1)
	go func() { closed <- g.Close() }()
	wantCode(t, "Append, queued", <-queued, sdkapi.StateUnavailable)
	release()
	if err := errors.Join(<-taken, <-closed); err != nil {
		t.Error(err)
	}
	other := open(t, g.config)
	if last, err := other.Append(t.Context(), "s"); err != nil || last != 1 {
		t.Errorf("last is %d, %v", last, err)
	}
}

// TestRoomIsGivenBack removes the events of streams that are trimmed and
// dropped, also where an earlier life of the gateway could not finish.
func TestRoomIsGivenBack(t *testing.T) {
	t.Parallel()
	g := open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	many := slices.Repeat([]journal.Event{something}, journal.MaxEvents)
	for _, stream := range []string{"trimmed", "dropped", "left"} {
		for range 6 {
			if _, err := g.Append(t.Context(), stream, many...); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(g.Trim(t.Context(), "trimmed", 5991, nil), g.Drop(t.Context(), "dropped")); err != nil {
		t.Fatal(err)
	}
	g.exec(t, "INSERT INTO dropped SELECT id FROM streams WHERE name = 'left'")
	g.exec(t, "DELETE FROM streams WHERE name = 'left'")
	g.end(t)
	g = open(t, g.config)
	testkit.Eventually(t, "10 events and no dropped stream are left", func() (counts [2]int, done bool) {
		err := errors.Join(g.db.Read().NewRaw("SELECT count(*) FROM events").Scan(t.Context(), &counts[0]),
			g.db.Read().NewRaw("SELECT count(*) FROM dropped").Scan(t.Context(), &counts[1]))
		if err != nil {
			t.Fatal(err)
		}
		return counts, counts == [2]int{10, 0}
	})
}

// TestExpiryIsKept shows that a question stays expired once somebody has seen it
// so, for a gateway that began to decide it in time and is slow.
func TestExpiryIsKept(t *testing.T) {
	t.Parallel()
	g := open(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	soon := time.Now().Add(50 * time.Millisecond)
	if _, err := g.Open(t.Context(), journal.Decision{ID: "q", User: "ada", Kind: "approval", Digest: "d", Expires: soon}); err != nil {
		t.Fatal(err)
	}
	if d, err := g.Await(t.Context(), "q"); err != nil || d.State != journal.Expired {
		t.Errorf("it is %s, %v", d.State, err)
	}
	var state journal.State
	if err := g.db.Read().NewRaw("SELECT state FROM decisions").Scan(t.Context(), &state); err != nil || state != journal.Expired {
		t.Errorf("it is kept as %s, %v", state, err)
	}
}
