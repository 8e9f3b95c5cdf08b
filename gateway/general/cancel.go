package general

import (
	"context"
	"net/http"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

func (s *door) addV1Cancel() {
	gateway.RegisterJSON(s.Server, about("general-cancel", http.MethodPost, sdkapi.V1CancelPath, "End what the agent works on",
		"Stops model and tools within a second; streams end with an `error` whose reason is `canceled`. It answers once that is so. "+
			"Asked again, and where nothing was worked on, it answers likewise."), s.cancel)
}

func (s *door) cancel(ctx context.Context, in *gateway.Body[sdkapi.V1CancelRequest]) (*sdkapi.V1Canceled, error) {
	user, id, state, err := s.find(ctx, in.Body.GeneralSessionID)
	if err != nil {
		return nil, err
	}
	out := sdkapi.V1Canceled{Accepted: true}
	if state.Turn != nil {
		if err = s.EndTurn(ctx, id, user, state.Turn.ID, state.Seq); err == nil {
			state, err = s.Config.Sessions.State(ctx, id, user)
		}
	}
	if err != nil {
		return nil, err
	}
	if out.Canceled = state.Turn != nil; !out.Canceled {
		out.Canceled, err = s.wasCanceled(ctx, id, state)
	}
	return &out, err
}

// wasCanceled reports whether the last turn of a session, in which none is open,
// was canceled.
func (s *door) wasCanceled(ctx context.Context, id string, state *session.State) (bool, error) {
	_, ended, err := s.lastTurn(ctx, id, state)
	return ended != nil && ended.Reason == session.EndCanceled, err
}
