package session

import (
	"context"
	"time"

	"github.com/windieos/windie/models"
)

// Turned says that a turn is open, or how it ended, for lists of turns. It comes
// again for a turn that another gateway takes up.
type Turned struct {
	Session, User string
	Seq           int64     // of the event that began the turn
	Began         time.Time // zero once it has ended
	Input         string    // the user's text; empty once it has ended
	Ended         time.Time // zero while it is open
	Reason        EndReason // why it ended
}

// began reports the open turn to Config.Turned, unless this worker has done so:
// the gateway that began the turn may have died before.
func (w *worker) began(ctx context.Context) {
	t := w.state.Turn
	if t == nil || w.noted == t.ID {
		return
	}
	w.noted = t.ID
	about := Turned{Began: t.Started}
	for _, m := range w.state.Messages {
		if m.Role == models.User && m.Fence == t.Fence {
			about.Input = m.text()
			break
		}
	}
	w.turned(ctx, about)
}

// turned fills in the session, and calls Config.Turned.
func (w *worker) turned(ctx context.Context, about Turned) {
	if w.cfg.Turned != nil {
		about.Session, about.User, about.Seq = w.id(), w.state.User, w.state.Began
		w.cfg.Turned(ctx, about)
	}
}
