package journaltest

import (
	"testing"
	"time"

	"github.com/windieos/windie/sdkapi"
)

var trimChecks = []check{
	{"Trim", trim},
	{"TrimTwice", trimTwice},
	{"TrimAll", trimAll},
	{"TrimNothing", trimNothing},
	{"TrimUnderAFollower", trimUnderFollower},
	{"Drop", drop},
	{"DropUnderAFollower", dropUnderFollower},
}

// trim reads from before, at and behind the border.
func trim(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 10)
	mustTrim(t, j, "s", 5, `{"then": 4}`)
	for after := range 4 {
		found := mustRead(t, j, "s", int64(after), 100)
		wantResync(t, found[0], 4, `{"then": 4}`)
		wantNumbered(t, found[1:], 5, 10)
	}
	wantNumbered(t, mustRead(t, j, "s", 4, 100), 5, 10)
	wantNumbered(t, mustRead(t, j, "s", 5, 100), 6, 10)

	found := mustRead(t, j, "s", 0, 1)
	wantResync(t, found[0], 4, `{"then": 4}`)
	wantNumbered(t, found[1:], 1, 0)
	found = mustRead(t, j, "s", 0, 3)
	wantResync(t, found[0], 4, `{"then": 4}`)
	wantNumbered(t, found[1:], 5, 6)
}

// trimTwice trims again: further, less far, and as far as before.
func trimTwice(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 10)
	mustTrim(t, j, "s", 3, `"first"`)
	mustTrim(t, j, "s", 7, `"second"`)
	mustTrim(t, j, "s", 3, `"less"`)
	mustTrim(t, j, "s", 7, `"again"`)
	found := mustRead(t, j, "s", 1, 100)
	wantResync(t, found[0], 6, `"second"`)
	wantNumbered(t, found[1:], 7, 10)
	mustTrim(t, j, "s", 8, "")
	found = mustRead(t, j, "s", 1, 100)
	wantResync(t, found[0], 7, `null`)
	wantNumbered(t, found[1:], 8, 10)
}

// trimAll trims to the end and beyond; later events are kept.
func trimAll(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 3)
	mustTrim(t, j, "s", 4, `"all"`)
	found := mustRead(t, j, "s", 0, 100)
	wantResync(t, found[0], 3, `"all"`)
	wantNumbered(t, found[1:], 1, 0)
	wantNumbered(t, mustRead(t, j, "s", 3, 100), 1, 0)
	mustTrim(t, j, "s", 1000, `"none left"`)
	wantResync(t, mustRead(t, j, "s", 0, 100)[0], 3, `"all"`)

	mustAppend(t, j, "s", 4, 6)
	mustTrim(t, j, "s", 1000, `"beyond"`)
	if last, err := j.Append(within(t), "s"); last != 6 || err != nil {
		t.Errorf("a stream whose events are all trimmed ends at %d, %v; want 6", last, err)
	}
	mustAppend(t, j, "s", 7, 9)
	found = mustRead(t, j, "s", 0, 100)
	wantResync(t, found[0], 6, `"beyond"`)
	wantNumbered(t, found[1:], 7, 9)
}

// trimNothing trims what is not there.
func trimNothing(t *testing.T, b Backend) {
	j := b.Open(t)
	mustTrim(t, j, "s", 10, `"nothing"`)
	mustAppend(t, j, "s", 1, 3)
	for _, before := range []int64{-1 << 62, -1, 0, 1} {
		mustTrim(t, j, "s", before, `"nothing"`)
	}
	wantNumbered(t, mustRead(t, j, "s", 0, 100), 1, 3)
	wantNumbered(t, mustRead(t, j, "other", 0, 100), 1, 0)
}

// trimUnderFollower trims what a follower has seen, which it does not notice,
// and what it has not.
func trimUnderFollower(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 10)
	f := follow(t, j, "s", 8)
	f.want(9, 10)
	mustTrim(t, j, "s", 11, `"seen"`)
	mustAppend(t, j, "s", 11, 12)
	f.want(11, 12)
	mustAppend(t, j, "s", 13, 20)
	mustTrim(t, j, "s", 15, `"first"`)
	mustTrim(t, j, "s", 18, `"second"`)
	wantResync(t, f.next(), 17, `"second"`)
	f.want(18, 20)

	late := follow(t, j, "s", 0)
	wantResync(t, late.next(), 17, `"second"`)
	late.want(18, 20)
	mustAppend(t, j, "s", 21, 21)
	late.want(21, 21)
	f.want(21, 21)
}

// drop leaves nothing of a stream, its numbers and snapshot included.
func drop(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "other", 1, 1)
	for range 2 {
		mustAppend(t, j, "s", 1, 3)
		mustTrim(t, j, "s", 2, `"gone"`)
		for range 2 {
			if err := j.Drop(within(t), "s"); err != nil {
				t.Fatalf("Drop: %v", err)
			}
			wantNumbered(t, mustRead(t, j, "s", 0, 100), 1, 0)
		}
	}
	mustAppend(t, j, "s", 1, 1)
	wantNumbered(t, mustRead(t, j, "s", 0, 100), 1, 1)
	wantNumbered(t, mustRead(t, j, "other", 0, 100), 1, 1)
}

// dropUnderFollower drops the stream of one that waits, and of one that looks
// again only when there is a longer stream of the same name.
func dropUnderFollower(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 2)
	waits, slow := follow(t, j, "s", 0), follow(t, j, "s", 0)
	waits.want(1, 2)
	slow.want(1, 2)
	dropped, ctx := make(chan error, 1), within(t)
	time.AfterFunc(20*time.Millisecond, func() { dropped <- j.Drop(ctx, "s") }) // when it waits; right without, too
	wantCode(t, "a follower that waits while its stream is dropped", waits.end(0), sdkapi.NotFound)
	if err := <-dropped; err != nil {
		t.Errorf("Drop: %v", err)
	}
	mustAppend(t, j, "s", 1, 5)
	wantCode(t, "a follower of a stream that was dropped", slow.end(0), sdkapi.NotFound)
	follow(t, j, "s", 0).want(1, 5)
}
