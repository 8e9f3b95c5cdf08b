package session

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// exclusively changes a session that has no open turn.
func (s *Sessions) exclusively(ctx context.Context, id string, do func(*worker) error) error {
	w, err := s.take(ctx, id)
	if err != nil {
		return err
	}
	defer s.leave(ctx, id, w)
	if w.state.Turn != nil {
		return running()
	}
	err = do(w)
	s.tidy(ctx, id, w)
	return err
}

// leave releases a lease. If a gateway that is gone has left work, leave continues the work
// instead: without the lease nobody would find it.
func (s *Sessions) leave(ctx context.Context, id string, w *worker) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendTime)
	defer cancel()
	if waiting, err := s.waiting(ctx, id, w.state); err != nil || len(waiting) > 0 || w.state.Turn != nil {
		s.work(id, w)
		return
	}
	_ = s.cfg.Journal.Release(ctx, w.lease)
}

// abandon lets a lease expire soon, so that other gateways look for its work.
func (s *Sessions) abandon(ctx context.Context, lease journal.Lease) {
	_, _ = s.cfg.Journal.Lease(context.WithoutCancel(ctx), lease.Key, lease.Owner, journal.MinTTL)
}

// running returns the error TURN_RUNNING, for changes that need a session without an open turn.
func running() error {
	return fault.New("session", sdkapi.TurnRunning, "the agent is still working on the session's last message; wait until it finishes, or cancel it")
}

// handover limits the wait for the lease of a turn that has just ended. A client that sees the end
// may send its next message at once.
const handover = 2 * time.Second

// take acquires a session's lease and loads its state.
func (s *Sessions) take(ctx context.Context, id string) (*worker, error) {
	lease, err := s.lease(ctx, id)
	if err != nil {
		return nil, err
	}
	state, kept, err := s.load(ctx, id)
	if err != nil {
		s.abandon(ctx, lease)
		return nil, err
	}
	return &worker{
		cfg: s.cfg, stream: streamOf(id), lease: lease, state: state, texts: s.texts, figures: &s.figures, kept: kept, all: &s.all, draining: s.draining, log: s.cfg.Log.With(slog.String("session", id)),
	}, nil
}

// lease acquires a session's lease. It waits for a worker whose turn has ended, but not for one
// with an open turn.
func (s *Sessions) lease(ctx context.Context, id string) (journal.Lease, error) {
	owner, until := rand.Text(), time.Now().Add(handover)
	for {
		lease, err := s.cfg.Journal.Lease(ctx, leaseOf(id), owner, s.cfg.LeaseTTL)
		if fault.CodeOf(err) != sdkapi.LeaseHeld {
			return lease, err
		}
		state, _, err := s.load(ctx, id)
		switch {
		case err != nil:
			return journal.Lease{}, err
		case state.Turn != nil || time.Now().After(until):
			return journal.Lease{}, running()
		}
		if err := background.Sleep(ctx, handover/200); err != nil {
			return journal.Lease{}, err
		}
	}
}
