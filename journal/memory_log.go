package journal

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// stream is one that Memory keeps.
type stream struct {
	trimmed  int64   // number of the last event that is not kept
	events   []Event // those after it
	snapshot json.RawMessage
}

func (s *stream) last() int64 { return s.trimmed + int64(len(s.events)) }

// after returns copies of the events after a cursor, at most limit of them and
// most bytes, but one at least.
func (s *stream) after(cursor int64, limit, most int) []Event {
	var found []Event
	if cursor < s.trimmed {
		found = append(found, Event{Seq: s.trimmed, Kind: Resync, Data: orNull(s.snapshot)})
		cursor = s.trimmed
	}
	if cursor >= s.last() {
		return found
	}
	rest, size := s.events[cursor-s.trimmed:], 0
	for _, e := range rest[:min(len(rest), limit-len(found))] {
		if size += len(e.Data); size > most && len(found) > 0 {
			break
		}
		e.Data = orNull(e.Data)
		found = append(found, e)
	}
	return found
}

// waiters are those who wait for a stream to change.
type waiters struct {
	changed chan struct{}
	count   int
}

// join adds one to those who wait for a stream. mu is held.
func (k *kept) join(name string) (changed <-chan struct{}, leave func()) {
	w := k.waiting[name]
	if w == nil {
		w = &waiters{changed: make(chan struct{})}
		k.waiting[name] = w
	}
	w.count++
	return w.changed, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if w.count--; w.count == 0 && k.waiting[name] == w {
			delete(k.waiting, name)
		}
	}
}

// wake tells those who wait for a stream that it has changed. mu is held.
func (k *kept) wake(name string) {
	if w := k.waiting[name]; w != nil {
		close(w.changed)
		delete(k.waiting, name)
	}
}

// Append implements Log.
func (m *Memory) Append(ctx context.Context, stream string, events ...Event) (last int64, err error) {
	return m.append(ctx, nil, stream, events)
}

// AppendAs implements Log.
func (m *Memory) AppendAs(ctx context.Context, lease Lease, stream string, events ...Event) (last int64, err error) {
	return m.append(ctx, &lease, stream, events)
}

// append appends for who holds a lease, or for anybody.
func (m *Memory) append(ctx context.Context, lease *Lease, name string, events []Event) (last int64, err error) {
	if err := CheckAppend(name, events); err != nil {
		return 0, err
	}
	if err := m.usable(ctx); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if lease != nil && !m.holds(*lease) {
		return 0, fault.New("journal.AppendAs", sdkapi.LeaseLost, "somebody else has taken over %q", lease.Key)
	}
	s := m.streams[name]
	if s == nil {
		s = &stream{}
	}
	if len(events) == 0 {
		return s.last(), nil
	}
	m.streams[name] = s
	now := micros(time.Now())
	for _, e := range events {
		s.events = append(s.events, Event{Seq: s.last() + 1, Time: now, Kind: e.Kind, Data: orNull(e.Data)})
	}
	m.wake(name)
	return s.last(), nil
}

// Read implements Log.
func (m *Memory) Read(ctx context.Context, stream string, after int64, limit int) ([]Event, error) {
	if err := CheckRead(stream, after, limit); err != nil {
		return nil, err
	}
	if err := m.usable(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.streams[stream]; s != nil {
		return s.after(after, limit, MaxPage), nil
	}
	return nil, nil
}

// Follow implements Log.
func (m *Memory) Follow(ctx context.Context, stream string, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := CheckRead(stream, after, 1); err != nil {
			yield(Event{}, err)
			return
		}
		f := follower{journal: m, name: stream, cursor: after}
		for {
			events, err := f.next(ctx)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range events {
				if ctx.Err() != nil {
					break // next says so
				}
				f.cursor = e.Seq
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// What a follower takes at once.
const (
	followBatch = 16
	followBytes = 1 << 20
)

// follower is one run of Follow.
type follower struct {
	journal *Memory
	name    string
	cursor  int64
	stream  *stream // nil as long as there is none
	current bool    // it had caught up
}

// next waits until there are events after the cursor.
func (f *follower) next(ctx context.Context) ([]Event, error) {
	for {
		if err := f.journal.usable(ctx); err != nil {
			return nil, err
		}
		events, changed, leave, err := f.look()
		if len(events) > 0 || err != nil {
			return events, err
		}
		err = f.journal.wait(ctx, changed, nil)
		leave()
		if err != nil {
			return nil, err
		}
	}
}

// look returns the next events, or, where there are none, what is closed once
// there may be. The caller leaves when it has waited.
func (f *follower) look() (events []Event, changed <-chan struct{}, leave func(), err error) {
	const op = "journal.Follow"
	k := f.journal.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.streams[f.name]
	if f.stream != nil && f.stream != s {
		return nil, nil, nil, fault.New(op, sdkapi.NotFound, "the stream %q is gone", f.name)
	}
	if f.stream = s; s != nil {
		behind := s.last() - f.cursor
		if f.current && behind > MaxLag {
			return nil, nil, nil, fault.New(op, sdkapi.FollowerLags, "the reader is %d events behind; it can go on after event %d", behind, f.cursor)
		}
		events = s.after(f.cursor, followBatch, followBytes)
		f.current = f.current || len(events) == 0 || events[len(events)-1].Seq == s.last()
	}
	if len(events) == 0 {
		changed, leave = k.join(f.name)
	}
	return events, changed, leave, nil
}

// Trim implements Log.
func (m *Memory) Trim(ctx context.Context, stream string, before int64, snapshot json.RawMessage) error {
	if err := CheckTrim(stream, snapshot); err != nil {
		return err
	}
	if err := m.usable(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.streams[stream]
	if s == nil {
		return nil
	}
	last := min(before-1, s.last())
	if last <= s.trimmed {
		return nil
	}
	s.events = append([]Event(nil), s.events[last-s.trimmed:]...)
	s.trimmed, s.snapshot = last, orNull(snapshot)
	m.wake(stream)
	return nil
}

// Drop implements Log.
func (m *Memory) Drop(ctx context.Context, stream string) error {
	if err := CheckStream(stream); err != nil {
		return err
	}
	if err := m.usable(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.streams, stream)
	m.wake(stream)
	return nil
}
