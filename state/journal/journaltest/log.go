package journaltest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

var logChecks = []check{
	{"Numbers", numbers},
	{"KeptAsGiven", keptAsGiven},
	{"KeepsNothingOfTheCallers", keepsNothing},
	{"ManyAppend", manyAppend},
	{"AllOrNone", allOrNone},
	{"SeenWhole", seenWhole},
	{"ReadLimits", readLimits},
	{"ReadCursors", readCursors},
}

// numbers checks that each stream is numbered from 1 without gaps, and that the events of one
// Append have the same time.
func numbers(t *testing.T, b Backend) {
	j := b.Open(t)
	if last, err := j.Append(within(t), "a"); last != 0 || err != nil {
		t.Errorf("Append of nothing to a stream that is not there: %d, %v", last, err)
	}
	began := time.Now().Add(-time.Millisecond)
	mustAppend(t, j, "a", 1, 1)
	mustAppend(t, j, "b", 1, 2)
	mustAppend(t, j, "a", 2, 4)
	if last, err := j.Append(within(t), "a"); last != 4 || err != nil {
		t.Errorf("Append of nothing: %d, %v; want 4", last, err)
	}
	events := mustRead(t, j, "a", 0, 100)
	wantNumbered(t, events, 1, 4)
	wantNumbered(t, mustRead(t, j, "b", 0, 100), 1, 2)
	wantNumbered(t, mustRead(t, j, "c", 0, 100), 1, 0)
	for _, e := range events {
		wantTime(t, "an event", e.Time, began)
	}
	if first, last := events[1].Time, events[3].Time; !first.Equal(last) {
		t.Errorf("events of one Append have the times %v and %v", first, last)
	}
}

// wantTime fails unless at is a time in the form of journals, not before began.
func wantTime(t *testing.T, what string, at, began time.Time) {
	t.Helper()
	const skew = time.Second // between the clocks of this machine and of a database's machine
	if at.Location() != time.UTC || at.Nanosecond()%1000 != 0 || at.Before(began.Add(-skew)) || at.After(time.Now().Add(skew)) {
		t.Errorf("the time of %s is %v, want one in UTC, to the microsecond, since %v", what, at, began)
	}
}

// keptAsGiven appends JSON of many shapes, with wrong values in the fields that the journal sets.
func keptAsGiven(t *testing.T, b Backend) {
	j := b.Open(t)
	given := []string{
		`null`, `""`, `0`, "\t{ \"b\" : 1,\n \"a\":[ ] } ", `{"a":1,"a":2}`, `9007199254740993`, `1e400`, `"\u0000\ud83d\/é😀<&>` + "\u2028" + `"`,
		`"` + strings.Repeat("long ", 50_000) + `"`, strings.Repeat("[", 500) + strings.Repeat("]", 500),
	}
	for i, data := range given {
		event := journal.Event{Seq: 77, Time: time.Unix(1, 0), Kind: "any kind/é", Data: json.RawMessage(data)}
		if last, err := j.Append(within(t), "a stream/é 😀", event); err != nil || last != int64(i+1) {
			t.Fatalf("Append of %.100s: %d, %v", data, last, err)
		}
	}
	for i, e := range mustRead(t, j, "a stream/é 😀", 0, 100) {
		if e.Seq != int64(i+1) || e.Kind != "any kind/é" || string(e.Data) != given[i] || e.Time.Year() < 2000 {
			t.Errorf("event %d is %d, %q, %v, %.100s; want %.100s", i+1, e.Seq, e.Kind, e.Time, e.Data, given[i])
		}
	}
	for _, nothing := range []json.RawMessage{nil, {}} {
		if _, err := j.Append(within(t), "nothing", journal.Event{Kind: "k", Data: nothing}); err != nil {
			t.Error(err)
		}
	}
	for _, e := range mustRead(t, j, "nothing", 0, 2) {
		if string(e.Data) != "null" {
			t.Errorf("no data is kept as %q", e.Data)
		}
	}
}

// keepsNothing overwrites the arguments given to the journal and the results it returned.
func keepsNothing(t *testing.T, b Backend) {
	j := b.Open(t)
	data, snapshot := json.RawMessage(`"data"`), json.RawMessage(`"snap"`)
	events := []journal.Event{{Kind: "k", Data: data}, {Kind: "k", Data: data}}
	if _, err := j.Append(within(t), "s", events...); err != nil {
		t.Fatal(err)
	}
	if err := j.Trim(within(t), "s", 2, snapshot); err != nil {
		t.Fatal(err)
	}
	copy(data, `"xxxx"`)
	copy(snapshot, `"xxxx"`)
	events[1].Kind = "x"
	for range 2 {
		found := mustRead(t, j, "s", 0, 9)
		if len(found) != 2 || string(found[0].Data) != `"snap"` || string(found[1].Data) != `"data"` || found[1].Kind != "k" {
			t.Fatalf("Read returns %s of %d", brief(found), len(found))
		}
		copy(found[0].Data, `"xxxx"`)
		copy(found[1].Data, `"xxxx"`)
	}
}

