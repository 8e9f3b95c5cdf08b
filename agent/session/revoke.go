package session

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/windieos/windie/state/journal"
)

// A turn belongs to the install whose token sent its message, and ends when the install is revoked.
// After an install was revoked, or a user deleted, each gateway calls Revoke. For turns that no
// gateway works on at that time, workers later call Config.Revoked.

// installKey is the context key of an install's id.
type installKey struct{}

// WithInstall returns a context for Start. A turn that begins with this context belongs to the
// install. If the install's id is empty, WithInstall returns ctx unchanged.
func WithInstall(ctx context.Context, install string) context.Context {
	if install == "" {
		return ctx
	}
	return context.WithValue(ctx, installKey{}, install)
}

// installOf returns the install of ctx; empty if there is none.
func installOf(ctx context.Context) string {
	install, _ := ctx.Value(installKey{}).(string)
	return install
}

var errRevoked = errors.New("the token that started the turn was revoked, or its user was deleted")

const endedByRevoking = "The gateway ended this turn: the token that started it was revoked, or its user was deleted."

// Revoke ends the turns of a user's install, if they run on this gateway. If install is empty, it ends the turns of all
// the user's installs. The turns end in less than a second, but Revoke does not wait for this.
func (s *Sessions) Revoke(user, install string) {
	s.held.mu.Lock()
	defer s.held.mu.Unlock()
	for _, t := range s.held.open {
		if t.user == user && (install == "" || t.install == install) {
			t.cancel(errRevoked)
		}
	}
}

// revoked returns errRevoked for a turn that must end. A worker calls it before each step. A later
// Revoke cancels the turn, which is registered in held by then.
func (w *worker) revoked(ctx context.Context) error {
	if w.cfg.Revoked == nil {
		return nil
	}
	gone, err := w.cfg.Revoked(ctx, w.state.User, w.state.Turn.Install)
	if err == nil && gone {
		err = errRevoked
	}
	return err
}

// stillWaiting drops the first entries of the queue whose installs were revoked, or which were sent
// twice, and returns the rest.
func (s *Sessions) stillWaiting(ctx context.Context, w *worker, waiting []journal.Event) ([]journal.Event, error) {
	for len(waiting) > 0 {
		said, _, err := As[Queued](waiting[0])
		if err != nil {
			return nil, err
		}
		gone := w.state.Said(said.Ref)
		if !gone && s.cfg.Revoked != nil {
			if gone, err = s.cfg.Revoked(ctx, w.state.User, said.Install); err != nil {
				return nil, err
			}
		}
		if !gone {
			break
		}
		w.log.Info("queued message discarded: its token was revoked, or it is a duplicate", slog.String("turn", said.Turn))
		if err := w.append(ctx, Dropped{said.Turn, waiting[0].Seq}); err != nil {
			return nil, err
		}
		waiting = waiting[1:]
	}
	return waiting, nil
}

// held has the turns that run on this gateway. The zero value is ready to use.
type held struct {
	mu   sync.Mutex
	open map[*worker]heldTurn
}

type heldTurn struct {
	user, install string
	cancel        context.CancelCauseFunc
}

// hold registers w's turn, so that Revoke finds it, until release is called.
func (r *held) hold(w *worker, cancel context.CancelCauseFunc) (release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[*worker]heldTurn{}
	}
	r.open[w] = heldTurn{w.state.User, w.state.Turn.Install, cancel}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.open, w)
	}
}

// count returns the number of turns that run here.
func (r *held) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open)
}
