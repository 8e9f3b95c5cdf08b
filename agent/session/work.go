package session

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// renewals is how often a gateway renews its leases, and looks for turns of gateways that are gone,
// within LeaseTTL.
const renewals = 3

// Run takes over turns of gateways that are gone. It returns when ctx ends, or when this gateway
// begins no more turns. It takes over only a few turns at a time, so that a crash does not overload
// the other gateways. When a gateway stops, it releases its turns, so that another gateway can take
// them over at once.
func (s *Sessions) Run(ctx context.Context) {
	for s.stopping() == nil {
		pause := min(s.cfg.LeaseTTL/renewals, s.cfg.Look)
		if s.takeUp(ctx) >= journal.MaxAbandoned {
			pause = min(pause, s.cfg.Look/2)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.draining.Done():
		case <-time.After(pause):
		}
	}
}

// takeUp takes over abandoned turns, and returns how many it found.
func (s *Sessions) takeUp(ctx context.Context) int {
	abandoned, err := s.cfg.Journal.Abandoned(ctx, leaseOf(""))
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("cannot look for abandoned turns", slog.Any("err", err))
	}
	for _, l := range abandoned {
		id, _ := strings.CutPrefix(l.Key, leaseOf(""))
		w, err := s.take(ctx, id)
		if err != nil { // another gateway was faster, or the next search tries again
			s.cfg.Log.Debug("cannot take over an abandoned turn", slog.String("session", id), slog.Any("err", err))
			continue
		}
		s.work(id, w)
	}
	return len(abandoned)
}

// work runs w's turn and the queued ones to their end, in the background. If no more turns begin
// here, it leaves them to other gateways.
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
	helpers.Go(func() { s.watchCancel(ctx, id, turn, after, cancel) })
	w.began(ctx)
	if err := w.run(ctx); err != nil {
		w.log.Info("turn stopped on this gateway; another one can continue it", slog.String("turn", turn), slog.Any("err", err))
	}
	cancel(nil)
}

// next prepares w for the next queued message, and reports whether there is one. Otherwise it
// releases the lease; for an open turn it lets the lease expire, so that others find the work.
func (s *Sessions) next(id string, w **worker) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), appendTime)
	defer cancel()
	left := (*w).state.Turn != nil
	if !left {
		s.tidy(ctx, id, *w)
		if err := s.beginQueued(ctx, id, *w); err != nil {
			if s.stopping() == nil {
				(*w).log.Warn("cannot start the turn of a queued message", slog.Any("err", err))
			}
			left = true // for the next search
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

// giveBack releases the lease. If a message has arrived meanwhile, it acquires the lease again for
// a new w.
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

// renew renews the lease until ctx ends. If the session was erased, its lease is another one; then
// renew cancels the turn.
func (s *Sessions) renew(ctx context.Context, lease journal.Lease, cancel context.CancelCauseFunc) {
	expires := time.Now().Add(s.cfg.LeaseTTL)
	for {
		if background.Sleep(ctx, s.cfg.LeaseTTL/renewals) != nil {
			return
		}
		now, err := s.cfg.Journal.Lease(ctx, lease.Key, lease.Owner, s.cfg.LeaseTTL)
		switch {
		case err == nil && now.Token != lease.Token:
			_ = s.cfg.Journal.Release(ctx, now)
			cancel(errLost)
			return
		case err == nil:
			expires = time.Now().Add(s.cfg.LeaseTTL)
		case fault.CodeOf(err) == sdkapi.LeaseHeld, time.Now().After(expires):
			cancel(errLost)
			return
		}
	}
}

// watchCancel cancels a turn when a client asks any gateway for that.
func (s *Sessions) watchCancel(ctx context.Context, id, turn string, after int64, cancel context.CancelCauseFunc) {
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
		_ = background.Sleep(ctx, time.Second) // the journal is unavailable, for the worker's appends too
	}
}

// asksFor reports whether an event asks to cancel a turn.
func asksFor(e journal.Event, turn string) bool {
	if e.Kind == KindDeleteAsked {
		return true
	}
	asked, is, err := As[CancelAsked](e)
	return is && err == nil && asked.Turn == turn
}
