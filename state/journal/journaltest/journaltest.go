// Package journaltest is the test suite of journal.Journal.
//
//	func TestJournal(t *testing.T) {
//		journaltest.Run(t, journaltest.Backend{
//			Open: func(t *testing.T) journal.Journal { return open(t) },
//		})
//	}
package journaltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Backend creates the journals of one implementation for the test suite.
type Backend struct {
	// Open returns an empty journal. It registers its own cleanup; the suite may close the journal
	// before the cleanup.
	Open func(t *testing.T) journal.Journal

	// Join returns the journal of another gateway, with the data of j. The data must survive when
	// either journal is closed. Join is nil if only one gateway can use the data.
	Join func(t *testing.T, j journal.Journal) journal.Journal

	// Reopen closes j and returns a new journal with the data of j. Reopen is nil if closing a
	// journal deletes its data.
	Reopen func(t *testing.T, j journal.Journal) journal.Journal

	// Replays is the number of times that the Replay check disconnects followers; default 10,000.
	// Races is the number of questions that the Races check answers concurrently; default 1,000. A
	// slow back end may use lower numbers.
	Replays, Races int
}

// patience is how long a call may take before the suite considers it hung.
const patience = time.Minute

type check struct {
	name string
	run  func(t *testing.T, b Backend)
}

// Run checks the journals of a back end. Some checks count goroutines or measure speed and must run
// alone: call Run from a test that is not parallel.
func Run(t *testing.T, b Backend) {
	if b.Replays == 0 {
		b.Replays = 10_000
	}
	if b.Races == 0 {
		b.Races = 1000
	}
	for _, c := range []check{{"FollowLeavesNothing", followLeavesNothing}, {"Replay", replay}, {"Races", races}} {
		t.Run(c.name, func(t *testing.T) { c.run(t, b) })
	}
	all := slices.Concat(logChecks, largeChecks, trimChecks, followChecks, decisionChecks, expiryChecks, leaseChecks, streamChecks, boundChecks, lifeChecks)
	if b.Join != nil {
		all = append(all, joinChecks...)
	}
	if b.Reopen != nil {
		all = append(all, check{"Reopen", reopen})
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, b)
		})
	}
}

// within returns the test's context with a time limit of patience, so that a hanging call fails.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// numbered returns events with the numbers from..last. Each has its number as data.
func numbered(from, last int) []journal.Event {
	var events []journal.Event
	for n := from; n <= last; n++ {
		events = append(events, journal.Event{Kind: "test.numbered", Data: json.RawMessage(strconv.Itoa(n))})
	}
	return events
}

// mustAppend appends the numbered events from..last, at most journal.MaxEvents at once. The test
// ends unless they get those numbers.
func mustAppend(t *testing.T, j journal.Log, stream string, from, last int) {
	t.Helper()
	for ; from <= last; from += journal.MaxEvents {
		to := min(last, from+journal.MaxEvents-1)
		if got, err := j.Append(within(t), stream, numbered(from, to)...); err != nil || got != int64(to) {
			t.Fatalf("Append of events %d to %d: last is %d, %v", from, to, got, err)
		}
	}
}

// mustRead is Read for calls that must succeed: an error ends the test.
func mustRead(t *testing.T, j journal.Log, stream string, after int64, limit int) []journal.Event {
	t.Helper()
	events, err := j.Read(within(t), stream, after, limit)
	if err != nil {
		t.Fatalf("Read of %d events after %d: %v", limit, after, err)
	}
	return events
}

// mustTrim is Trim for calls that must succeed: an error ends the test. If snapshot is empty, there
// is no snapshot.
func mustTrim(t *testing.T, j journal.Log, stream string, before int64, snapshot string) {
	t.Helper()
	if err := j.Trim(within(t), stream, before, json.RawMessage(snapshot)); err != nil {
		t.Fatalf("Trim before %d: %v", before, err)
	}
}

