package journal

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/meter"
	"github.com/windieos/windie/sdkapi"
)

// Counted is a journal that counts what it is asked. Count makes one.
type Counted struct {
	Journal

	events, appends, failed, lost atomic.Uint64
	followers                     atomic.Int64
	took                          meter.Durations

	mu    sync.Mutex
	asked questions
}

var _ Journal = (*Counted)(nil)

// Count returns j, counting. Its Close closes j.
func Count(j Journal) *Counted {
	return &Counted{Journal: j, asked: questions{open: map[string]time.Time{}}}
}

// Stats are what went through one gateway's journal since it was opened.
type Stats struct {
	Events    uint64          // that were appended
	Appends   uint64          // calls that appended them, each one batch
	Failed    uint64          // calls that did not, for whatever reason, and leases that the store could not give for appending
	Durations meter.Histogram // of all those calls
	Followers int64           // that follow now
	Lost      uint64          // followers that were dropped, as they were too far behind

	Opened  uint64 // questions asked here
	Decided uint64 // questions asked here that were decided, here or elsewhere
	Expired uint64 // those that nobody decided in time, or that were withdrawn
	Pending int    // those that can still be decided
}

// Stats returns what was counted so far.
func (c *Counted) Stats() Stats {
	s := Stats{
		Events: c.events.Load(), Appends: c.appends.Load(), Failed: c.failed.Load(), Durations: c.took.Histogram(),
		Followers: c.followers.Load(), Lost: c.lost.Load(),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked.sweep(time.Now())
	s.Opened, s.Decided, s.Expired, s.Pending = c.asked.opened, c.asked.decided, c.asked.expired, len(c.asked.open)
	return s
}

// Append implements Log.
func (c *Counted) Append(ctx context.Context, stream string, events ...Event) (int64, error) {
	start := time.Now()
	last, err := c.Journal.Append(ctx, stream, events...)
	c.appended(start, len(events), err)
	return last, err
}

// AppendAs implements Log.
func (c *Counted) AppendAs(ctx context.Context, lease Lease, stream string, events ...Event) (int64, error) {
	start := time.Now()
	last, err := c.Journal.AppendAs(ctx, lease, stream, events...)
	c.appended(start, len(events), err)
	return last, err
}

// appended counts a call that has ended. One without events asks for a number.
func (c *Counted) appended(start time.Time, events int, err error) {
	if events == 0 && err == nil {
		return
	}
	c.took.Since(start)
	if err != nil {
		c.failed.Add(1)
		return
	}
	c.appends.Add(1)
	c.events.Add(uint64(events))
}

// Lease implements Leases. Whoever gets none for a fault of the store's does not come to append anything, which counts as
// an append that failed.
func (c *Counted) Lease(ctx context.Context, key, owner string, ttl time.Duration) (Lease, error) {
	l, err := c.Journal.Lease(ctx, key, owner, ttl)
	if code := fault.CodeOf(err); code == sdkapi.StateUnavailable || code == sdkapi.StateDamaged {
		c.failed.Add(1)
	}
	return l, err
}

// Follow implements Log.
func (c *Counted) Follow(ctx context.Context, stream string, after int64) iter.Seq2[Event, error] {
	follow := c.Journal.Follow(ctx, stream, after)
	return func(yield func(Event, error) bool) {
		c.followers.Add(1)
		defer c.followers.Add(-1)
		for event, err := range follow {
			if fault.CodeOf(err) == sdkapi.FollowerLags {
				c.lost.Add(1)
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// Open implements Decisions.
func (c *Counted) Open(ctx context.Context, d Decision) (Decision, error) {
	d, err := c.Journal.Open(ctx, d)
	if err == nil && d.State == Pending {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asked.ask(d)
	}
	return d, err
}

// Decide implements Decisions.
func (c *Counted) Decide(ctx context.Context, id string, by Decider, answer Answer) (Decision, error) {
	d, err := c.Journal.Decide(ctx, id, by, answer)
	c.ended(id, d, err)
	return d, err
}

// Await implements Decisions.
func (c *Counted) Await(ctx context.Context, id string) (Decision, error) {
	d, err := c.Journal.Await(ctx, id)
	c.ended(id, d, err)
	return d, err
}

// Withdraw implements Decisions.
func (c *Counted) Withdraw(ctx context.Context, ids ...string) error {
	err := c.Journal.Withdraw(ctx, ids...)
	for _, id := range ids {
		c.ended(id, Decision{State: Expired}, err)
	}
	return err
}

// Decision implements Decisions.
func (c *Counted) Decision(ctx context.Context, id string) (Decision, error) {
	d, err := c.Journal.Decision(ctx, id)
	c.ended(id, d, err)
	return d, err
}

// ended notes what the journal says of a question.
func (c *Counted) ended(id string, d Decision, err error) {
	var f *fault.Error
	if errors.As(err, &f) && f.Code == sdkapi.DecisionExpired {
		d.State = Expired
	} else if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked.end(id, d.State)
}

// maxAsked bounds the questions that are remembered. More are not counted as
// pending, nor what becomes of them.
const maxAsked = 100_000

// questions are those asked here, until it is known what became of them: each
// counts once, however often it is asked and answered.
type questions struct {
	open                     map[string]time.Time // by id, when they expire
	opened, decided, expired uint64
}

func (q *questions) ask(d Decision) {
	if _, ok := q.open[d.ID]; ok {
		return
	}
	q.opened++
	if len(q.open) >= maxAsked {
		q.sweep(time.Now())
	}
	if len(q.open) < maxAsked {
		q.open[d.ID] = d.Expires
	}
}

func (q *questions) end(id string, how State) {
	if _, ok := q.open[id]; !ok || how == Pending {
		return
	}
	delete(q.open, id)
	if how == Expired {
		q.expired++
	} else {
		q.decided++
	}
}

// sweepAfter is how long after its expiry a question is given up; Await reports it before.
const sweepAfter = 5 * time.Second

// sweep counts as expired the questions that nobody reported.
func (q *questions) sweep(now time.Time) {
	for id, expires := range q.open {
		if now.After(expires.Add(sweepAfter)) {
			q.end(id, Expired)
		}
	}
}
