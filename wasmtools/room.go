package wasmtools

import (
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// room manages the memory of all guests and their idle instances.
type room struct {
	pool *fair.Pool // nil: no limit

	mu     sync.Mutex
	guests map[*guest]struct{} // guests with idle instances
	timer  *time.Timer         // nil while no instance is idle
	dead   []func()            // functions that close dead instances
	buries bool                // a goroutine is calling them
}

const (
	idleTime  = 30 * time.Second // how long an idle instance is kept
	sweepTime = time.Second      // interval between checks of idle instances

	// nestedWait limits how long a call within a call waits for memory: the calls around it may
	// hold that memory.
	nestedWait = time.Second
)

// take waits for memory for a new instance and returns its share, or nil if there is no limit. It fails
// with OVERLOADED if too little memory is free, with TOOL_ERROR if the plugin needs more than the pool ever gives, and
// with ctx's error if ctx ends.
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
	if fault.CodeOf(err) == sdkapi.PayloadTooLarge {
		return nil, fault.New("wasmtools.instantiate", sdkapi.ToolError,
			"the plugin %q needs %d bytes of memory to start, and the limit for one plugin is %d", plugin, bytes, r.pool.Most()).Because(err)
	}
	stats := r.pool.Stats()
	return nil, fault.New("wasmtools.instantiate", sdkapi.Overloaded,
		"the plugin %q needs %d bytes of memory to start, and %d of the %d bytes for plugins are in use; try again later", plugin, bytes, stats.Taken, stats.Capacity).Because(err)
}

// grow adds bytes to the share of a running guest, and reports whether they are available. It does not
// wait: it only closes idle instances.
func (r *room) grow(share *fair.Share, bytes int64) bool {
	if share == nil || share.Grow(bytes) {
		return true
	}
	r.sweep(0)
	return share.Grow(bytes)
}

// maxDead limits the instances that wait to be closed. Above it the caller of bury closes its own
// instance.
const maxDead = 64

// bury closes an instance in the background, because freeing much memory takes milliseconds.
func (r *room) bury(closing func()) {
	if !r.queue(closing) {
		closing()
	}
}

// queue adds an instance to those that a goroutine closes. It returns false if too many wait already.
func (r *room) queue(closing func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.dead) >= maxDead {
		return false
	}
	r.dead = append(r.dead, closing)
	if r.buries {
		return true
	}
	r.buries = true
	go func() {
		for next := r.nextDead(); next != nil; next = r.nextDead() {
			next()
		}
	}()
	return true
}

// nextDead returns the function that closes the next instance, or nil if there is none. With nil
// the closing goroutine ends.
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

// idles records that g has an idle instance.
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

// look closes instances that are idle for longer than idleTime. While a run waits for memory, it closes all
// idle instances. It runs every sweepTime until no instance is idle.
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

// sweep closes instances that are idle for at least limit.
func (r *room) sweep(limit time.Duration) {
	r.mu.Lock()
	var old []*instance
	for g := range r.guests {
		list, left := g.idle.older(limit)
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

// idle holds the idle instances of a guest. The most recently used one is reused first.
type idle struct {
	mu     sync.Mutex
	list   []*instance // longest idle first
	swept  bool        // the room knows that s has instances
	closed bool
}

// get returns an instance, or nil if none is idle.
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

// put adds an instance unless limit instances are idle already. kept reports whether it added the instance.
// first reports whether the caller must tell the room about s.
func (s *idle) put(i *instance, limit int) (kept, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.list) >= limit {
		return false, false
	}
	s.list = append(s.list, i)
	first = !s.swept
	s.swept = true
	return true, first
}

// older removes the instances that are idle for at least limit. left reports whether any remain.
func (s *idle) older(limit time.Duration) (old []*instance, left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(s.list) && time.Since(s.list[n].idleSince) >= limit {
		n++
	}
	old = append(old, s.list[:n]...)
	s.list = append(s.list[:0], s.list[n:]...)
	s.swept = len(s.list) > 0
	return old, s.swept
}

// close returns the idle instances, which the caller closes. After close, put keeps no instance.
func (s *idle) close() []*instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	list := s.list
	s.list = nil
	return list
}
