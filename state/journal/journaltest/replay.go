package journaltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Numbers of streams in replay, and of followers of each stream.
const (
	replayStreams   = 4
	replayFollowers = 2
)

// replay disconnects followers again and again while events are appended and trimmed. A follower
// that continues from its cursor must see every event once, in order, or one Resync in place of
// trimmed events.
func replay(t *testing.T, b Backend) {
	one := b.Open(t)
	js := []journal.Journal{one, one}
	if b.Join != nil {
		js[1] = b.Join(t, one)
	}
	var all sync.WaitGroup
	streams := make([]*replayed, replayStreams)
	for i := range streams {
		s := &replayed{t: t, js: js, name: fmt.Sprint("s", i), seed: uint64(i), pace: make(chan struct{}, 1), grown: make(chan struct{}, 1)}
		streams[i] = s
		all.Go(func() { s.run(b.Replays / replayStreams / replayFollowers) })
	}
	all.Wait()
	var events, resyncs, connections int64
	for _, s := range streams {
		events += s.last.Load()
		resyncs += s.resyncs.Load()
		connections += s.connections.Load()
	}
	t.Logf("%d events in %d streams, followed over %d connections, with %d gaps", events, replayStreams, connections, resyncs)
	if resyncs == 0 && connections > 5000 { // with few connections, all may be in time
		t.Error("nobody ever came too late")
	}
}

// replayed is a stream of replay.
type replayed struct {
	t    *testing.T
	js   []journal.Journal
	name string
	seed uint64

	pace  chan struct{} // has room for one connection that the writer has not noticed
	grown chan struct{} // has room for one append that the trimmer has not noticed

	last, resyncs, connections atomic.Int64
}

// run disconnects each follower a number of times, and then lets all read to the end.
func (s *replayed) run(times int) {
	ctx, stop := context.WithCancel(s.t.Context())
	var writing, following sync.WaitGroup
	writing.Go(func() { s.write(ctx) })
	writing.Go(func() { s.trim(ctx) })
	cursors := make([]int64, replayFollowers)
	for f := range cursors {
		following.Go(func() { cursors[f] = s.disconnect(f, times) })
	}
	following.Wait()
	stop()
	writing.Wait()
	for f := range cursors {
		for cursors[f] < s.last.Load() && !s.t.Failed() {
			cursors[f] = s.connect(within(s.t), s.js[f%2], cursors[f], math.MaxInt, s.last.Load())
		}
	}
}

// random returns a random source of its own for each goroutine of the stream.
func (s *replayed) random(who int) *rand.Rand {
	return rand.New(rand.NewPCG(s.seed, uint64(who)))
}

// write appends up to 20 events for every fourth connection of a follower, until ctx ends.
func (s *replayed) write(ctx context.Context) {
	r := s.random(100)
	for heard := 0; ; heard++ {
		select {
		case <-s.pace:
		case <-ctx.Done():
			return
		}
		if heard%4 != 0 {
			continue
		}
		from := int(s.last.Load()) + 1
		last, err := s.js[r.IntN(2)].Append(within(s.t), s.name, numbered(from, from+r.IntN(20))...)
		if err != nil {
			s.t.Errorf("Append: %v", err)
			return
		}
		s.last.Store(last)
		tell(s.grown)
	}
}

// trim trims a random part of the stream, sometimes all of it, whenever it has grown.
func (s *replayed) trim(ctx context.Context) {
	r := s.random(200)
	for {
		select {
		case <-s.grown:
		case <-ctx.Done():
			return
		}
		before := s.last.Load() + 1 - int64(r.IntN(30))
		if before < 2 || r.IntN(2) == 0 {
			continue
		}
		if err := s.js[r.IntN(2)].Trim(within(s.t), s.name, before, snapshotOf(before-1)); err != nil {
			s.t.Errorf("Trim: %v", err)
			return
		}
	}
}

