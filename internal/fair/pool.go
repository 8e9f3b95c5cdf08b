package fair

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Length is the expected duration of work: Short or Long.
type Length int

// The lengths of work.
const (
	Short Length = iota
	Long
	lengths int = iota
)

// DefaultWaiting is the default number of requests of one user that may wait for a pool.
const DefaultWaiting = 64

// Options configure a pool. Capacity must be above 0. In the other fields, 0 means the default.
type Options struct {
	Name     string // name of the resource in error messages, for example "cores for reading screens"
	Capacity int64  // number of units in the pool
	// Long is the maximum number of units that all long work together can hold. The default is
	// three quarters of Capacity, rounded up.
	Long int64
	// PerUser is the maximum number of units that one user can hold for work of one length. A
	// single piece of work may take more if the user holds no other units for work of the same
	// length. The default is Capacity.
	PerUser int64
	Waiting int           // maximum number of waiting requests of one user; default 64
	Wait    time.Duration // maximum time that a request waits for units; default 30 s
}

// Pool shares a number of units, its capacity, among the work of many users. Create a Pool with
// New. The methods of a Pool are safe for concurrent use.
type Pool struct {
	opts Options

	mu    sync.Mutex
	taken int64
	kinds [lengths]kind
}

// kind is the state of the work of one length.
type kind struct {
	taken   int64            // in units
	holds   map[string]int64 // units by user; only users with units
	queues  []*queue         // of users who wait, in the order of their turns
	waiting int              // pieces of work in all queues
}

// queue is the waiting work of one user and one length. It is never empty.
type queue struct {
	user string
	list []*request
}

// request is a waiting piece of work.
type request struct {
	units int64
	ready chan struct{} // closed when the request has its units
}

// Share holds the units that one piece of work has taken from a Pool. The methods of a Share are
// safe for concurrent use.
type Share struct {
	pool   *Pool
	user   string
	length Length
	units  int64 // guarded by pool.mu
}

// New returns a pool with all units free.
func New(o Options) *Pool {
	o.Long = min(cmp.Or(o.Long, (3*o.Capacity+3)/4), o.Capacity)
	o.PerUser = cmp.Or(o.PerUser, o.Capacity)
	o.Waiting = cmp.Or(o.Waiting, DefaultWaiting)
	o.Wait = cmp.Or(o.Wait, 30*time.Second)
	p := &Pool{opts: o}
	for i := range p.kinds {
		p.kinds[i].holds = map[string]int64{}
	}
	return p
}

// Most returns the maximum number of units that one call of Take can take.
func (p *Pool) Most() int64 { return p.opts.Long }

// Take takes units from the pool for a request of a user, and waits until they are free. The caller
// returns the units with Share.Give. length is the expected duration of the work. Work that needs
// more units than Options.Capacity minus Options.Long always counts as long.
//
// Take fails with PAYLOAD_TOO_LARGE if units exceeds Most. Take fails with OVERLOADED if too many
// requests of the user already wait, or if the wait exceeds Options.Wait. If ctx ends first, Take
// fails with ctx's error.
func (p *Pool) Take(ctx context.Context, user string, units int64, length Length) (*Share, error) {
	if units > p.Most() {
		return nil, fault.New("fair.Take", sdkapi.PayloadTooLarge, "the request needs %d %s, but the limit for one request is %d; send a smaller request", units, p.opts.Name, p.Most())
	}
	if units > p.opts.Capacity-p.opts.Long {
		length = Long
	}
	share := &Share{pool: p, user: user, length: length, units: units}
	p.mu.Lock()
	k := &p.kinds[length]
	if len(k.queues) == 0 && p.fits(k, user, units, length) {
		p.grant(k, user, units)
		p.mu.Unlock()
		return share, nil
	}
	r, err := p.enqueue(k, user, units)
	if err == nil {
		// The new request may be served at once if the users of the earlier queues have reached their limits.
		p.serve()
	}
	p.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := p.await(ctx, k, user, r); err != nil {
		return nil, err
	}
	return share, nil
}

// enqueue adds work to the end of its user's queue. The caller holds p.mu.
func (p *Pool) enqueue(k *kind, user string, units int64) (*request, error) {
	r := &request{units: units, ready: make(chan struct{})}
	for _, q := range k.queues {
		if q.user != user {
			continue
		}
		if len(q.list) >= p.opts.Waiting {
			return nil, p.overloaded("you already have %d requests waiting for %s", len(q.list), p.opts.Name)
		}
		q.list = append(q.list, r)
		k.waiting++
		return r, nil
	}
	k.queues = append(k.queues, &queue{user: user, list: []*request{r}})
	k.waiting++
	return r, nil
}

// overloaded returns an OVERLOADED error with the advice to try again.
func (p *Pool) overloaded(format string, args ...any) error {
	return fault.New("fair.Take", sdkapi.Overloaded, format+"; try again in a few seconds", args...)
}

