package gateway

import (
	"context"
	"net/http"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/sdkapi"
)

func (s *Server) addV1Cancel() {
	register(s, v1About("general-cancel", http.MethodPost, sdkapi.V1CancelPath, "End what the agent works on",
		"Stops model and tools within a second; streams end with an `error` whose reason is `canceled`. It answers once that is so. "+
			"Asked again, and where nothing was worked on, it answers likewise."), s.v1Cancel)
}

func (s *Server) v1Cancel(ctx context.Context, in *body[sdkapi.V1CancelRequest]) (*body[sdkapi.V1Canceled], error) {
	user, id, state, err := s.v1Find(ctx, in.Body.GeneralSessionID)
	if err != nil {
		return nil, err
	}
	out := sdkapi.V1Canceled{Accepted: true}
	if state.Turn != nil {
		if err = s.endTurn(ctx, id, user, state.Turn.ID, state.Seq); err == nil {
			state, err = s.cfg.Sessions.State(ctx, id, user)
		}
	}
	if err != nil {
		return nil, err
	}
	if out.Canceled = state.Turn != nil; !out.Canceled {
		out.Canceled, err = s.wasCanceled(ctx, id, state)
	}
	return &body[sdkapi.V1Canceled]{Body: out}, err
}

// wasCanceled reports whether the last turn of a session, in which none is open,
// was canceled.
func (s *Server) wasCanceled(ctx context.Context, id string, state *session.State) (bool, error) {
	_, ended, err := s.lastTurn(ctx, id, state)
	return ended != nil && ended.Reason == session.EndCanceled, err
}
