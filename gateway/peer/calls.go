package peer

import (
	"context"
	"net"
	"sync"
	"time"
)

// lookEvery is the interval at which Calls checks the running calls. A call ends at most this long
// after its deadline.
const lookEvery = 5 * time.Millisecond

// Calls cancels tool calls whose deadline has passed or whose client has disconnected. It checks all
// running calls at a fixed interval. A separate timer and watch for each call would be too
// expensive, because a call may take only a few microseconds. The zero value is ready to use.
type Calls struct {
	mu    sync.Mutex
	first *Call       // head of the list of running calls, newest first
	tick  *time.Timer // nil while no call runs
}

// Call is the context of a running call. It creates its Done channel only when a tool calls Done.
// Small tools never call Done.
type Call struct {
	context.Context // the request's context
	conn            net.Conn
	deadline        time.Time
	unwatch         func() // nil until the client is watched; guarded by Calls.mu
	before, after   *Call  // neighbors in the list; guarded by Calls.mu

	mu   sync.Mutex
	err  error         // set when the call itself has ended
	done chan struct{} // nil before the first Done
	free func() bool   // detaches from the request's context; nil before the first Done
}

// Deadline implements context.Context.
func (c *Call) Deadline() (time.Time, bool) {
	if d, ok := c.Context.Deadline(); ok && d.Before(c.deadline) {
		return d, true
	}
	return c.deadline, true
}

// Err implements context.Context.
func (c *Call) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	return c.Context.Err()
}

// Done implements context.Context.
func (c *Call) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		} else {
			c.free = context.AfterFunc(c.Context, func() { c.cancel(c.Context.Err()) })
		}
	}
	return c.done
}

// cancel ends the call with err. Only the first call counts.
func (c *Call) cancel(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	if c.done != nil {
		close(c.done)
		c.free()
	}
}

// Begin returns the context of a call. The context ends at the deadline, when ctx ends, or soon
// after the client of conn disconnects. The caller must call End once.
func (l *Calls) Begin(ctx context.Context, conn net.Conn, deadline time.Time) *Call {
	c := &Call{Context: ctx, conn: conn, deadline: deadline}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.after = l.first; c.after != nil {
		c.after.before = c
	}
	l.first = c
	if l.tick == nil {
		l.tick = time.AfterFunc(lookEvery, l.look)
	}
	return c
}

// End ends a call and stops watching its client.
func (l *Calls) End(c *Call) {
	l.mu.Lock()
	l.remove(c)
	unwatch := c.unwatch
	l.mu.Unlock()
	if unwatch != nil {
		unwatch()
	}
	c.cancel(context.Canceled)
}

// remove removes c from the list. The caller holds l.mu.
func (l *Calls) remove(c *Call) {
	if c.before != nil {
		c.before.after = c.after
	} else {
		l.first = c.after
	}
	if c.after != nil {
		c.after.before = c.before
	}
	c.before, c.after = nil, nil
}

// look cancels calls whose deadline has passed. It starts to watch the clients of the other calls;
// a call that ends within lookEvery needs no watch.
func (l *Calls) look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == nil {
		l.tick = nil
		return
	}
	now := time.Now()
	for c := l.first; c != nil; c = c.after {
		switch {
		case !now.Before(c.deadline):
			c.cancel(context.DeadlineExceeded)
		case c.unwatch == nil:
			c.unwatch = Watch(c.conn, func() { c.cancel(context.Canceled) })
		}
	}
	l.tick.Reset(lookEvery)
}
