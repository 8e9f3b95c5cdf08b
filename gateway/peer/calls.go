package peer

import (
	"context"
	"net"
	"sync"
	"time"
)

// lookEvery is how often a server looks at the calls of tools that run, and so
// how late one is ended at most.
const lookEvery = 5 * time.Millisecond

// Calls ends calls of tools whose time is up, or whose client has left. It looks at
// all of them every lookEvery, and only while there are any: a timer and a watch
// for each would take longer than work of microseconds. Its zero value is ready.
type Calls struct {
	mu    sync.Mutex
	first *Call       // of those that are open, the last one that began
	tick  *time.Timer // nil while nobody looks
}

// Call is a call that runs, and its context, which ends with it. It makes
// no channel before somebody wants to wait for that, which small tools do not.
type Call struct {
	context.Context // of the request
	conn            net.Conn
	deadline        time.Time
	unwatch         func() // nil before the client is watched; for calls alone
	before, after   *Call  // in the list of open calls; likewise

	mu   sync.Mutex
	err  error         // set when it has ended by itself
	done chan struct{} // nil before somebody asks
	free func() bool   // lets go of the request's context; nil before somebody asks
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

// cancel ends the call. Why it ends is what ended it first.
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

// Begin returns a call that ends at its deadline, or soon after the client at the
// other end of conn has left. End must be called for it, once.
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

// End ends a call.
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

// remove takes c out of the list. l.mu is held.
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

// look ends what is late, and has the clients of what still runs watched: work
// that is over at once has none to watch.
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
