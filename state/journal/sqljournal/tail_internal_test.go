package sqljournal

import (
	"slices"
	"testing"

	"github.com/windieos/windie/state/journal"
)

// numbered returns events with the numbers from..to.
func numbered(from, to int64) (events []journal.Event) {
	for n := from; n <= to; n++ {
		events = append(events, journal.Event{Seq: n})
	}
	return events
}

// A tail gives what comes after a cursor without a gap, or says that there is
// one, and forgets it either way.
func TestTail(t *testing.T) {
	t.Parallel()
	const stream = 7
	for name, tt := range map[string]struct {
		added  [][]journal.Event
		cursor int64
		want   []int64
		gap    bool
	}{
		"nothing":           {cursor: 3},
		"the next":          {added: [][]journal.Event{numbered(4, 4), numbered(5, 6)}, cursor: 3, want: []int64{4, 5, 6}},
		"partly known":      {added: [][]journal.Event{numbered(4, 6)}, cursor: 5, want: []int64{6}},
		"all known":         {added: [][]journal.Event{numbered(4, 6)}, cursor: 9},
		"one is missing":    {added: [][]journal.Event{numbered(5, 6)}, cursor: 3, gap: true},
		"somebody else's":   {added: [][]journal.Event{numbered(4, 4), numbered(6, 6)}, cursor: 3},
		"too many":          {added: [][]journal.Event{numbered(4, 4), numbered(5, 4+tailEvents)}, cursor: 3},
		"as many as can be": {added: [][]journal.Event{numbered(4, 3+tailEvents)}, cursor: 2 + tailEvents, want: []int64{3 + tailEvents}},
	} {
		t.Run(name, func(t *testing.T) {
			var kept tail
			for _, events := range tt.added {
				kept.add(stream, events)
			}
			events, gap := kept.take(stream, tt.cursor)
			var got []int64
			for _, e := range events {
				got = append(got, e.Seq)
			}
			if !slices.Equal(got, tt.want) || gap != tt.gap || len(kept.events) > 0 {
				t.Errorf("%s: got %v, %v", name, got, gap)
			}
		})
	}
	var kept tail
	kept.add(stream, numbered(1, 1))
	if events, gap := kept.take(8, 0); len(events) > 0 || !gap {
		t.Errorf("of another stream it has %v, %v", events, gap)
	}
	if kept.add(stream, []journal.Event{{Seq: 1, Data: make([]byte, tailBytes+1)}}) {
		t.Error("there is no end to the bytes")
	}
}

// The poller wakes a watcher that has not seen a stream's end, but not one whose
// tail has it.
func TestBehind(t *testing.T) {
	t.Parallel()
	h := newHub()
	w := h.watchStream("s")
	h.saw(w, mark{7, 3})
	woken := func(now mark) bool {
		h.wakeBehind("s", now)
		select {
		case <-w.woken:
			return true
		default:
			return false
		}
	}
	if woken(mark{7, 3}) || !woken(mark{7, 4}) || !woken(mark{8, 3}) || !woken(mark{}) {
		t.Error("only who knows the stream as it is may sleep on")
	}
	h.grown("s", 7, numbered(4, 5))
	if woken(mark{7, 5}) || !woken(mark{7, 6}) || !woken(mark{8, 5}) || !woken(mark{}) {
		t.Error("only who was told of all may sleep on")
	}
}
