package general

import (
	"context"
	"log/slog"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// teller sends the events of a session to one client.
type teller struct {
	server *door
	id     string // the session's id
	view   *view
	state  *session.State // the session when the client connected
	from   turns.Cursor   // the client already has events up to this one
	send   func(sse.Event) error
}

// teller returns a teller for one client. state must be the session when the client connected: it
// shows which requests are old.
func (s *door) teller(id string, state *session.State, from turns.Cursor, send func(sse.Event) error) *teller {
	return &teller{server: s, id: id, view: newV1View(), state: state, from: from, send: send}
}

// tell sends an event, unless the client already has it.
func (t *teller) tell(ctx context.Context, e journal.Event) error {
	shown, err := t.view.show(e)
	if err != nil {
		return err
	}
	for i, of := range shown {
		if call, asks := of.Data.(sdkapi.V1ToolCall); asks {
			if call.Answered = turns.Past(t.state, e); !call.Answered {
				call.Answered, err = t.server.Answered(ctx, t.view.client[call.ID])
			}
			shown[i].Data = call
		}
	}
	if err != nil {
		return err
	}
	list := t.from.After(e.Seq, shown)
	if e.Kind == session.KindTurnEnded && e.Seq > t.state.Began && len(list) > 0 {
		t.server.noteSent(ctx, t.id, t.view)
	}
	return turns.SendAll(list, t.send)
}

// noteSent records, for all gateways, that the last turn's answer is about to be sent to a client.
// If the client then sends the same words again, they start a new turn. The record is made first,
// so that no client has the answer before it. A message with an id needs no record.
func (s *door) noteSent(ctx context.Context, id string, v *view) {
	if v.named || v.failed != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	// Without the record, the same words would get this answer again.
	if err := s.Sessions.NoteHeard(ctx, id, v.turn); err != nil {
		s.Core.Log.Warn("cannot record that the client received an answer", slog.String("session", id), slog.Any("err", err))
	}
}

// noteTime is the timeout for the note of noteSent, which delays the answer.
const noteTime = 5 * time.Second
