package session

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// renewals is how often, in a lease's time, a gateway says that it is there, and
// looks for turns of others that are gone.
const renewals = 3

// lookEvery is how often turns are looked for at most: whoever stops leaves them
// to be taken up at once.
const lookEvery = time.Second

// soon is how long after a look that found as many turns as one takes up the
// next look is, at most.
const soon = 500 * time.Millisecond

// Run takes up the turns that gateways left which are gone, until ctx ends, or
// no more turns begin here: a few at a time, so that a crash is not followed by
// a flood.
func (s *Sessions) Run(ctx context.Context) {
	for s.stopping() == nil {
		pause := min(s.cfg.LeaseTTL/renewals, lookEvery)
		if s.takeUp(ctx) >= journal.MaxAbandoned {
			pause = min(pause, soon)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.draining.Done():
		case <-time.After(pause):
		}
	}
}

// takeUp returns how many turns it found.
func (s *Sessions) takeUp(ctx context.Context) int {
	abandoned, err := s.cfg.Journal.Abandoned(ctx, leaseOf(""))
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("turns that were left cannot be looked for", slog.Any("err", err))
	}
	for _, l := range abandoned {
		id, _ := strings.CutPrefix(l.Key, leaseOf(""))
		w, err := s.take(ctx, id)
		if err != nil { // another gateway was faster, or it cannot be read; the next look shows
			s.cfg.Log.Debug("a turn that was left is not taken up", slog.String("session", id), slog.Any("err", err))
			continue
		}
		s.work(id, w)
	}
	return len(abandoned)
}

// work has a worker take its turn, and those that wait behind it, to their end
// in the background. Where none begins any longer, they are left to others.
func (s *Sessions) work(id string, w *worker) {
	if !s.workers.enter(id) {
		s.abandon(s.ctx, w.lease)
		return
	}
	s.all.Go(func() {
		defer s.workers.leave(id)
		for more := true; more; more = s.next(id, &w) {
			if w.state.Turn != nil {
				s.workOn(id, w)
			}
		}
	})
}

// workOn works on one turn.
func (s *Sessions) workOn(id string, w *worker) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer s.held.hold(w, cancel)()
	helpers.Go(func() { s.renew(ctx, w.lease, cancel) })
	turn, after := w.state.Turn.ID, w.state.Turn.Control
	helpers.Go(func() { s.heed(ctx, id, turn, after, cancel) })
	w.takenUp(ctx)
	if err := w.run(ctx); err != nil {
		w.log.Info("a turn is left to others", slog.String("turn", turn), slog.Any("err", err))
	}
	cancel(nil)
}

// next readies w for the next message that waits, and reports whether there is
// one. Else the lease is given back. The lease of a turn that has not ended is
// left to run out: by that, others see that there is work.
func (s *Sessions) next(id string, w **worker) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), appendTime)
	defer cancel()
	left := (*w).state.Turn != nil
	if !left {
		s.tidy(ctx, id, *w)
		if err := s.beginQueued(ctx, id, *w); err != nil {
			if s.stopping() == nil {
				(*w).log.Warn("a message that waits cannot be taken up", slog.Any("err", err))
			}
			left = true // to whoever looks next
		}
	}
	switch {
	case !left && (*w).state.Turn == nil:
		return s.giveBack(ctx, id, w)
	case left, s.ctx.Err() != nil:
		s.abandon(ctx, (*w).lease)
		return false
	}
	return true
}

// giveBack gives the lease back, unless a message has come between looking for
// one and this: then it is taken again, and w is its worker.
func (s *Sessions) giveBack(ctx context.Context, id string, w **worker) (again bool) {
	_ = s.cfg.Journal.Release(ctx, (*w).lease)
	if waiting, err := s.waiting(ctx, id, (*w).state); err != nil || len(waiting) == 0 {
		return false
	}
	next, err := s.take(ctx, id)
	if err != nil {
		return false
	}
	*w = next
	return true
}

// renew keeps the lease until ctx ends.
func (s *Sessions) renew(ctx context.Context, lease journal.Lease, cancel context.CancelCauseFunc) {
	expires := time.Now().Add(s.cfg.LeaseTTL)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.cfg.LeaseTTL / renewals):
		}
		_, err := s.cfg.Journal.Lease(ctx, lease.Key, lease.Owner, s.cfg.LeaseTTL)
		switch {
		case err == nil:
			expires = time.Now().Add(s.cfg.LeaseTTL)
		case fault.CodeOf(err) == sdkapi.LeaseHeld, time.Now().After(expires):
			cancel(errLost)
			return
		}
	}
}

// heed cancels a turn when somebody asks for it, on whichever gateway.
func (s *Sessions) heed(ctx context.Context, id, turn string, after int64, cancel context.CancelCauseFunc) {
	for ctx.Err() == nil {
		for e, err := range s.cfg.Journal.Follow(ctx, controlOf(id), after) {
			if err != nil {
				break
			}
			after = e.Seq
			if asksFor(e, turn) {
				cancel(errCanceled)
				return
			}
		}
		select { // the journal is away; so are the worker's appends
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// asksFor reports whether an event is a CancelAsked of that turn.
func asksFor(e journal.Event, turn string) bool {
	asked, is, err := As[CancelAsked](e)
	return is && err == nil && asked.Turn == turn
}