// manyAppend appends from many goroutines. Each call must get consecutive numbers, and no number
// may be missing.
func manyAppend(t *testing.T, b Backend) {
	const writers, rounds = 8, 25
	j := b.Open(t)
	var wg sync.WaitGroup
	total := 0
	for w := range writers {
		for r := range rounds {
			total += 1 + (w+r)%3
		}
		wg.Go(func() {
			for r := range rounds {
				n := 1 + (w+r)%3
				mine := make([]journal.Event, n)
				for i := range mine {
					mine[i] = journal.Event{Kind: fmt.Sprintf("w%d.%d.%d", w, r, i)}
				}
				last, err := j.Append(within(t), "s", mine...)
				if err != nil {
					t.Error(err)
					return
				}
				found, err := j.Read(within(t), "s", last-int64(n), n)
				if err != nil || len(found) != n || found[0].Kind != mine[0].Kind || found[n-1].Kind != mine[n-1].Kind {
					t.Errorf("writer %d appended %d events up to %d, and reads %d, the first %s, %v", w, n, last, len(found), brief(found), err)
				}
			}
		})
	}
	wg.Wait()
	found := mustRead(t, j, "s", 0, journal.MaxEvents)
	if len(found) != total {
		t.Errorf("%d events, want %d", len(found), total)
	}
	for i, e := range found {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
	}
}

// allOrNone makes an Append fail through its last event, and through its context.
func allOrNone(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 2)
	for _, data := range []string{`{`, `1 2`, `nul`, "\"\xff\"", `{"a":1}]`, ` `} {
		_, err := j.Append(within(t), "s", append(numbered(3, 5), journal.Event{Kind: "k", Data: json.RawMessage(data)})...)
		wantCode(t, fmt.Sprintf("Append of %q", data), err, sdkapi.ValidationError)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := j.Append(ctx, "s", numbered(3, 5)...)
	wantEnded(t, "Append", err)
	_, err = j.Append(ctx, "new", numbered(1, 2)...)
	wantEnded(t, "Append", err)
	wantNumbered(t, mustRead(t, j, "s", 0, 100), 1, 2)
	wantNumbered(t, mustRead(t, j, "new", 0, 100), 1, 0)
	mustAppend(t, j, "s", 3, 3)
}

// seenWhole reads while events are appended five at a time. A reader must never see a part of such
// a group.
func seenWhole(t *testing.T, b Backend) {
	const size, rounds = 5, 40
	j := b.Open(t)
	done := make(chan error, 1)
	go func() {
		for r := range rounds {
			if _, err := j.Append(within(t), "s", numbered(r*size+1, r*size+size)...); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for appending := true; appending; {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			appending = false
		default:
		}
		found := mustRead(t, j, "s", 0, journal.MaxEvents)
		if len(found)%size != 0 {
			t.Fatalf("%d events are visible, which were appended %d at a time", len(found), size)
		}
		wantNumbered(t, found, 1, len(found))
	}
	wantNumbered(t, mustRead(t, j, "s", 0, journal.MaxEvents), 1, size*rounds)
}

// readLimits checks that Read accepts a limit of 1 to journal.MaxEvents events.
func readLimits(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, journal.MaxEvents+1)
	wantNumbered(t, mustRead(t, j, "s", 0, 1), 1, 1)
	wantNumbered(t, mustRead(t, j, "s", 0, journal.MaxEvents), 1, journal.MaxEvents)
	wantNumbered(t, mustRead(t, j, "s", 1, journal.MaxEvents), 2, journal.MaxEvents+1)
	for _, limit := range []int{-1, 0, journal.MaxEvents + 1} {
		_, err := j.Read(within(t), "s", 0, limit)
		wantCode(t, fmt.Sprintf("Read of %d events", limit), err, sdkapi.ValidationError)
	}
}

// readCursors reads from all cursors of a stream and from cursors behind its end. A negative cursor
// must fail.
func readCursors(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 10)
	for after := range 10 {
		wantNumbered(t, mustRead(t, j, "s", int64(after), 3), after+1, min(after+3, 10))
	}
	for _, after := range []int64{10, 11, 1 << 62} {
		wantNumbered(t, mustRead(t, j, "s", after, 3), 1, 0)
	}
	_, err := j.Read(within(t), "s", -1, 3)
	wantCode(t, "Read after -1", err, sdkapi.ValidationError)
}

var trimChecks = []check{
	{"Trim", trim},
	{"TrimTwice", trimTwice},
	{"TrimAll", trimAll},
	{"TrimNothing", trimNothing},
	{"TrimUnderAFollower", trimUnderFollower},
	{"Drop", drop},
	{"DropUnderAFollower", dropUnderFollower},
}

// trim checks that one Resync replaces the trimmed events for each cursor before them, and that it
// counts towards the limit.
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

// trimTwice trims a stream several times. A Trim that removes nothing must keep the old snapshot. A
// missing snapshot must be stored as null.
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

// trimAll trims to the end and beyond. Later events must survive.
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

// trimNothing trims a missing stream, and a stream before its first event. Both calls must change
// nothing.
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

// trimUnderFollower trims events that a follower has seen, which it must not notice, and events
// that it has not seen.
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

// drop deletes a stream. Its numbers and snapshot must be gone too.
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

// dropUnderFollower drops the stream of two followers: one waits, the other one reads again only
// when a longer stream of the same name exists.
func dropUnderFollower(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 2)
	waits, slow := follow(t, j, "s", 0), follow(t, j, "s", 0)
	waits.want(1, 2)
	slow.want(1, 2)
	dropped, ctx := make(chan error, 1), within(t)
	// When it waits; the check also passes if it does not.
	time.AfterFunc(20*time.Millisecond, func() { dropped <- j.Drop(ctx, "s") })
	wantCode(t, "a follower that waits while its stream is dropped", waits.end(0), sdkapi.NotFound)
	if err := <-dropped; err != nil {
		t.Errorf("Drop: %v", err)
	}
	mustAppend(t, j, "s", 1, 5)
	wantCode(t, "a follower of a stream that was dropped", slow.end(0), sdkapi.NotFound)
	follow(t, j, "s", 0).want(1, 5)
}
