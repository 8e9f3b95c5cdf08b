package quota

import (
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// How long a body waits where there is no room for it: for others to be there whole before they are cut, and for those
// of its own sender.
const (
	arrivingWait = 100 * time.Millisecond
	ownWait      = 5 * time.Second
)

// Arriving counts the bytes of bodies and messages that are on their way into memory. Where they would be more than
// it allows, the sender who holds the most loses the largest of what it sends: many that send half of something each
// take the room from each other, and not from those who send a little. Nil counts nothing.
type Arriving struct {
	most int64

	mu    sync.Mutex
	freed chan struct{} // closed when bytes are given back; nil: nobody waits for that
	bytes int64
	going int64              // of bytes, those of arrivals that were cut and have not ended yet
	by    map[string]*sender // by address; only those that send
}

// sender is an address, or a user at one.
type sender struct {
	bytes int64
	users map[string]*sender // of an address, by their ids
	sends map[*Arrival]bool  // of a user
}

// NewArriving allows most bytes together; none is no limit.
func NewArriving(most int64) *Arriving {
	if most <= 0 {
		return nil
	}
	return &Arriving{most: most, by: map[string]*sender{}}
}

// Bytes returns how many there are now.
func (a *Arriving) Bytes() int64 {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bytes
}

// Arrival is one body or message that arrives. Nil takes nothing.
type Arrival struct {
	of            *Arriving
	from          func() (address, user string)
	address, user string      // from the first byte on
	cut           func(error) // ends the reading of it; it must be quick
	bytes         int64       // guarded by of.mu
	lost          bool        // likewise: its room is for others once it ends
}

// Begin counts one more, which is from a user at an address, as is known once it arrives. cut is called if it is to end.
func (a *Arriving) Begin(from func() (address, user string), cut func(why error)) *Arrival {
	if a == nil {
		return nil
	}
	return &Arrival{of: a, from: from, cut: cut}
}

// Arrived takes room for n bytes in all. It fails with OVERLOADED if there is none, or if others have got what x had.
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
		enough := need <= a.most-a.bytes+a.going // once those have ended that were cut
		small := n <= smallBody && !own
		if enough && small {
			break // it does not wait for that
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

// await waits until bytes are given back, for at most d. a.mu is held, but not meanwhile.
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

// Lost returns OVERLOADED if others have got what x had.
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

func (x *Arrival) refusal() error {
	return fault.New("gateway.arriving", sdkapi.Overloaded, "the gateway is receiving too much data at once, and you send the largest share; send less at a time, or try again in a few seconds")
}

// End gives all back. It may be called again.
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

// lose has others get what x has, once x ends. a.mu is held.
func (a *Arriving) lose(x *Arrival) {
	n := x.bytes
	a.add(x, -n)
	x.bytes, x.lost = n, true
	a.bytes += n
	a.going += n
}

// add counts n bytes more for x. a.mu is held.
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

// give counts n bytes less. a.mu is held.
func (a *Arriving) give(n int64) {
	a.bytes -= n
	if n > 0 && a.freed != nil {
		close(a.freed)
		a.freed = nil
	}
}

// largest returns the largest of what the user sends who sends the most, of those at the address that does; nil if
// nothing arrives. a.mu is held.
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

func most(of map[string]*sender) (s *sender) {
	for _, each := range of {
		if s == nil || each.bytes > s.bytes {
			s = each
		}
	}
	return s
}
