package session

import (
	"sync"
)

// workers counts each session's workers: one with a turn, and possibly one about to release the
// lease.
type workers struct {
	mu     sync.Mutex
	count  map[string]int
	closed bool
	idle   chan struct{} // closed once no worker is left and no more can come
}

// newWorkers returns an empty workers that is open for new ones.
func newWorkers() *workers { return &workers{count: map[string]int{}, idle: make(chan struct{})} }

// enter adds a worker. It returns false if w is closed.
func (w *workers) enter(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.count[id]++
	}
	return !w.closed
}

// leave removes a worker. The last one of a shut w closes idle.
func (w *workers) leave(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count[id]--; w.count[id] == 0 {
		delete(w.count, id)
	}
	if w.closed && len(w.count) == 0 {
		close(w.idle)
	}
}

// shut refuses further workers. idle is closed when no worker is left.
func (w *workers) shut() (idle <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed && len(w.count) == 0 {
		close(w.idle)
	}
	w.closed = true
	return w.idle
}

// has reports whether a session has a worker here.
func (w *workers) has(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count[id] > 0
}