// tell puts a value into a channel of capacity 1, unless it has one.
func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// snapshotOf returns replay's snapshot of the events up to last.
func snapshotOf(last int64) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"upTo":%d}`, last))
}

// disconnect follows the stream in short connections, and returns the last cursor.
func (s *replayed) disconnect(who, times int) (cursor int64) {
	r := s.random(who)
	for n := 0; n < times && !s.t.Failed(); n++ {
		tell(s.pace)
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Duration(r.IntN(3000))*time.Microsecond)
		cursor = s.connect(ctx, s.js[r.IntN(2)], cursor, 1+r.IntN(30), math.MaxInt64)
		cancel()
	}
	return cursor
}

// connect follows the stream from a cursor for at most limit events, until end or until ctx ends,
// and returns the new cursor.
func (s *replayed) connect(ctx context.Context, j journal.Journal, cursor int64, limit int, end int64) int64 {
	s.connections.Add(1)
	for e, err := range j.Follow(ctx, s.name, cursor) {
		switch {
		case errors.Is(err, context.DeadlineExceeded) && fault.CodeOf(err) == sdkapi.Timeout:
			return cursor
		case err != nil:
			s.t.Errorf("Follow: %v", err)
			return cursor
		case e.Kind == journal.Resync:
			s.resyncs.Add(1)
			if e.Seq <= cursor || string(e.Data) != string(snapshotOf(e.Seq)) {
				s.t.Errorf("after event %d: a Resync up to %d with %s", cursor, e.Seq, e.Data)
			}
		case e.Seq != cursor+1 || string(e.Data) != strconv.FormatInt(e.Seq, 10):
			s.t.Errorf("after event %d: event %d with %s", cursor, e.Seq, e.Data)
		}
		cursor = e.Seq
		if limit--; limit == 0 || cursor >= end {
			return cursor
		}
	}
	return cursor
}

// posters is how many goroutines answer one question. Two of them give the same answer each.
const posters = 16

// races lets many goroutines answer the same questions at once. One answer must win for each
// question, and every caller must then get it.
func races(t *testing.T, b Backend) {
	const atOnce = 8
	one := b.Open(t)
	two := one
	if b.Join != nil {
		two = b.Join(t, one)
	}
	var wg sync.WaitGroup
	for w := range atOnce {
		wg.Go(func() {
			for q := w; q < b.Races && !t.Failed(); q += atOnce {
				race(t, []journal.Journal{one, two}, fmt.Sprint("q", q))
			}
		})
	}
	wg.Wait()
}

// race lets goroutines answer one question at once, through all journals. The two that gave the
// winning answer must succeed, and all others must get DECISION_CONFLICT.
func race(t *testing.T, js []journal.Journal, id string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel() // within would keep each context until the end of the test
	if _, err := js[0].Open(ctx, asked(id)); err != nil {
		t.Errorf("Open of %s: %v", id, err)
		return
	}
	awaited := make(chan journal.Decision, 1)
	go func() {
		d, err := js[1].Await(ctx, id)
		if err != nil {
			t.Errorf("Await of %s: %v", id, err)
		}
		awaited <- d
	}()
	start, got, errs := make(chan struct{}), make([]journal.Decision, posters), make([]error, posters)
	var wg sync.WaitGroup
	for p := range posters {
		wg.Go(func() {
			<-start
			got[p], errs[p] = js[p%2].Decide(ctx, id, ada, posted(p))
		})
	}
	close(start)
	wg.Wait()
	d, err := js[0].Decision(ctx, id)
	if err != nil || d.State != journal.Decided {
		t.Errorf("Decision of %s: %s, %v", id, d.State, err)
	}
	wantSame(t, "Await of "+id, <-awaited, d)
	won := 0
	for p := range posters {
		switch {
		case d.Answer.Equal(posted(p)):
			won++
			wantCode(t, fmt.Sprintf("the answer to %s that won", id), errs[p], "")
			wantSame(t, "Decide of "+id, got[p], d)
		case fault.CodeOf(errs[p]) != sdkapi.DecisionConflict:
			t.Errorf("an answer to %s that lost: %v", id, errs[p])
		}
	}
	if won != 2 {
		t.Errorf("%d of those who answered %s brought what was decided: %+v", won, id, d.Answer)
	}
}

// posted returns the answer of goroutine p. The goroutines 2n and 2n+1 give the same answer.
func posted(p int) journal.Answer { return yes(fmt.Sprintf(`{"answer": %d}`, p/2)) }
