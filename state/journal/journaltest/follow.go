package journaltest

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

var followChecks = []check{
	{"Follow", followOn},
	{"FollowFromBeforeTheBeginning", followNothing},
	{"FollowEndsWithCtx", followEndsWithCtx},
	{"FollowEndsWithTheLoop", followEndsWithLoop},
	{"FollowTwice", followTwice},
	{"FollowMissesNothing", followMissesNothing},
	{"FollowerLags", followerLags},
	{"FollowerOfOldEventsMayLag", followerCatchesUp},
	{"SlowFollower", slowFollower},
}

// followOn catches up in more than one step and then follows new events.
func followOn(t *testing.T, b Backend) {
	j := b.Open(t)
	const old = 2*journal.MaxEvents + 100
	mustAppend(t, j, "s", 1, old)
	mustAppend(t, j, "other", 1, 3)
	whole, part, current := follow(t, j, "s", 0), follow(t, j, "s", 100), follow(t, j, "s", old)
	whole.want(1, old)
	part.want(101, old)
	for n := old + 1; n <= old+20; n += 2 {
		mustAppend(t, j, "other", n-old+3, n-old+4)
		mustAppend(t, j, "s", n, n+1)
		for _, f := range []*follower{whole, part, current} {
			f.want(n, n+1)
		}
	}
}

// followNothing waits for a missing stream, at its start and at a cursor that the stream has not
// reached.
func followNothing(t *testing.T, b Backend) {
	j := b.Open(t)
	got := make(chan journal.Event, 2)
	for _, after := range []int64{0, 3} {
		f := follow(t, j, "s", after)
		go func() {
			e, _, _ := f.pull()
			got <- e
		}()
	}
	mustAppend(t, j, "s", 1, 1)
	wantNumbered(t, []journal.Event{<-got}, 1, 1)
	mustAppend(t, j, "s", 2, 4)
	wantNumbered(t, []journal.Event{<-got}, 4, 4)
}

// followEndsWithCtx ends the context of followers before their first read, between two events, and
// while they wait.
func followEndsWithCtx(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 2)
	before := follow(t, j, "s", 0)
	before.cancel()
	wantEnded(t, "a follower whose context had ended", before.end(0))
	between := follow(t, j, "s", 0)
	between.want(1, 1)
	between.cancel()
	wantEnded(t, "a follower whose context ended between two events", between.end(1))
	waiting := follow(t, j, "s", 0)
	waiting.want(1, 2)
	time.AfterFunc(20*time.Millisecond, waiting.cancel)
	wantEnded(t, "a follower whose context ended while it waited", waiting.end(0))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for _, err := range j.Follow(ctx, "s", 2) {
		wantCode(t, "a follower whose time ran out", err, sdkapi.Timeout)
	}
}

// followEndsWithLoop leaves loops after different numbers of events. Later calls must still work.
func followEndsWithLoop(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 100)
	for n := range 50 {
		left := 0
		for e, err := range j.Follow(within(t), "s", 0) {
			if err != nil {
				t.Fatal(err)
			}
			if left++; e.Seq > int64(n) {
				break
			}
		}
		if left != n+1 {
			t.Errorf("%d events came, want %d", left, n+1)
		}
	}
	mustAppend(t, j, "s", 101, 101)
}

// followLeavesNothing leaves loops that had waited, with contexts that are not over, and counts
// goroutines. A back end may start a few of its own.
func followLeavesNothing(t *testing.T, b Backend) {
	const loops, few = 50, 10
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 100)
	before := runtime.NumGoroutine()
	for n := 1; n <= loops; n++ {
		f := follow(t, j, "s", int64(n))
		f.want(n+1, 99+n)
		got := make(chan journal.Event, 1)
		go func() {
			e, _, _ := f.pull()
			got <- e
		}()
		mustAppend(t, j, "s", 100+n, 100+n)
		wantNumbered(t, []journal.Event{<-got}, 100+n, 100+n)
		f.leave()
	}
	testkit.Eventually(t, fmt.Sprintf("few goroutines are left of %d loops", loops), func() (int, bool) {
		left := runtime.NumGoroutine() - before
		return left, left <= few
	})
}

// followTwice ranges over the same Follow twice. Each time it must begin at the cursor.
func followTwice(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 3)
	events := j.Follow(within(t), "s", 1)
	for range 2 {
		var got []journal.Event
		for e, err := range events {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, e); len(got) == 2 {
				break
			}
		}
		wantNumbered(t, got, 2, 3)
	}
}

// followMissesNothing appends at the moment when a follower finds no event and begins to wait.
func followMissesNothing(t *testing.T, b Backend) {
	const rounds = 300
	j := b.Open(t)
	f, seen := follow(t, j, "s", 0), make(chan int, 1)
	go func() {
		for n := range seen {
			if _, err := j.Append(t.Context(), "s", numbered(n+1, n+1)...); err != nil {
				t.Errorf("Append: %v", err)
				return
			}
		}
	}()
	defer close(seen)
	for n := range rounds {
		seen <- n
		f.want(n+1, n+1)
	}
}

// followerLags lets a follower that had caught up lag by MaxLag events, which is allowed, and
// another one by one more. That one can follow again from its cursor.
func followerLags(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 1)
	edge, beyond := follow(t, j, "s", 0), follow(t, j, "s", 0)
	edge.want(1, 1)
	beyond.want(1, 1)
	mustAppend(t, j, "s", 2, journal.MaxLag+1)
	edge.want(2, journal.MaxLag+1)
	mustAppend(t, j, "s", journal.MaxLag+2, journal.MaxLag+2)
	wantCode(t, "a follower that is too far behind", beyond.end(0), sdkapi.FollowerLags)
	edge.want(journal.MaxLag+2, journal.MaxLag+2)
	again := follow(t, j, "s", 1)
	again.want(2, journal.MaxLag+2)
	mustAppend(t, j, "s", journal.MaxLag+3, journal.MaxLag+3)
	again.want(journal.MaxLag+3, journal.MaxLag+3)
}

// followerCatchesUp begins further behind than MaxLag, which is allowed before the follower has
// caught up.
func followerCatchesUp(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, journal.MaxLag+10)
	f := follow(t, j, "s", 0)
	f.want(1, 5)
	mustAppend(t, j, "s", journal.MaxLag+11, journal.MaxLag+500)
	f.want(6, journal.MaxLag+500)
}

// slowFollower appends many events while followers do not read. The appends must not wait for the
// followers.
func slowFollower(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 1)
	var slow []*follower
	for range 20 {
		f := follow(t, j, "s", 0)
		f.want(1, 1)
		slow = append(slow, f)
	}
	for n := 2; n < 200; n++ {
		mustAppend(t, j, "s", n, n) // it fails when its context ends
	}
	for _, f := range slow[:3] {
		f.want(2, 199)
	}
}
