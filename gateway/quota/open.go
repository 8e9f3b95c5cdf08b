package quota

import (
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// holds counts what each key has open. A nil one lets everything be opened.
type holds struct {
	most int

	mu   sync.Mutex
	open map[string]int // only keys that have something open
}

// newHolds returns counts of at most most for each key; nil, no limit, if most is not above 0.
func newHolds(most int) *holds {
	if most <= 0 {
		return nil
	}
	return &holds{most: most, open: map[string]int{}}
}

// take counts one more for key, and reports whether it may be opened.
func (h *holds) take(key string) bool {
	if h == nil {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[key] >= h.most {
		return false
	}
	h.open[key]++
	return true
}

// give counts one less for key.
func (h *holds) give(key string) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[key]--; h.open[key] <= 0 {
		delete(h.open, key)
	}
}

// openRetry is after how long a caller who has too much open may ask again: nobody
// knows when something of the caller's ends.
const openRetry = 5 * time.Second

// opened names sockets, streams and bodies that arrive in refusals and counts.
const opened = "sockets, streams and unfinished uploads"

// Hold counts a socket or a stream for the request's user and address. A request holds
// at most one: more calls change nothing. A handler that begins work which a stream is to show
// calls Hold first, since a refusal later would leave the work without its reader. Hold fails
// with CANCELED once the request is over.
func (q *Quota) Hold() error {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.held:
		return nil
	case q.over: // nobody would give it back
		return fault.New("gateway.limit", sdkapi.Canceled, "the request has already ended")
	}
	if err := q.takeOpen(q.User); err != nil {
		return err
	}
	q.held = true
	return nil
}

// Send counts a body that is still being sent, as Hold counts a socket, until sent is called.
func (q *Quota) Send() (sent func(), err error) {
	if q == nil {
		return func() {}, nil
	}
	user := q.User // a visit may become known as a user's meanwhile
	return func() { q.giveOpen(user) }, q.takeOpen(user)
}

// takeOpen counts one more of what is open for the address, and for a user if that is known.
func (q *Quota) takeOpen(user string) error {
	if user != "" && !q.Limits.userOpen.take(user) {
		return q.tooMany(q.Limits.userOpen.most, "user")
	}
	if !q.Limits.addressOpen.take(q.address) {
		if user != "" {
			q.Limits.userOpen.give(user)
		}
		return q.tooMany(q.Limits.addressOpen.most, "address")
	}
	return nil
}

// giveOpen counts one less.
func (q *Quota) giveOpen(user string) {
	if user != "" {
		q.Limits.userOpen.give(user)
	}
	q.Limits.addressOpen.give(q.address)
}

func (q *Quota) tooMany(most int, whose string) error {
	q.Limits.refuse(opened)
	return fault.New("gateway.limit", sdkapi.RateLimited, "at most %d %s may be open at once for each %s; close one of them first", most, opened, whose).After(openRetry)
}

// Keep has what the request holds outlive the request, until release is called.
// More calls of release change nothing.
func (q *Quota) Keep() (release func()) {
	if q == nil {
		return func() {}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.kept = true
	return sync.OnceFunc(q.release)
}

// End gives up what the request holds and nobody keeps.
func (q *Quota) End() {
	if q == nil {
		return
	}
	q.mu.Lock()
	kept := q.kept
	q.mu.Unlock()
	if !kept {
		q.release()
	}
}

func (q *Quota) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	if !q.held {
		return
	}
	q.held = false
	q.giveOpen(q.User)
}

// Connect counts one more connection of an address, and reports whether there may be one.
// Each call that returns true is followed by one of Disconnect.
func (l *Limiter) Connect(address string) bool {
	if l == nil || l.connections.take(address) {
		return true
	}
	l.refuse("connections")
	return false
}

// Disconnect counts one less.
func (l *Limiter) Disconnect(address string) {
	if l != nil {
		l.connections.give(address)
	}
}
