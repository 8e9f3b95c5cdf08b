package session

import (
	"context"
	"errors"

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