// wantNumbered fails unless events are the numbered events from..last. If last is less than from,
// there must be no events.
func wantNumbered(t *testing.T, events []journal.Event, from, last int) {
	t.Helper()
	if len(events) != last-from+1 {
		t.Errorf("%d events, want %d to %d: %s", len(events), from, last, brief(events))
		return
	}
	for i, e := range events {
		if n := from + i; e.Seq != int64(n) || string(e.Data) != strconv.Itoa(n) || e.Kind != "test.numbered" {
			t.Errorf("event %d is %s", n, brief(events[i:]))
			return
		}
	}
}

// wantResync fails unless e is a Resync up to last with snapshot.
func wantResync(t *testing.T, e journal.Event, last int64, snapshot string) {
	t.Helper()
	if e.Kind != journal.Resync || e.Seq != last || string(e.Data) != snapshot || !e.Time.IsZero() {
		t.Errorf("event %d of kind %q, %v, %.100s; want a Resync up to %d with %s", e.Seq, e.Kind, e.Time, e.Data, last, snapshot)
	}
}

// brief describes the first event for a message, with at most 100 bytes of its data.
func brief(events []journal.Event) string {
	if len(events) == 0 {
		return "none"
	}
	e := events[0]
	return "number " + strconv.FormatInt(e.Seq, 10) + ", " + e.Kind + ", " + string(e.Data[:min(len(e.Data), 100)])
}

// wantCode fails unless err has the given code. The code "" means that err must be nil.
func wantCode(t *testing.T, what string, err error, code sdkapi.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Errorf("%s: %q (%v), want %q", what, got, err, code)
	}
}

// wantEnded fails unless err says that ctx was cancelled.
func wantEnded(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%s: %v, want %v in the chain", what, err, context.Canceled)
	}
	wantCode(t, what, err, sdkapi.Canceled)
}

// finish waits until call has returned, and returns its error. If call ignores its context, the
// test fails.
func finish(t *testing.T, what string, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience / 2):
		t.Fatalf("%s does not end", what)
		return nil
	}
}

// follower runs Follow and pulls an event only on request.
type follower struct {
	t      *testing.T
	cancel context.CancelFunc

	mu   sync.Mutex // held during a step
	step func() (journal.Event, error, bool)
	stop func()
}

// follow returns a follower of the events behind the cursor after. It ends with the test, or after
// patience.
func follow(t *testing.T, j journal.Log, stream string, after int64) *follower {
	ctx, cancel := context.WithCancel(within(t))
	f := &follower{t: t, cancel: cancel}
	f.step, f.stop = iter.Pull2(j.Follow(ctx, stream, after))
	t.Cleanup(func() {
		if cancel(); f.mu.TryLock() { // if it is locked, a pull hangs, which has failed the test
			f.stop()
		}
	})
	return f
}

// pull waits for the next yielded event. It returns false at the end.
func (f *follower) pull() (journal.Event, error, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.step()
}

// leave ends the loop over Follow like a break. It waits for a running pull.
func (f *follower) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop()
}

// next returns the next event. If Follow ends or yields an error, the test ends.
func (f *follower) next() journal.Event {
	f.t.Helper()
	e, err, ok := f.pull()
	if err != nil || !ok {
		f.t.Fatalf("a follower got %v (%t) instead of an event", err, ok)
	}
	return e
}

// want fails unless the next events are the numbered events from..last.
func (f *follower) want(from, last int) {
	f.t.Helper()
	for n := from; n <= last; n++ {
		wantNumbered(f.t, []journal.Event{f.next()}, n, n)
	}
}

// end waits for the final error of Follow, and allows at most limit events before it.
func (f *follower) end(limit int) error {
	f.t.Helper()
	return finish(f.t, "a follower", func() error {
		for n := 0; ; n++ {
			_, err, ok := f.pull()
			switch {
			case !ok:
				return errors.New("a follower ended without an error")
			case err == nil && n >= limit:
				return fmt.Errorf("a follower got more than %d events but no error", limit)
			case err == nil:
				continue
			}
			if _, _, more := f.pull(); more {
				f.t.Errorf("a follower got something after %v", err)
			}
			return err
		}
	})
}
