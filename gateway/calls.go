package gateway

import (
	"context"
	"net"
	"sync"
	"time"
)

// lookEvery is how often a server looks at the calls of tools that run, and so
// how late one is ended at most.
const lookEvery = 5 * time.Millisecond

// calls ends calls of tools whose time is up, or whose client has left. It looks
// at all of them every so often, and only while there are any: beside work of
// microseconds a timer and a watch of its own would be what takes longest. Its
// zero value is ready.
type calls struct {
	mu   sync.Mutex
	open map[*toolCall]struct{}
	tick *time.Timer // nil while nobody looks
}

// toolCall is a call that runs.
type toolCall struct {
	conn     net.Conn
	deadline time.Time
	cancel   context.CancelCauseFunc
	unwatch  func() // nil before the client is watched
}

// until is a context that tells of a deadline, which somebody else sees to.
type until struct {
	context.Context
	deadline time.Time
}

// Deadline returns the deadline, or an earlier one of the context's own.
func (u until) Deadline() (time.Time, bool) {
	if d, ok := u.Context.Deadline(); ok && d.Before(u.deadline) {
		return d, true
	}
	return u.deadline, true
}

// begin has c ended at its deadline, or soon after its client has left, until
// end is called for it, which must be once.
func (l *calls) begin(c *toolCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[*toolCall]struct{}{}
	}
	l.open[c] = struct{}{}
	if l.tick == nil {
		l.tick = time.AfterFunc(lookEvery, l.look)
	}
}

func (l *calls) end(c *toolCall) {
	l.mu.Lock()
	delete(l.open, c)
	unwatch := c.unwatch
	l.mu.Unlock()
	if unwatch != nil {
		unwatch()
	}
	c.cancel(nil)
}

// look ends what is late, and has the clients of what still runs watched: work
// that is over at once has none to watch.
func (l *calls) look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) == 0 {
		l.tick = nil
		return
	}
	now := time.Now()
	for c := range l.open {
		switch {
		case !now.Before(c.deadline):
			c.cancel(context.DeadlineExceeded)
		case c.unwatch == nil:
			c.unwatch = watch(c.conn, func() { c.cancel(context.Canceled) })
		}
	}
	l.tick.Reset(lookEvery)
}
