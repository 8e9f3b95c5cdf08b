package quota

import (
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// holds counts the open items of each key. A nil *holds has no limit.
type holds struct {
	most int

	mu   sync.Mutex
	open map[string]int // only keys with open items
}

// newHolds returns a limit of most open items per key, or nil (no limit) if most is not positive.
func newHolds(most int) *holds {
	if most <= 0 {
		return nil
	}
	return &holds{most: most, open: map[string]int{}}
}

// take counts one more item of key. It returns false, and counts nothing, if key has reached the
// limit.
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

// give counts one item of key less.
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

// openRetry is the Retry-After of a caller with too many open items. The gateway cannot know when
// one of them will close.
const openRetry = 5 * time.Second

// opened names sockets, streams and arriving bodies in error messages and in counts of refusals.
const opened = "sockets, streams and unfinished uploads"

// Hold counts a socket or a stream for the request's user and address. Further calls for the same
// request change nothing. If the result of some work is sent in a stream, call Hold before the
// work: if Hold fails, nobody can read the result. Hold fails with RATE_LIMITED at the limit, and
// with CANCELED once the request has ended.
func (q *Quota) Hold() error {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.held:
		return nil
	case q.over: // nothing would release it
		return fault.New("gateway.limit", sdkapi.Canceled, "the request has already ended")
	}
	if err := q.takeOpen(q.User); err != nil {
		return err
	}
	q.held = true
	return nil
}

// Send counts one more request body that arrives for the user and the address of q. It fails with
// RATE_LIMITED if too many bodies arrive at once; release is then nil, as nothing was counted. The
// caller must call release when the body has arrived.
func (q *Quota) Send() (release func(), err error) {
	if q == nil {
		return func() {}, nil
	}
	user := q.User // a visit's user may become known later; sent must use the same one
	if err := q.takeOpen(user); err != nil {
		return nil, err
	}
	return func() { q.giveOpen(user) }, nil
}

// takeOpen counts one more open item for the address, and for the user if user is not empty.
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

// giveOpen undoes takeOpen.
func (q *Quota) giveOpen(user string) {
	if user != "" {
		q.Limits.userOpen.give(user)
	}
	q.Limits.addressOpen.give(q.address)
}

// tooMany counts a refusal, and returns the error RATE_LIMITED. whose is "user" or "address".
func (q *Quota) tooMany(most int, whose string) error {
	q.Limits.refuse(opened)
	return fault.New("gateway.limit", sdkapi.RateLimited, "at most %d %s may be open at once for each %s; close one of them first", most, opened, whose).After(openRetry)
}

// Keep makes the count of a socket or stream outlive the request. The count ends when release is
// called. Further calls of release have no effect.
func (q *Quota) Keep() (release func()) {
	if q == nil {
		return func() {}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.kept = true
	return sync.OnceFunc(q.release)
}

// End subtracts the socket or stream that Hold has counted, unless Keep was called.
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

// release gives back the socket or stream that Hold has counted. After that, Hold fails.
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

// Connect counts one more connection of an address. It returns false, and counts nothing, if the
// address has reached its limit. Each call that returns true needs one call of Disconnect.
func (l *Limiter) Connect(address string) bool {
	if l == nil || l.connections.take(address) {
		return true
	}
	l.refuse("connections")
	return false
}

// Disconnect subtracts one connection of an address from the count.
func (l *Limiter) Disconnect(address string) {
	if l != nil {
		l.connections.give(address)
	}
}
