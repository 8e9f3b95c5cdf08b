package journaltest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Memory is a journal in memory, for tests. It fulfils the contract of journal.Journal, except that
// the data is lost when the process ends. Make one with NewMemory.
type Memory struct {
	*kept
	closed chan struct{}
	once   sync.Once
}

// kept is the data of one journal, or of several that are joined.
type kept struct {
	mu        sync.Mutex
	changed   chan struct{} // closed at the next change; nil if nobody waits
	streams   map[string]*stream
	questions map[string]journal.Decision
	leases    map[string]journal.Lease // a released lease keeps its token
	ahead     time.Duration            // how far the clock of leases is ahead of the machine's clock
}

var _ journal.Journal = (*Memory)(nil)

// NewMemory returns an empty journal.
func NewMemory() *Memory {
	return (&kept{streams: map[string]*stream{}, questions: map[string]journal.Decision{}, leases: map[string]journal.Lease{}}).open()
}

// Join returns a second journal with the data of m. The second journal acts like the journal of
// another gateway. Both journals must be closed.
func (m *Memory) Join() *Memory { return m.open() }

// open returns a journal on the data k. Each journal is closed by itself.
func (k *kept) open() *Memory { return &Memory{kept: k, closed: make(chan struct{})} }

// Ready implements journal.Journal.
func (m *Memory) Ready(ctx context.Context) error {
	select {
	case <-m.closed:
		return fault.New("journaltest.Memory", sdkapi.StateUnavailable, "the journal is closed; restart the gateway")
	default:
	}
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	return nil
}

