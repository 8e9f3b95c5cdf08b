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

// Counted is a journal that counts its calls. Make one with Count.
type Counted struct {
	Journal

	events, appends, failed, lost atomic.Uint64
	followers                     atomic.Int64
	took                          meter.Durations

	mu    sync.Mutex
	asked questions
}

var _ Journal = (*Counted)(nil)

// Count returns a Counted that wraps j. If the caller closes the Counted, j is closed too.
func Count(j Journal) *Counted {
	return &Counted{Journal: j, asked: questions{open: map[string]time.Time{}}}
}

// Stats counts the calls of one gateway's journal since it was opened.
type Stats struct {
	Events  uint64 // number of appended events
	Appends uint64 // number of successful calls that append events; each call is one batch
	// number of failed calls that append events, and of calls of Lease that failed because of the
	// store
	Failed    uint64
	Durations meter.Histogram // durations of all calls that append events, including failed calls
	Followers int64           // number of followers that are active now
	Lost      uint64          // number of followers that ended with FOLLOWER_LAGS

	Opened  uint64 // number of questions that this journal opened
	Decided uint64 // number of questions that this journal opened, and that any gateway decided
	Expired uint64 // number of questions that this journal opened, and that expired or were withdrawn
	Pending int    // number of questions that this journal opened, and that can still be decided
}

// Stats returns the counts so far.
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

// appended counts a finished call. A successful call without events only asks for a number and is
// not counted.
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

// Lease implements Leases. A fault of the store counts as a failed append, because without a lease
// the caller cannot append.
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

// ended counts the end of a question, if d and err say that it has ended.
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

// maxAsked limits the questions in memory. Further questions count as opened, but not as pending,
// decided or expired.
const maxAsked = 100_000

// questions are the questions opened here whose end is not known. Each is counted once, however
// often it is opened or answered.
type questions struct {
	open                     map[string]time.Time // expiry by id
	opened, decided, expired uint64
}

// ask counts an opened question, unless it is in open already. The caller holds Counted.mu.
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

// end counts the end of a question that is in open, and removes it. It ignores the state Pending.
// The caller holds Counted.mu.
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

// sweepAfter is the time between the expiry of a question and its removal by sweep. Await usually
// reports the expiry before that.
const sweepAfter = 5 * time.Second

// sweep counts questions as expired if they expired and no call reported that.
func (q *questions) sweep(now time.Time) {
	for id, expires := range q.open {
		if now.After(expires.Add(sweepAfter)) {
			q.end(id, Expired)
		}
	}
}
