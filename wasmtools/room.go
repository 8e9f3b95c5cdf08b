package wasmtools

import (
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// room is the memory of all guests, and what is idle of it.
type room struct {
	pool *fair.Pool // nil for no bound

	mu     sync.Mutex
	guests map[*guest]struct{} // with idle instances
	timer  *time.Timer         // nil while no instance is idle
	dead   []func()            // close what nobody uses any more
	buries bool                // a goroutine calls them
}

const (
	idleTime  = 30 * time.Second // that an idle instance is kept
	sweepTime = time.Second      // between two looks at those

	// nestedWait is how long a call within a call waits for memory: it may wait for what the
	// calls around it hold.
	nestedWait = time.Second
)

// take returns the share of a new instance with bytes of memory; nil if there is no bound.
func (r *room) take(ctx context.Context, plugin string, bytes int64) (*fair.Share, error) {
	if r.pool == nil {
		return nil, nil
	}
	bytes = max(bytes, pageBytes)
	if stats := r.pool.Stats(); stats.Taken+bytes > stats.Capacity || stats.Waiting > 0 {
		r.sweep(0)
	}
	if nested(ctx) > 0 {
		short, cancel := context.WithTimeout(ctx, nestedWait)
		defer cancel()
		ctx = short
	}
	share, err := r.pool.Take(ctx, plugin, bytes, fair.Short)
	if err == nil || isOver(err) && nested(ctx) == 0 {
		return share, err
	}
	stats := r.pool.Stats()
	return nil, fault.New("wasmtools.instantiate", sdkapi.Overloaded,
		"the plugin %q needs %d bytes of memory to begin, and %d of the %d bytes for plugins are in use; try again", plugin, bytes, stats.Taken, stats.Capacity).Because(err)
}

// grow takes bytes more for a running guest, and reports whether there are any.
func (r *room) grow(share *fair.Share, bytes int64) bool {
	if share == nil || share.Grow(bytes) {
		return true
	}
	r.sweep(0)
	return share.Grow(bytes)
}

// maxDead is how many instances wait to be closed; more are closed by whoever comes with them.
const maxDead = 64

// bury has an instance closed without its caller: giving much memory back takes milliseconds.
func (r *room) bury(closing func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.dead) >= maxDead {
		closing()
		return
	}
	r.dead = append(r.dead, closing)
	if r.buries {
		return
	}
	r.buries = true
	go func() {
		for next := r.nextDead(); next != nil; next = r.nextDead() {
			next()
		}
	}()
}

// nextDead returns what closes the next instance, nil if there is none: then nobody closes any.
func (r *room) nextDead() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.dead) == 0 {
		r.buries = false
		return nil
	}
	next := r.dead[0]
	r.dead = r.dead[1:]
	return next
}

// idles notes that g has an idle instance.
func (r *room) idles(g *guest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.guests[g] = struct{}{}
	if r.timer == nil {
		r.timer = time.AfterFunc(sweepTime, r.look)
	}
}

// forget drops g, which is being closed.
func (r *room) forget(g *guest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.guests, g)
}

// look closes what is idle for too long, or all of it while somebody waits for memory.
func (r *room) look() {
	most := idleTime
	if r.pool != nil && r.pool.Stats().Waiting > 0 {
		most = 0
	}
	r.sweep(most)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.guests) == 0 {
		r.timer = nil
		return
	}
	r.timer.Reset(sweepTime)
}

// sweep closes instances that are idle for longer than most.
func (r *room) sweep(most time.Duration) {
	r.mu.Lock()
	var old []*instance
	for g := range r.guests {
		list, left := g.idle.older(most)
		old = append(old, list...)
		if !left {
			delete(r.guests, g)
		}
	}
	r.mu.Unlock()
	for _, i := range old {
		i.close()
	}
}

// idle are the idle instances of a guest. The one that was used last is used next.
type idle struct {
	mu     sync.Mutex
	list   []*instance // the longest idle first
	swept  bool        // the room knows of them
	closed bool
}

// get returns an instance, nil if none is idle.
func (s *idle) get() *instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == 0 {
		return nil
	}
	i := s.list[len(s.list)-1]
	s.list = s.list[:len(s.list)-1]
	return i
}

// put keeps an instance, if fewer than most are kept, and reports whether it did, and whether the
// room does not know of s yet.
func (s *idle) put(i *instance, most int) (kept, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.list) >= most {
		return false, false
	}
	s.list = append(s.list, i)
	first = !s.swept
	s.swept = true
	return true, first
}

// older takes out what is idle for longer than most, and reports whether anything is left.
func (s *idle) older(most time.Duration) (old []*instance, left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(s.list) && time.Since(s.list[n].idleSince) >= most {
		n++
	}
	old = append(old, s.list[:n]...)
	s.list = append(s.list[:0], s.list[n:]...)
	s.swept = len(s.list) > 0
	return old, s.swept
}

// close returns what was idle, and keeps nothing any more.
func (s *idle) close() []*instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	list := s.list
	s.list = nil
	return list
}
