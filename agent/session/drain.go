package session

import (
	"context"
	"errors"
	"sync"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// A gateway that stops drains first: turns of a model or of the gateway's tools go
// on until they end or wait for a decision. No others begin here.
//
//	at work ---- Drain ----> draining ---- Close ----> stopped
//
// Close leaves open turns as a crash does, but ends their leases at once: the next gateway
// asks the round's model again, and finds the results of tools and the pending decisions.

// Drain begins no more turns, and returns when no worker is left here, or when ctx
// ends. Decisions can still be answered, and turns canceled. It may be called twice.
func (s *Sessions) Drain(ctx context.Context) {
	idle := s.workers.shut()
	s.drain(errStopping)
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// Working reports whether a worker has a session here. If a gateway drains and
// Working is false, only other gateways change the session.
func (s *Sessions) Working(id string) bool { return s.workers.has(id) }

// stopping returns OVERLOADED once no more turns begin here.
func (s *Sessions) stopping() error {
	if s.draining.Err() == nil {
		return nil
	}
	return fault.New("session.start", sdkapi.Overloaded, "the gateway is about to stop and begins nothing new; send it again in a few seconds")
}

// workers counts each session's workers: one with a turn, perhaps one about to return the lease.
type workers struct {
	mu     sync.Mutex
	count  map[string]int
	closed bool
	idle   chan struct{} // closed once no worker is left, and no more can come
}

func newWorkers() *workers { return &workers{count: map[string]int{}, idle: make(chan struct{})} }

// enter adds a worker, unless w is closed.
func (w *workers) enter(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.count[id]++
	}
	return !w.closed
}

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

// shut refuses more workers; idle is closed when no worker is left.
func (w *workers) shut() (idle <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed && len(w.count) == 0 {
		close(w.idle)
	}
	w.closed = true
	return w.idle
}

func (w *workers) has(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count[id] > 0
}

// awaitDecision waits for a decision, unless the gateway is about to stop: the
// gateway that takes the turn up waits on.
func (w *worker) awaitDecision(ctx context.Context, c *Call) (journal.Decision, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(w.draining, func() { stop(errStopping) })()
	d, err := w.cfg.Journal.Await(ctx, c.Decision)
	if err != nil && errors.Is(context.Cause(ctx), errStopping) {
		return d, errStopping
	}
	return d, err
}
