package journaltest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

var lifeChecks = []check{
	{"CanceledCalls", canceledCalls},
	{"Close", closeEnds},
}

// calls returns every method that takes a context, applied to existing items.
func calls(j journal.Journal, l journal.Lease) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Append":   func(ctx context.Context) error { _, err := j.Append(ctx, "s", numbered(1, 1)...); return err },
		"AppendAs": func(ctx context.Context) error { _, err := j.AppendAs(ctx, l, "s", numbered(1, 1)...); return err },
		"Read":     func(ctx context.Context) error { _, err := j.Read(ctx, "s", 0, 1); return err },
		"Trim":     func(ctx context.Context) error { return j.Trim(ctx, "s", 2, nil) },
		"Drop":     func(ctx context.Context) error { return j.Drop(ctx, "s") },
		"Open":     func(ctx context.Context) error { _, err := j.Open(ctx, asked("new")); return err },
		"Decide":   func(ctx context.Context) error { _, err := j.Decide(ctx, "q", ada, yes(`1`)); return err },
		"Await":    func(ctx context.Context) error { _, err := j.Await(ctx, "q"); return err },
		"Withdraw": func(ctx context.Context) error { return j.Withdraw(ctx, "q") },
		"Decision": func(ctx context.Context) error { _, err := j.Decision(ctx, "q"); return err },
		"Pending":  func(ctx context.Context) error { _, err := j.Pending(ctx, "s"); return err },
		"List": func(ctx context.Context) error {
			_, err := j.List(ctx, journal.Listing{User: "ada", Kind: "approval", Limit: 1})
			return err
		},
		"PendingOf": func(ctx context.Context) error { _, err := j.PendingOf(ctx, "ada", "approval"); return err },
		"Forget":    func(ctx context.Context) error { _, err := j.Forget(ctx, time.Now().Add(time.Hour), false); return err },
		"Lease":     func(ctx context.Context) error { _, err := j.Lease(ctx, "new", "a", time.Hour); return err },
		"Abandoned": func(ctx context.Context) error { _, err := j.Abandoned(ctx, "x"); return err },
		"Release":   func(ctx context.Context) error { return j.Release(ctx, l) },
		"Ready":     j.Ready,
		"Follow": func(ctx context.Context) error {
			for _, err := range j.Follow(ctx, "s", 0) {
				return err
			}
			return errors.New("nothing came")
		},
	}
}

// canceledCalls calls every method with an ended context. No call may change anything.
func canceledCalls(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 2)
	d, l := mustOpen(t, j, asked("q")), mustLease(t, j, "k", "a", time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range calls(j, l) {
		wantEnded(t, name, finish(t, name, func() error { return call(ctx) }))
	}
	wantNumbered(t, mustRead(t, j, "s", 0, 100), 1, 2)
	wantDecision(t, j, d)
	_, err := j.Decision(within(t), "new")
	wantCode(t, "Decision of what was not opened", err, sdkapi.DecisionNotFound)
	mustLease(t, j, "new", "b", time.Hour)
	wantHeld(t, j, "k", "b")
	if err := j.Ready(within(t)); err != nil {
		t.Errorf("Ready: %v", err)
	}
}

// closeEnds closes a journal while a follower and an Await wait. They and all later calls must fail
// with STATE_UNAVAILABLE.
func closeEnds(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 2)
	mustOpen(t, j, asked("q"))
	l := mustLease(t, j, "k", "a", time.Hour)
	f, slow := follow(t, j, "s", 0), follow(t, j, "s", 0)
	f.want(1, 2)
	slow.want(1, 1)
	time.AfterFunc(50*time.Millisecond, func() { // when both wait; the check also passes if they do not
		for range 2 {
			if err := j.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
	})
	awaited := make(chan error, 1)
	go func() {
		_, err := j.Await(within(t), "q")
		awaited <- err
	}()
	wantCode(t, "a follower that waits when the journal is closed", f.end(0), sdkapi.StateUnavailable)
	err := finish(t, "Await of a journal that is closed", func() error { return <-awaited })
	wantCode(t, "Await when the journal is closed", err, sdkapi.StateUnavailable)
	wantCode(t, "a follower that is slow when the journal is closed", slow.end(1), sdkapi.StateUnavailable)
	for name, call := range calls(j, l) {
		if err := finish(t, name, func() error { return call(within(t)) }); fault.CodeOf(err) != sdkapi.StateUnavailable {
			t.Errorf("%s of a closed journal: %v, want %s", name, err, sdkapi.StateUnavailable)
		}
	}
}

