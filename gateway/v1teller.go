package gateway

import (
	"context"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// v1Teller tells one client the events of a session.
type v1Teller struct {
	hearing
	view  *v1View
	state *session.State // when the client came
	from  promptCursor   // that it has
	send  func(sse) error
}

func (s *Server) v1Teller(ctx context.Context, id string, state *session.State, from promptCursor, send func(sse) error) *v1Teller {
	return &v1Teller{hearing: hearing{server: s, id: id, conn: requestOf(ctx).conn}, view: newV1View(), state: state, from: from, send: send}
}

// tell tells an event, if the client does not have it.
func (t *v1Teller) tell(ctx context.Context, e journal.Event) error {
	shown, err := t.view.show(e)
	if err != nil {
		return err
	}
	for i, of := range shown {
		if call, asks := of.data.(sdkapi.V1ToolCall); asks {
			if call.Answered = past(t.state, e); !call.Answered {
				call.Answered, err = t.server.answered(ctx, t.view.client[call.ID])
			}
			shown[i].data = call
		}
	}
	list := t.from.after(e.Seq, shown)
	if err == nil && e.Kind == session.KindTurnEnded && e.Seq > t.state.Began && len(list) > 0 {
		t.ending(ctx, t.view.turn, &list[len(list)-1])
	}
	if err != nil {
		return err
	}
	return sendAll(list, t.send)
}