// Close implements journal.Journal.
func (m *Memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

// in runs do on the locked data, unless invalid is an error or the journal is not ready.
func (m *Memory) in(ctx context.Context, invalid error, do func() error) error {
	if err := cmp.Or(invalid, m.Ready(ctx)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return do()
}

// next returns a channel that is closed at the next change. The caller holds mu.
func (k *kept) next() chan struct{} {
	if k.changed == nil {
		k.changed = make(chan struct{})
	}
	return k.changed
}

// wake wakes all waiting callers after a change. The caller holds mu.
func (k *kept) wake() {
	if k.changed != nil {
		close(k.changed)
		k.changed = nil
	}
}

// wait waits for a change, for a value of timeout, or for the end of ctx or the journal.
func (m *Memory) wait(ctx context.Context, changed chan struct{}, timeout <-chan time.Time) error {
	select {
	case <-changed:
	case <-timeout:
	case <-ctx.Done():
	case <-m.closed:
	}
	m.mu.Lock()
	if m.changed == changed {
		m.wake() // a channel of one synctest bubble must not be used in another
	}
	m.mu.Unlock()
	return m.Ready(ctx)
}

type stream struct {
	trimmed  int64 // number of the last trimmed event
	events   []journal.Event
	snapshot json.RawMessage
}

// last returns the number of the last event, trimmed events included; 0 for a stream without any.
func (s *stream) last() int64 { return s.trimmed + int64(len(s.events)) }

// after returns copies of at most limit events after a cursor. They have at most n bytes of data,
// unless the first one alone has more.
func (s *stream) after(cursor int64, limit, n int) (found []journal.Event) {
	if cursor < s.trimmed {
		found = append(found, journal.Event{Seq: s.trimmed, Kind: journal.Resync, Data: copied(s.snapshot)})
		cursor = s.trimmed
	}
	for _, e := range s.events[min(cursor, s.last())-s.trimmed:] {
		if n -= len(e.Data); len(found) == limit || n < 0 && len(found) > 0 {
			break
		}
		e.Data = copied(e.Data)
		found = append(found, e)
	}
	return found
}

// Append implements journal.Log.
func (m *Memory) Append(ctx context.Context, stream string, events ...journal.Event) (last int64, err error) {
	return m.append(ctx, nil, stream, events)
}

// AppendAs implements journal.Log.
func (m *Memory) AppendAs(ctx context.Context, lease journal.Lease, stream string, events ...journal.Event) (last int64, err error) {
	return m.append(ctx, &lease, stream, events)
}

// append appends for the holder of a lease, or for anybody if lease is nil.
func (m *Memory) append(ctx context.Context, lease *journal.Lease, name string, events []journal.Event) (last int64, err error) {
	err = m.in(ctx, journal.CheckAppend(name, events), func() error {
		if lease != nil && !m.holds(*lease) {
			return fault.New("journal.AppendAs", sdkapi.LeaseLost, "another worker has taken over the lease of %q; stop work on it", lease.Key)
		}
		s, at := cmp.Or(m.streams[name], &stream{}), now() // one time for all events
		for _, e := range events {
			m.streams[name] = s
			s.events = append(s.events, journal.Event{Seq: s.last() + 1, Time: at, Kind: e.Kind, Data: copied(e.Data)})
		}
		last = s.last()
		m.wake()
		return nil
	})
	return last, err
}

// Read implements journal.Log.
func (m *Memory) Read(ctx context.Context, stream string, after int64, limit int) (events []journal.Event, err error) {
	err = m.in(ctx, journal.CheckRead(stream, after, limit), func() error {
		if s := m.streams[stream]; s != nil {
			events = s.after(after, limit, journal.MaxPage)
		}
		return nil
	})
	return events, err
}

// Follow implements journal.Log.
func (m *Memory) Follow(ctx context.Context, stream string, after int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		f := reading{journal: m, name: stream, cursor: after}
		for {
			events, changed, err := f.look(ctx)
			if len(events) == 0 && err == nil {
				err = m.wait(ctx, changed, nil)
			}
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			for _, e := range events {
				if ctx.Err() != nil {
					break // look returns the error
				}
				f.cursor = e.Seq
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// Limits of one batch of a reading.
const (
	followBatch = 16
	followBytes = 1 << 20
)

// reading is one run of Follow.
type reading struct {
	journal *Memory
	name    string
	cursor  int64
	stream  *stream // nil until the stream exists
	current bool    // whether the follower has caught up at least once
}

// look returns the next events. If there are none, it returns a channel that is closed at the next
// change.
func (f *reading) look(ctx context.Context) (events []journal.Event, changed chan struct{}, err error) {
	const op = "journal.Follow"
	err = f.journal.in(ctx, journal.CheckRead(f.name, f.cursor, 1), func() error {
		s := f.journal.streams[f.name]
		if f.stream != nil && f.stream != s {
			return fault.New(op, sdkapi.NotFound, "the stream %q was deleted", f.name)
		}
		if f.stream = s; s != nil {
			if behind := s.last() - f.cursor; f.current && behind > journal.MaxLag {
				return fault.New(op, sdkapi.FollowerLags, "the reader is %d events behind; reconnect, and continue after event %d", behind, f.cursor)
			}
			events = s.after(f.cursor, followBatch, followBytes)
			f.current = f.current || len(events) == 0 || events[len(events)-1].Seq == s.last()
		}
		changed = f.journal.next()
		return nil
	})
	return events, changed, err
}

// Trim implements journal.Log.
func (m *Memory) Trim(ctx context.Context, stream string, before int64, snapshot json.RawMessage) error {
	return m.in(ctx, journal.CheckTrim(stream, snapshot), func() error {
		s := m.streams[stream]
		if s == nil || before <= s.trimmed+1 || s.last() == s.trimmed { // before-1 may overflow
			return nil
		}
		last := min(before-1, s.last())
		s.events = slices.Clone(s.events[last-s.trimmed:])
		s.trimmed, s.snapshot = last, copied(snapshot)
		m.wake()
		return nil
	})
}

// Drop implements journal.Log.
func (m *Memory) Drop(ctx context.Context, stream string) error {
	return m.in(ctx, journal.CheckStream(stream), func() error {
		delete(m.streams, stream)
		maps.DeleteFunc(m.questions, func(_ string, d journal.Decision) bool { return d.Stream == stream })
		m.wake()
		return nil
	})
}

// Streams implements journal.Log.
func (m *Memory) Streams(ctx context.Context, prefix, after string, limit int) (list []journal.Stream, err error) {
	err = m.in(ctx, journal.CheckStreams(prefix, after, limit), func() error {
		for name, s := range m.streams {
			if name <= after || !strings.HasPrefix(name, prefix) {
				continue
			}
			found := journal.Stream{Name: name, Last: s.last()}
			if n := len(s.events); n > 0 {
				found.Used = s.events[n-1].Time
			}
			list = append(list, found)
		}
		slices.SortFunc(list, func(a, b journal.Stream) int { return cmp.Compare(a.Name, b.Name) })
		list = list[:min(len(list), limit)]
		return nil
	})
	return list, err
}

// Open implements journal.Decisions.
func (m *Memory) Open(ctx context.Context, d journal.Decision) (opened journal.Decision, err error) {
	d, err = d.Asked(time.Now())
	err = m.in(ctx, err, func() error {
		there, ok := m.questions[d.ID]
		if ok && !there.Same(d) {
			return journal.AnotherDecision(d.ID)
		}
		if !ok {
			m.questions[d.ID] = d
		}
		opened = m.current(d.ID)
		return nil
	})
	return opened, err
}

// Decide implements journal.Decisions.
func (m *Memory) Decide(ctx context.Context, id string, by journal.Decider, answer journal.Answer) (journal.Decision, error) {
	return m.question(ctx, "journal.Decide", id, func(d journal.Decision) (journal.Decision, error) {
		return d.Decide(by, answer, time.Now())
	})
}

// Withdraw implements journal.Decisions.
func (m *Memory) Withdraw(ctx context.Context, ids ...string) error {
	for _, id := range ids {
		_, err := m.question(ctx, "journal.Withdraw", id, func(d journal.Decision) (journal.Decision, error) {
			return d.Withdrawn(time.Now()), nil
		})
		if err != nil && fault.CodeOf(err) != sdkapi.DecisionNotFound {
			return err
		}
	}
	return nil
}

// Await implements journal.Decisions.
func (m *Memory) Await(ctx context.Context, id string) (journal.Decision, error) {
	for {
		var changed chan struct{}
		d, err := m.question(ctx, "journal.Await", id, func(d journal.Decision) (journal.Decision, error) {
			changed = m.next()
			return d, nil
		})
		if err != nil || d.State != journal.Pending {
			return d, err
		}
		expiry := time.NewTimer(time.Until(d.Expires))
		err = m.wait(ctx, changed, expiry.C)
		expiry.Stop()
		if err != nil {
			return journal.Decision{}, err
		}
	}
}

// Decision implements journal.Decisions.
func (m *Memory) Decision(ctx context.Context, id string) (journal.Decision, error) {
	return m.question(ctx, "journal.Decision", id, func(d journal.Decision) (journal.Decision, error) { return d, nil })
}

// question replaces a question with the result of change, and returns it.
func (m *Memory) question(ctx context.Context, op, id string, change func(d journal.Decision) (journal.Decision, error)) (d journal.Decision, err error) {
	err = m.in(ctx, journal.CheckID(id), func() error {
		was, ok := m.questions[id]
		if !ok {
			return journal.NoDecision(op, id)
		}
		changed, err := change(m.current(id))
		if err != nil {
			return err
		}
		if m.questions[id] = changed; was.State != changed.State {
			m.wake()
		}
		d = m.current(id)
		return nil
	})
	return d, err
}

// current returns a copy of a question in its current state. The caller holds mu.
func (k *kept) current(id string) journal.Decision {
	d := k.questions[id].At(time.Now())
	d.Request, d.Answer.Value = copied(d.Request), copied(d.Answer.Value)
	return d
}

// Pending implements journal.Decisions.
func (m *Memory) Pending(ctx context.Context, stream string) ([]journal.Decision, error) {
	return m.list(ctx, journal.CheckStream(stream), journal.MaxEvents, byAge, func(d journal.Decision) bool {
		return d.State == journal.Pending && d.Stream == stream
	})
}

// PendingOf implements journal.Decisions.
func (m *Memory) PendingOf(ctx context.Context, user, kind string) ([]journal.Decision, error) {
	return m.list(ctx, journal.CheckPendingOf(user, kind), journal.MaxEvents, byAge, func(d journal.Decision) bool {
		return d.State == journal.Pending && d.Kind == kind && (user == "" || d.User == user)
	})
}

// List implements journal.Decisions.
func (m *Memory) List(ctx context.Context, l journal.Listing) ([]journal.Decision, error) {
	order := byAge
	if l.Newest {
		order = func(a, b journal.Decision) int { return byAge(b, a) }
	}
	return m.list(ctx, journal.CheckListing(l), l.Limit, order, func(d journal.Decision) bool {
		return d.User == l.User && d.Kind == l.Kind && strings.HasPrefix(d.Stream, l.Stream) &&
			(l.State == "" || d.State == l.State) && (l.State != journal.Decided || d.Answer.Denied == l.Denied) &&
			(l.After == nil || order(*l.After, d) < 0)
	})
}

// byAge compares two questions for sorting, oldest first.
func byAge(a, b journal.Decision) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

// list returns at most limit questions that the function wanted accepts, sorted by order. If
// invalid is an error, list returns that error.
func (m *Memory) list(ctx context.Context, invalid error, limit int, order func(a, b journal.Decision) int, wanted func(journal.Decision) bool) (list []journal.Decision, err error) {
	err = m.in(ctx, invalid, func() error {
		for id := range m.questions {
			if d := m.current(id); wanted(d) {
				list = append(list, d)
			}
		}
		slices.SortFunc(list, order)
		list = list[:min(len(list), limit)]
		return nil
	})
	return list, err
}

// Forget implements journal.Decisions.
func (m *Memory) Forget(ctx context.Context, before time.Time, dry bool) (removed int64, err error) {
	err = m.in(ctx, nil, func() error {
		maps.DeleteFunc(m.questions, func(id string, _ journal.Decision) bool {
			d := m.current(id)
			old := d.State != journal.Pending && d.Ended.Before(before)
			if old {
				removed++
			}
			return old && !dry
		})
		return nil
	})
	return removed, err
}

// ForgetUser implements journal.Decisions.
func (m *Memory) ForgetUser(ctx context.Context, user string) (removed int64, err error) {
	err = m.in(ctx, journal.CheckUser(user), func() error {
		had := len(m.questions)
		maps.DeleteFunc(m.questions, func(_ string, d journal.Decision) bool { return d.User == user })
		removed = int64(had - len(m.questions))
		m.wake()
		return nil
	})
	return removed, err
}

// copied returns a copy of raw, or null if raw is empty.
func copied(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return bytes.Clone(raw)
}

// now returns the time in UTC, truncated to microseconds, as journals store it.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
