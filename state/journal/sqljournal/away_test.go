//go:build system

package sqljournal_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// TestDatabaseAway stops and crashes PostgreSQL under writers and followers.
// What was acknowledged is there afterwards, once and in order, and everything
// goes on without a restart.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	server := pgtest.Own(t)
	g := open(t, database.Config{URL: server.URL})
	mustAppend(t, g, "idle")
	idle := followed(t, g, "idle")
	var writers sync.WaitGroup
	done := make(chan struct{})
	acked := make([]map[int64]string, 4) // by writer
	for w := range acked {
		acked[w] = map[int64]string{}
		writers.Go(func() { appendThrough(t, g, w, acked[w], done) })
	}
	for round := range 4 {
		time.Sleep(200 * time.Millisecond)
		mustAppend(t, g, "idle") // which may be seen before or after
		if round%2 == 0 {
			server.Stop(t)
		} else {
			server.Crash(t)
		}
		_, err := g.Append(t.Context(), "s", something)
		wantCode(t, "Append", err, sdkapi.StateUnavailable)
		for _, err := range g.Follow(t.Context(), "s", 0) {
			wantCode(t, "Follow", err, sdkapi.StateUnavailable)
		}
		_, err = g.Read(t.Context(), "s", 0, 1)
		wantCode(t, "Read", err, sdkapi.StateUnavailable)
		_, err = g.Lease(t.Context(), "k", "o", time.Second)
		wantCode(t, "Lease", err, sdkapi.StateUnavailable)
		wantCode(t, "Ready", g.Ready(t.Context()), sdkapi.StateUnavailable)
		server.Restart(t)
		mustAppend(t, g, "idle")
		wantNext(t, idle, int64(2*round)+2) // by a follower that has outlived the listener
		wantNext(t, idle, int64(2*round)+3)
	}
	close(done)
	writers.Wait()
	wantKept(t, g, acked)
}

// appendThrough appends whatever happens, and notes what was acknowledged.
func appendThrough(t *testing.T, j journal.Log, writer int, acked map[int64]string, done <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-done:
			return
		default:
		}
		data := fmt.Sprintf(`"%d.%d"`, writer, n)
		last, err := j.Append(t.Context(), "s", journal.Event{Kind: "k", Data: json.RawMessage(data)})
		if err == nil {
			acked[last] = data
		} else if wantCode(t, "Append meanwhile", err, sdkapi.StateUnavailable); t.Failed() {
			return
		}
	}
}

// wantKept fails unless stream s has what was acknowledged, nothing twice and
// no gaps.
func wantKept(t *testing.T, j journal.Log, acked []map[int64]string) {
	t.Helper()
	seen, cursor := map[string]bool{}, int64(0)
	for {
		events, err := j.Read(t.Context(), "s", cursor, journal.MaxEvents)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Seq != cursor+1 || seen[string(e.Data)] {
				t.Fatalf("after %d comes %d with %s; seen before: %t", cursor, e.Seq, e.Data, seen[string(e.Data)])
			}
			seen[string(e.Data)], cursor = true, e.Seq
			for _, a := range acked {
				if want, ok := a[e.Seq]; ok && want != string(e.Data) {
					t.Errorf("event %d is %s and was acknowledged as %s", e.Seq, e.Data, want)
				}
				delete(a, e.Seq)
			}
		}
		if len(events) == 0 {
			break
		}
	}
	for _, a := range acked {
		for seq, data := range a {
			t.Errorf("event %d was acknowledged as %s and is lost", seq, data)
		}
	}
	t.Logf("%d events kept", len(seen))
}
