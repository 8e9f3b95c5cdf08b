package session

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/windieos/windie/journal"
)

// A turn belongs to the install whose token brought its message, and ends with
// it. Whoever revokes an install, or deletes a user, has each gateway call
// Revoke. What no gateway works on just then is looked at when one takes it up,
// by Config.Revoked.

// installKey is where a context has an install's id.
type installKey struct{}

// WithInstall returns ctx for what the token of an install brings: turns that
// begin by it are that install's. An empty id is for nobody's in particular.
func WithInstall(ctx context.Context, install string) context.Context {
	if install == "" {
		return ctx
	}
	return context.WithValue(ctx, installKey{}, install)
}

// installOf returns the install that WithInstall gave ctx; empty for none.
func installOf(ctx context.Context) string {
	install, _ := ctx.Value(installKey{}).(string)
	return install
}

// errRevoked ends a turn of which the install was revoked, or the user deleted.
var errRevoked = errors.New("the install that began the turn was revoked, or its user deleted")

// endedByRevoking is what is told of such a turn.
const endedByRevoking = "This was ended: the token that began it was revoked, or its user deleted."

// KindDropped is the kind of the event of a message that waited and begins no
// turn any longer.
const KindDropped = "turn.dropped"

// Dropped says which message begins no turn: its install was revoked, or its user
// deleted, while it waited.
type Dropped struct {
	Turn   string `json:"turn"`
	Queued int64  `json:"queued"` // its entry of the control stream's queue, which is taken by this
}

func (Dropped) kind() string { return KindDropped }

// held are the turns that a gateway works on. Its zero value is ready.
type held struct {
	mu   sync.Mutex
	open map[*worker]heldTurn
}

type heldTurn struct {
	user, install string
	cancel        context.CancelCauseFunc
}

// hold has Revoke find w's turn until the function that it returns is called.
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

// Revoke ends the turns of an install of a user's that this gateway works on; of
// all the user's installs where install is empty. It does not wait for their
// ends, which take less than a second.
func (s *Sessions) Revoke(user, install string) {
	s.held.mu.Lock()
	defer s.held.mu.Unlock()
	for _, t := range s.held.open {
		if t.user == user && (install == "" || t.install == install) {
			t.cancel(errRevoked)
		}
	}
}

// revoked returns errRevoked for a turn that must not go on. A worker asks before
// each step, so that nothing is done which was allowed before and not begun. It
// is held by then: what is revoked later cancels it.
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

// stillWaiting returns the entries of the queue whose installs are let in, up to
// the first. Those before it are dropped.
func (s *Sessions) stillWaiting(ctx context.Context, w *worker, waiting []journal.Event) ([]journal.Event, error) {
	for s.cfg.Revoked != nil && len(waiting) > 0 {
		said, _, err := As[Queued](waiting[0])
		if err != nil {
			return nil, err
		}
		gone, err := s.cfg.Revoked(ctx, w.state.User, said.Install)
		if err != nil {
			return nil, err
		}
		if !gone {
			break
		}
		w.log.Info("a message that waited is dropped, as its install was revoked", slog.String("turn", said.Turn))
		if err := w.append(ctx, Dropped{said.Turn, waiting[0].Seq}); err != nil {
			return nil, err
		}
		waiting = waiting[1:]
	}
	return waiting, nil
}
