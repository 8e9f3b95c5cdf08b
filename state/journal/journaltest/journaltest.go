// Package journaltest says what every journal.Journal must do.
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

// Backend is how the suite gets at journals.
type Backend struct {
	// Open returns a journal with nothing in it. It arranges its own cleanup;
	// the suite may have closed the journal by then.
	Open func(t *testing.T) journal.Journal

	// Join returns another gateway's journal on the data of j, which is there
	// to stay when either is closed. Nil where only one gateway can use it.
	Join func(t *testing.T, j journal.Journal) journal.Journal

	// Reopen closes j and returns a journal on its data. Nil where the data is gone then.
	Reopen func(t *testing.T, j journal.Journal) journal.Journal

	// Replays is how often followers are disconnected in Replay, and Races how many questions
	// are fought over in Races. Zero is 10,000 and 1,000; what is slow may do with fewer.
	Replays, Races int
}

// patience is how long a call may take before the suite takes it for hung.
const patience = time.Minute

type check struct {
	name string
	run  func(t *testing.T, b Backend)
}

// Run checks the journals of a back end. Some of its checks count goroutines or show how
// fast it is, and are alone while they run: call Run from a test that is not parallel.
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

// within returns the test's context with a limit, so that a call that hangs fails.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// numbered returns events whose data is the number they will have, of from to last.
func numbered(from, last int) []journal.Event {
	var events []journal.Event
	for n := from; n <= last; n++ {
		events = append(events, journal.Event{Kind: "test.numbered", Data: json.RawMessage(strconv.Itoa(n))})
	}
	return events
}

// mustAppend appends the events of from to last, which must get those numbers.
func mustAppend(t *testing.T, j journal.Log, stream string, from, last int) {
	t.Helper()
	for ; from <= last; from += journal.MaxEvents {
		to := min(last, from+journal.MaxEvents-1)
		if got, err := j.Append(within(t), stream, numbered(from, to)...); err != nil || got != int64(to) {
			t.Fatalf("Append of events %d to %d: last is %d, %v", from, to, got, err)
		}
	}
}

func mustRead(t *testing.T, j journal.Log, stream string, after int64, limit int) []journal.Event {
	t.Helper()
	events, err := j.Read(within(t), stream, after, limit)
	if err != nil {
		t.Fatalf("Read of %d events after %d: %v", limit, after, err)
	}
	return events
}

func mustTrim(t *testing.T, j journal.Log, stream string, before int64, snapshot string) {
	t.Helper()
	if err := j.Trim(within(t), stream, before, json.RawMessage(snapshot)); err != nil {
		t.Fatalf("Trim before %d: %v", before, err)
	}
}

// wantNumbered fails unless events are those of from to last.
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

// wantResync fails unless e stands for the events up to last.
func wantResync(t *testing.T, e journal.Event, last int64, snapshot string) {
	t.Helper()
	if e.Kind != journal.Resync || e.Seq != last || string(e.Data) != snapshot || !e.Time.IsZero() {
		t.Errorf("event %d of kind %q, %v, %.100s; want a Resync up to %d with %s", e.Seq, e.Kind, e.Time, e.Data, last, snapshot)
	}
}

func brief(events []journal.Event) string {
	if len(events) == 0 {
		return "none"
	}
	e := events[0]
	return "number " + strconv.FormatInt(e.Seq, 10) + ", " + e.Kind + ", " + string(e.Data[:min(len(e.Data), 100)])
}

func wantCode(t *testing.T, what string, err error, code sdkapi.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Errorf("%s: %q (%v), want %q", what, got, err, code)
	}
}

// wantEnded fails unless err says that ctx ended.
func wantEnded(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%s: %v, want %v in the chain", what, err, context.Canceled)
	}
	wantCode(t, what, err, sdkapi.Canceled)
}

// finish waits until call has returned, and returns its error. A call that
// does not heed its context fails the test.
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

// follower is a run of Follow that goes on only when it is asked.
type follower struct {
	t      *testing.T
	cancel context.CancelFunc

	mu   sync.Mutex // held to go on
	step func() (journal.Event, error, bool)
	stop func()
}

func follow(t *testing.T, j journal.Log, stream string, after int64) *follower {
	ctx, cancel := context.WithCancel(within(t))
	f := &follower{t: t, cancel: cancel}
	f.step, f.stop = iter.Pull2(j.Follow(ctx, stream, after))
	t.Cleanup(func() {
		if cancel(); f.mu.TryLock() { // else it hangs, which has failed the test
			f.stop()
		}
	})
	return f
}

// pull waits for what is yielded next, if there is anything.
func (f *follower) pull() (journal.Event, error, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.step()
}

func (f *follower) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop()
}

func (f *follower) next() journal.Event {
	f.t.Helper()
	e, err, ok := f.pull()
	if err != nil || !ok {
		f.t.Fatalf("a follower got %v (%t) in place of an event", err, ok)
	}
	return e
}

func (f *follower) want(from, last int) {
	f.t.Helper()
	for n := from; n <= last; n++ {
		wantNumbered(f.t, []journal.Event{f.next()}, n, n)
	}
}

// end waits for the error that is yielded last. So many events may come before.
func (f *follower) end(most int) error {
	f.t.Helper()
	return finish(f.t, "a follower", func() error {
		for n := 0; ; n++ {
			_, err, ok := f.pull()
			switch {
			case !ok:
				return errors.New("a follower ended without an error")
			case err == nil && n >= most:
				return fmt.Errorf("a follower got more than %d events in place of an error", most)
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