// Overloaded returns an OVERLOADED error for a caller that found too few free units and does not
// wait for more.
func (p *Pool) Overloaded() error { return p.overloaded("no %s are free", p.opts.Name) }

// await waits until r has its units.
func (p *Pool) await(ctx context.Context, k *kind, user string, r *request) error {
	timer := time.NewTimer(p.opts.Wait)
	defer timer.Stop()
	var err error
	select {
	case <-r.ready:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = p.overloaded("no %s were free within %s", p.opts.Name, p.opts.Wait)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-r.ready: // the request got its units meanwhile
		p.takeBack(k, user, r.units)
	default:
		k.remove(user, r)
	}
	p.serve() // the next request may fit
	return err
}

// remove removes r from its queue.
func (k *kind) remove(user string, r *request) {
	for i, q := range k.queues {
		if q.user != user {
			continue
		}
		for n, other := range q.list {
			if other == r {
				q.list = append(q.list[:n], q.list[n+1:]...)
				k.waiting--
				break
			}
		}
		if len(q.list) == 0 {
			k.queues = append(k.queues[:i], k.queues[i+1:]...)
		}
		return
	}
}

// serve gives units to the queues in turn, until the next request does not fit. Smaller requests do not
// overtake the next request, because it could then wait forever. Other users overtake it only while its
// user has reached Options.PerUser. The caller holds p.mu.
func (p *Pool) serve() {
	for _, length := range []Length{Long, Short} { // long work first: when none waits, short work may take more
		k := &p.kinds[length]
		for i := 0; i < len(k.queues); {
			q := k.queues[i]
			r := q.list[0]
			if !p.userMay(k, q.user, r.units) {
				i++
				continue
			}
			if !p.fits(k, q.user, r.units, length) {
				break
			}
			p.grant(k, q.user, r.units)
			close(r.ready)
			q.list = q.list[1:]
			k.waiting--
			k.queues = append(k.queues[:i], k.queues[i+1:]...)
			if len(q.list) > 0 {
				k.queues = append(k.queues, q)
			}
			i = 0
		}
	}
}

// fits reports whether units may be taken now. The caller holds p.mu.
func (p *Pool) fits(k *kind, user string, units int64, length Length) bool {
	switch {
	case p.taken+units > p.opts.Capacity, !p.userMay(k, user, units):
		return false
	case length == Long:
		return k.taken+units <= p.opts.Long
	case p.kinds[Long].waiting > 0:
		return k.taken+units <= p.opts.Capacity-p.opts.Long
	}
	return true
}

// userMay reports whether Options.PerUser allows the user more units. If the user holds no units, it always
// does.
func (p *Pool) userMay(k *kind, user string, units int64) bool {
	held := k.holds[user]
	return held == 0 || held+units <= p.opts.PerUser
}

// grant records that a user has taken units. The caller holds p.mu.
func (p *Pool) grant(k *kind, user string, units int64) {
	p.taken += units
	k.taken += units
	if units != 0 { // holds has only users with units
		k.holds[user] += units
	}
}

// takeBack records that units of a user are free again. The caller holds p.mu, and then calls serve.
func (p *Pool) takeBack(k *kind, user string, units int64) {
	p.taken -= units
	k.taken -= units
	if k.holds[user] -= units; k.holds[user] == 0 {
		delete(k.holds, user)
	}
}

// Grow adds units to the share and returns true if the units are free and no work waits for the
// pool. Otherwise it returns false; it never waits. The share of long work cannot grow while short work
// holds units.
func (s *Share) Grow(units int64) bool {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.kinds {
		if p.kinds[i].waiting > 0 {
			return false
		}
	}
	k := &p.kinds[s.length]
	if s.length == Long && p.kinds[Short].taken > 0 {
		return false
	}
	if s.units == 0 || !p.fits(k, s.user, units, s.length) {
		return false
	}
	p.grant(k, s.user, units)
	s.units += units
	return true
}

// Shrink returns units of the share to the pool, but never more units than the share holds.
func (s *Share) Shrink(units int64) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.giveBack(min(units, s.units))
}

// Give returns all units of the share to the pool. After Give, the share cannot grow. A second call
// does nothing, and so does a call on a nil Share.
func (s *Share) Give() {
	if s == nil {
		return
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.giveBack(s.units)
}

// giveBack returns units to the pool. The caller holds the pool's mu.
func (s *Share) giveBack(units int64) {
	if units <= 0 {
		return
	}
	s.units -= units
	s.pool.takeBack(&s.pool.kinds[s.length], s.user, units)
	s.pool.serve()
}

// Stats are the current figures of a pool.
type Stats struct {
	Capacity int64 // number of units in the pool
	Taken    int64 // number of units that are in use
	Waiting  int   // number of requests that wait for units
}

// Stats returns the current figures of the pool.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Capacity: p.opts.Capacity, Taken: p.taken}
	for i := range p.kinds {
		s.Waiting += p.kinds[i].waiting
	}
	return s
}