// reopen checks that the streams, snapshots, questions and leases survive when a journal is closed
// and opened again.
func reopen(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 10)
	mustTrim(t, j, "s", 4, `"snap"`)
	waiting := mustOpen(t, j, asked("waiting"))
	mustOpen(t, j, asked("decided"))
	decided := mustDecide(t, j, "decided", yes(` {"a": 9007199254740993}`))
	l := mustLease(t, j, "k", "a", time.Hour)

	j = b.Reopen(t, j)
	found := mustRead(t, j, "s", 0, 100)
	wantResync(t, found[0], 3, `"snap"`)
	wantNumbered(t, found[1:], 4, 10)
	wantDecision(t, j, waiting)
	wantDecision(t, j, decided)
	wantHeld(t, j, "k", "b")
	if again := mustLease(t, j, "k", "a", time.Hour); again.Token != l.Token {
		t.Errorf("reopened, %+v is %+v", l, again)
	}
	mustAppendAs(t, j, l, 11, 11)
	mustDecide(t, j, "waiting", yes(`1`))
}

// joinChecks use two gateways on the same data.
var joinChecks = []check{
	{"JoinReads", joinReads},
	{"JoinFollows", joinFollows},
	{"JoinAwaits", joinAwaits},
	{"JoinWithdraws", joinWithdraws},
	{"JoinLeases", joinLeases},
	{"JoinCloses", joinCloses},
}

// joinReads checks that each journal reads the events and snapshots of the other one at once.
func joinReads(t *testing.T, b Backend) {
	one := b.Open(t)
	two := b.Join(t, one)
	for n := 1; n < 20; n += 2 {
		mustAppend(t, one, "s", n, n)
		wantNumbered(t, mustRead(t, two, "s", 0, 100), 1, n)
		mustAppend(t, two, "s", n+1, n+1)
		wantNumbered(t, mustRead(t, one, "s", 0, 100), 1, n+1)
	}
	mustTrim(t, two, "s", 21, `"snap"`)
	wantResync(t, mustRead(t, one, "s", 0, 100)[0], 20, `"snap"`)
}

// joinFollows checks that a follower gets the events of the other journal. If the other journal
// drops the stream, the follower must get NOT_FOUND.
func joinFollows(t *testing.T, b Backend) {
	one := b.Open(t)
	two := b.Join(t, one)
	f := follow(t, two, "s", 0)
	for n := 1; n < 20; n += 3 {
		mustAppend(t, one, "s", n, n+1)
		f.want(n, n+1)
		mustAppend(t, two, "s", n+2, n+2)
		f.want(n+2, n+2)
	}
	if err := one.Drop(within(t), "s"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, one, "s", 1, 50)
	wantCode(t, "a follower of a stream that was dropped", f.end(0), sdkapi.NotFound)
}

// joinAwaits checks that an answer ends Await at both journals, and that each question has only one
// answer.
func joinAwaits(t *testing.T, b Backend) {
	one := b.Open(t)
	two := b.Join(t, one)
	mustOpen(t, one, asked("q"))
	got := awaitAll(t, one, two)
	want := mustDecide(t, two, "q", yes(`1`))
	for range 2 {
		wantSame(t, "Await", <-got, want)
	}
	_, err := one.Decide(within(t), "q", ada, yes(`2`))
	wantCode(t, "another answer", err, sdkapi.DecisionConflict)
	wantSame(t, "Open", mustOpen(t, two, asked("q")), want)
}

// joinWithdraws checks that a withdrawal ends Await at both journals.
func joinWithdraws(t *testing.T, b Backend) {
	one := b.Open(t)
	two := b.Join(t, one)
	opened := mustOpen(t, one, asked("q"))
	got := awaitAll(t, one, two)
	mustWithdraw(t, two, "q")
	for range 2 {
		wantWithdrawn(t, one, <-got, opened)
	}
}

// joinLeases checks that a lease is valid at both journals. If an owner at the other journal takes
// the key, the first lease must be lost.
func joinLeases(t *testing.T, b Backend) {
	one := b.Open(t)
	two := b.Join(t, one)
	first := mustLease(t, one, "k", "a", journal.MinTTL)
	second := takeOver(t, two, "k", "b")
	if second.Token <= first.Token {
		t.Errorf("taken over, %+v is %+v", first, second)
	}
	wantHeld(t, one, "k", "a")
	_, err := one.AppendAs(within(t), first, "s", numbered(1, 1)...)
	wantCode(t, "AppendAs of a lease that was taken over", err, sdkapi.LeaseLost)
	mustAppendAs(t, one, second, 1, 1)
}

// joinCloses closes one journal. The other must keep working.
func joinCloses(t *testing.T, b Backend) {
	one := b.Open(t)
	two := b.Join(t, one)
	f := follow(t, two, "s", 0)
	mustAppend(t, one, "s", 1, 1)
	f.want(1, 1)
	if err := one.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	wantCode(t, "Ready of what is closed", one.Ready(within(t)), sdkapi.StateUnavailable)
	mustAppend(t, two, "s", 2, 2)
	f.want(2, 2)
}
