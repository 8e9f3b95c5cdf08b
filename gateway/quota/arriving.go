package quota

import (
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// How long a body waits if there is no room for it.
const (
	// For bodies of other senders to complete, before the largest of them is cut.
	arrivingWait = 100 * time.Millisecond
	ownWait      = 5 * time.Second // for room that its own sender, or an already cut body, occupies
)

// Arriving limits the total size of all request bodies and messages that the gateway is receiving.
// If there is no room for more bytes, the gateway interrupts the largest body of the sender with
// the most bytes. So a sender of large bodies cannot block senders of small bodies. A nil *Arriving
// has no limit.
type Arriving struct {
	most int64 // in bytes

	mu    sync.Mutex
	freed chan struct{} // closed when bytes are released; nil if nobody waits
	bytes int64
	going int64              // the part of bytes that belongs to cut bodies, which have not ended yet
	by    map[string]*sender // by address; only those that are sending
}

// sender counts the bytes of an address, or of one user at an address.
type sender struct {
	bytes int64
	users map[string]*sender // set for an address: its users by id
	sends map[*Arrival]bool  // set for a user: the bodies of that user
}

// NewArriving returns an Arriving with a limit in bytes. If limit is not positive, it returns nil,
// which has no limit.
func NewArriving(limit int64) *Arriving {
	if limit <= 0 {
		return nil
	}
	return &Arriving{most: limit, by: map[string]*sender{}}
}

// Bytes returns the number of bytes that are currently being received.
func (a *Arriving) Bytes() int64 {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bytes
}

// Arrival is one body or message that the gateway is receiving. A nil *Arrival counts nothing.
type Arrival struct {
	of            *Arriving
	from          func() (address, user string)
	address, user string      // set at the first Arrived
	cut           func(error) // stops the reading of this body; must not block
	bytes         int64       // guarded by of.mu
	lost          bool        // guarded by of.mu; the body was cut, and its room is free once it ends
}

// Begin starts to count a body. identify returns the address and the user of the sender. It is
// called at the first byte, because the user is not known earlier. interrupt stops the body. It is
// called when the sender must make room for other senders, and must not block.
func (a *Arriving) Begin(identify func() (address, user string), interrupt func(cause error)) *Arrival {
	if a == nil {
		return nil
	}
	return &Arrival{of: a, from: identify, cut: interrupt}
}

// Arrived reserves room for the first n bytes of the body. It waits at most 5 seconds for room. It
// fails with OVERLOADED if there is no room, or if the body was interrupted to make room for other
// senders.
func (x *Arrival) Arrived(n int64) error {
	if x == nil {
		return nil
	}
	a := x.of
	if x.from != nil {
		x.address, x.user = x.from()
		x.from = nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	began := time.Now()
	for need := n - x.bytes; !x.lost && need > a.most-a.bytes; {
		victim := a.largest()
		own := victim == nil || victim.address == x.address && victim.user == x.user
		enough := need <= a.most-a.bytes+a.going // there is room once the cut bodies have ended
		small := n <= smallBody && !own
		if enough && small {
			break // a small body does not wait for that
		}
		switch waited := time.Since(began); {
		case waited >= ownWait && (own || enough):
			return x.refusal()
		case own || enough:
			a.await(ownWait - waited)
		case !small && waited < arrivingWait:
			a.await(arrivingWait - waited)
		default:
			a.lose(victim)
			victim.cut(victim.refusal())
		}
	}
	if x.lost {
		return x.refusal()
	}
	a.add(x, n-x.bytes)
	return nil
}

// await waits until bytes are released, at most d. The caller holds a.mu, which await unlocks while
// it waits.
func (a *Arriving) await(d time.Duration) {
	if a.freed == nil {
		a.freed = make(chan struct{})
	}
	freed := a.freed
	a.mu.Unlock()
	defer a.mu.Lock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-freed:
	case <-timer.C:
	}
}

// Lost returns OVERLOADED if the body was interrupted to make room for other senders.
func (x *Arrival) Lost() error {
	if x == nil {
		return nil
	}
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	if x.lost {
		return x.refusal()
	}
	return nil
}

// refusal returns the error OVERLOADED for a body that has no room, or was cut.
func (x *Arrival) refusal() error {
	return fault.New("gateway.arriving", sdkapi.Overloaded, "the gateway is receiving too much data at once, and you send the largest share; send less at a time, or try again in a few seconds")
}

// End releases the room that the body occupies. Further calls have no effect.
func (x *Arrival) End() {
	if x == nil {
		return
	}
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	if x.lost {
		x.of.going -= x.bytes
		x.of.give(x.bytes)
		x.bytes = 0
	} else if x.bytes > 0 {
		x.of.add(x, -x.bytes)
	}
}

// lose marks x as cut: its bytes no longer count for its sender, and are free once x ends. The
// caller holds a.mu.
func (a *Arriving) lose(x *Arrival) {
	n := x.bytes
	a.add(x, -n)
	x.bytes, x.lost = n, true
	a.bytes += n
	a.going += n
}

// add counts n more bytes for x; n may be negative. The caller holds a.mu.
func (a *Arriving) add(x *Arrival, n int64) {
	address := a.by[x.address]
	if address == nil {
		address = &sender{users: map[string]*sender{}}
		a.by[x.address] = address
	}
	user := address.users[x.user]
	if user == nil {
		user = &sender{sends: map[*Arrival]bool{}}
		address.users[x.user] = user
	}
	x.bytes += n
	address.bytes += n
	user.bytes += n
	user.sends[x] = true
	if x.bytes == 0 {
		delete(user.sends, x)
	}
	if len(user.sends) == 0 {
		delete(address.users, x.user)
	}
	if len(address.users) == 0 {
		delete(a.by, x.address)
	}
	a.give(-n)
}

// give releases n bytes and wakes waiting bodies; a negative n reserves bytes. The caller holds
// a.mu.
func (a *Arriving) give(n int64) {
	a.bytes -= n
	if n > 0 && a.freed != nil {
		close(a.freed)
		a.freed = nil
	}
}

// largest returns the largest body of the largest user at the address with the most bytes, or nil
// if nothing is being received. The caller holds a.mu.
func (a *Arriving) largest() (x *Arrival) {
	address := most(a.by)
	if address == nil {
		return nil
	}
	for each := range most(address.users).sends {
		if x == nil || each.bytes > x.bytes {
			x = each
		}
	}
	return x
}

// most returns the sender with the most bytes, or nil if there is none. Of equals it returns any.
func most(of map[string]*sender) (s *sender) {
	for _, each := range of {
		if s == nil || each.bytes > s.bytes {
			s = each
		}
	}
	return s
}
