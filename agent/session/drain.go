package session

import (
	"context"
	"errors"

	"github.com/windieos/windie/state/journal"
)

// Before a gateway stops, it drains: running turns continue while a model or a tool of the gateway
// works, until they end or wait for a decision. No new turns begin here.
//
//	at work ---- Drain ----> draining ---- Close ----> stopped
//
// Close leaves open turns as a crash does, but ends their leases at once. The next gateway repeats
// the round's request to the model, and finds the results of tools and the pending decisions.

// Drain stops new turns: from now on, this gateway begins no turn. Drain returns when no worker is left on this
// gateway, or when ctx ends. Decisions can still be answered, and turns can still be canceled. Drain may be called
// twice.
func (s *Sessions) Drain(ctx context.Context) {
	idle := s.workers.shut()
	s.drain(errStopping)
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// Working reports whether a worker of this gateway is working on a session. If the gateway is
// draining and Working is false, only other gateways change the session.
func (s *Sessions) Working(id string) bool { return s.workers.has(id) }

// awaitDecision waits for a decision. It returns errStopping if the gateway is draining; the
// gateway that takes over the turn then waits.
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
