package journaltest

import (
	"testing"

	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// joinChecks are about two gateways on the same data.
var joinChecks = []check{
	{"JoinReads", joinReads},
	{"JoinFollows", joinFollows},
	{"JoinAwaits", joinAwaits},
	{"JoinWithdraws", joinWithdraws},
	{"JoinLeases", joinLeases},
	{"JoinCloses", joinCloses},
}

// joinReads appends on either side in turn.
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

// joinFollows follows on one side what happens on the other.
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

// joinAwaits waits on one side for an answer on the other.
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

// joinWithdraws withdraws on one side what is awaited on both.
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

// joinCloses closes one side, which is nothing to the other.
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
