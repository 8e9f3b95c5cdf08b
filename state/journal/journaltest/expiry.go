package journaltest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

var expiryChecks = []check{
	{"Expiry", expiry},
	{"ExpiryWakes", expiryWakes},
	{"ExpiredAtOnce", expiredAtOnce},
	{"NoExpiryOnceDecided", noExpiryOnceDecided},
	{"Lasts", lasts},
	{"Withdraw", withdraw},
}

// wantExpired fails unless the journal has want as an expired question.
func wantExpired(t *testing.T, j journal.Decisions, want journal.Decision) {
	t.Helper()
	want.Ended = want.Expires
	want = wantDenied(t, j, want, journal.ReasonExpired)
	wantSame(t, "Open of what expired", mustOpen(t, j, asked(want.ID)), want)
	if found, err := j.Pending(within(t), "s"); err != nil || len(found) > 0 {
		t.Errorf("%d questions are pending, %v", len(found), err)
	}
}

// wantDenied fails unless the question has ended with reason and accepts no answer. It returns the
// ended question.
func wantDenied(t *testing.T, j journal.Decisions, want journal.Decision, reason string) journal.Decision {
	t.Helper()
	want.State, want.Answer = journal.Expired, denied(reason)
	wantDecision(t, j, want)
	for _, answer := range []journal.Answer{yes(`1`), want.Answer} {
		_, err := j.Decide(within(t), want.ID, ada, answer)
		wantCode(t, "Decide of a question that is "+reason, err, sdkapi.DecisionExpired)
	}
	_, err := j.Decide(within(t), want.ID, journal.Decider{User: "bob"}, yes(`1`))
	wantCode(t, "Decide by another user of a question that is "+reason, err, sdkapi.DecisionNotFound)
	wantDecision(t, j, want)
	return want
}

// denied returns the answer of a question that nobody decided.
func denied(reason string) journal.Answer {
	return journal.Answer{Denied: true, Reason: reason, Value: json.RawMessage("null")}
}

// expiry checks that a question expires at its time even if no call waits for it.
func expiry(t *testing.T, b Backend) {
	j := b.Open(t)
	d := mustOpen(t, j, expiring("q", 50*time.Millisecond))
	time.Sleep(100 * time.Millisecond)
	testkit.Eventually(t, "the question expires", func() (journal.Decision, bool) {
		now, err := j.Decision(within(t), "q")
		if err != nil {
			t.Fatal(err)
		}
		return now, now.State == journal.Expired
	})
	wantExpired(t, j, d)
}

// expiryWakes checks that the expiry of a question ends its Await.
func expiryWakes(t *testing.T, b Backend) {
	j := b.Open(t)
	d := mustOpen(t, j, expiring("q", 100*time.Millisecond))
	got, err := j.Await(within(t), "q")
	if err != nil || got.State != journal.Expired || !got.Answer.Denied || got.Answer.Reason != journal.ReasonExpired {
		t.Errorf("Await returned %+v, %v", got, err)
	}
	wantExpired(t, j, d)
}

// expiredAtOnce opens a question whose Expires is in the past. It must count as expired at once.
func expiredAtOnce(t *testing.T, b Backend) {
	j := b.Open(t)
	wantExpired(t, j, mustOpen(t, j, expiring("q", -time.Hour)))
}

// noExpiryOnceDecided waits until the expiry of a decided question, which must not expire.
func noExpiryOnceDecided(t *testing.T, b Backend) {
	j := b.Open(t)
	d := expiring("q", 2*time.Second) // long enough for the next lines on a busy machine
	mustOpen(t, j, d)
	decided := mustDecide(t, j, "q", yes(`1`))
	time.Sleep(time.Until(d.Expires) + 50*time.Millisecond)
	wantDecision(t, j, decided)
	mustDecide(t, j, "q", yes(`1`))
	_, err := j.Decide(within(t), "q", ada, yes(`2`))
	wantCode(t, "another answer", err, sdkapi.DecisionConflict)
}

// lasts checks that the field Lasts sets the expiry, counted from Created. If Expires is set, Lasts
// must have no effect.
func lasts(t *testing.T, b Backend) {
	j := b.Open(t)
	d := asked("q")
	d.Lasts = time.Hour
	d = mustOpen(t, j, d)
	if got := d.Expires.Sub(d.Created); got != time.Hour || d.Lasts != 0 {
		t.Errorf("the question can be answered for %v, and lasts %v more; want an hour, and nothing", got, d.Lasts)
	}
	wantDecision(t, j, d)
	both := asked("both")
	both.Expires, both.Lasts = time.Now().Add(time.Minute), time.Hour
	if got := mustOpen(t, j, both); !got.Expires.Equal(both.Expires.UTC().Truncate(time.Microsecond)) {
		t.Errorf("the question can be answered until %v; want %v, which Expires says", got.Expires, both.Expires)
	}
}

// mustWithdraw is Withdraw for calls that must succeed: an error ends the test.
func mustWithdraw(t *testing.T, j journal.Decisions, ids ...string) {
	t.Helper()
	if err := j.Withdraw(within(t), ids...); err != nil {
		t.Fatalf("Withdraw of %q: %v", ids, err)
	}
}

// wantWithdrawn fails unless got is the question in opened after a withdrawal, and accepts no
// answer.
func wantWithdrawn(t *testing.T, j journal.Decisions, got, opened journal.Decision) {
	t.Helper()
	want := opened
	want.Ended = got.Ended
	wantSame(t, "what was withdrawn", got, wantDenied(t, j, want, journal.ReasonWithdrawn))
	if got.Ended.Before(opened.Created) || got.Ended.After(opened.Expires) {
		t.Errorf("it ended %v; want a time from %v to %v", got.Ended, opened.Created, opened.Expires)
	}
}

// withdraw withdraws pending, decided, missing and expired questions in one call, twice. Only the
// pending question may change.
func withdraw(t *testing.T, b Backend) {
	j := b.Open(t)
	opened := mustOpen(t, j, asked("q"))
	mustOpen(t, j, asked("decided"))
	decided := mustDecide(t, j, "decided", yes(`1`))
	late := mustOpen(t, j, expiring("late", -time.Hour))
	left := mustOpen(t, j, asked("left"))
	for range 2 {
		mustWithdraw(t, j, "decided", "missing", "late", "q")
		got, err := j.Decision(within(t), "q")
		if err != nil {
			t.Fatal(err)
		}
		wantWithdrawn(t, j, got, opened)
		wantDecision(t, j, decided)
		mustDecide(t, j, "decided", yes(`1`))
		wantDecision(t, j, left)
		if found, err := j.Pending(within(t), "s"); err != nil || len(found) != 1 || found[0].ID != "left" {
			t.Errorf("pending are %+v, %v; want the one that was left", found, err)
		}
	}
	want := late
	want.Answer = denied(journal.ReasonExpired)
	wantDecision(t, j, want)
	mustWithdraw(t, j)
}
