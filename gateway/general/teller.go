package general

import (
	"context"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// teller sends one client the events of a session.
type teller struct {
	hearing
	view  *view
	state *session.State // when the client came
	from  turns.Cursor   // that it has
	send  func(sse.Event) error
}

func (s *door) teller(ctx context.Context, id string, state *session.State, from turns.Cursor, send func(sse.Event) error) *teller {
	return &teller{hearing: hearing{server: s, id: id, conn: gateway.RequestOf(ctx).Conn}, view: newV1View(), state: state, from: from, send: send}
}

// tell sends an event, unless the client has it.
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
	list := t.from.After(e.Seq, shown)
	if err == nil && e.Kind == session.KindTurnEnded && e.Seq > t.state.Began && len(list) > 0 {
		t.ending(ctx, t.view.turn, &list[len(list)-1])
	}
	if err != nil {
		return err
	}
	return turns.SendAll(list, t.send)
}
