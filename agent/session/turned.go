package session

import (
	"context"
	"time"

	"github.com/windieos/windie/models"
)

// Turned says of a turn that it is open, or how it ended: what a list of turns
// is made of. A turn that another gateway takes up is told of again.
type Turned struct {
	Session, User string
	Seq           int64     // of the event that began the turn
	Began         time.Time // when it was begun
	Input         string    // what the user said
	Ended         time.Time // zero while it is open
	Reason        EndReason // why it ended
}

// turned tells whoever keeps a list of the turn that an event begins or ends.
func (w *worker) turned(ctx context.Context, e Event) {
	if w.cfg.Turned == nil {
		return
	}
	about := Turned{Session: w.id(), User: w.state.User, Seq: w.state.Began}
	switch e := e.(type) {
	case TurnStarted:
		about.Began, about.Input = e.Started, textOf(e.Parts)
		w.noted = e.Turn
	case TurnEnded:
		about.Ended, about.Reason = time.Now(), e.Reason
	}
	w.cfg.Turned(ctx, about)
}

// takenUp tells of a turn that another gateway began, and may have died before
// it told of it.
func (w *worker) takenUp(ctx context.Context) {
	t := w.state.Turn
	if w.cfg.Turned == nil || t == nil || w.noted == t.ID {
		return
	}
	w.noted = t.ID
	about := Turned{Session: w.id(), User: w.state.User, Seq: w.state.Began, Began: t.Started}
	for _, m := range w.state.Messages {
		if m.Role == models.User && m.Fence == t.Fence {
			about.Input = m.text()
			break
		}
	}
	w.cfg.Turned(ctx, about)
}

func textOf(parts []Part) string { return Message{Parts: parts}.text() }
