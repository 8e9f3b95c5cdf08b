package session

import (
	"context"
	"errors"
	"sync"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// A gateway that is told to stop drains first: turns go on that a model or a
// tool of the gateway's works on, until they end or wait for somebody outside.
// No others begin here.
//
//	at work ---- Drain ----> draining ---- Close ----> stopped
//
// What has not ended then is left as a gateway leaves it that is killed, except
// that its lease runs out at once: whoever takes the turn up asks the model of
// that round again, and finds what tools gave, and what waits for an answer.

// Drain begins no more turns, and returns when nobody works here any longer on
// those that have begun, or when ctx ends. The journal's decisions can still be
// answered, and turns canceled. It may be called twice.
func (s *Sessions) Drain(ctx context.Context) {
	idle := s.workers.shut()
	s.drain(errStopping)
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// Working reports whether somebody works on a session here. In a gateway that
// drains, nothing more happens to one of which it is false, except by others.
func (s *Sessions) Working(id string) bool { return s.workers.has(id) }

// stopping returns OVERLOADED once no more turns begin here.
func (s *Sessions) stopping() error {
	if s.draining.Err() == nil {
		return nil
	}
	return fault.New("session.start", sdkapi.Overloaded, "the gateway is about to stop and begins nothing new; send it again in a few seconds")
}

// workers counts who works on each session: one with a turn, and perhaps one
// that is about to give the lease back.
type workers struct {
	mu     sync.Mutex
	count  map[string]int
	closed bool
	idle   chan struct{} // closed once there are none, and no more can come
}

func newWorkers() *workers { return &workers{count: map[string]int{}, idle: make(chan struct{})} }

// enter notes a worker, unless no more can come.
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

// shut lets no more come, and returns what is closed when none is left.
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

// awaitDecision waits for somebody outside, unless the gateway is about to stop:
// whoever takes the turn up waits on.
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
