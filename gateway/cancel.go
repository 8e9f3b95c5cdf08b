package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// cancelWait bounds how long a request to cancel waits for the turn's end, which
// comes within a second where a gateway works on it.
const cancelWait = 2 * time.Second

// endTurn cancels a turn of a session in which seq was the last event, and
// returns when it has ended. A turn of a gateway that is gone ends when another
// takes it up: for that nobody waits.
func (s *Server) endTurn(ctx context.Context, id, user, turn string, seq int64) error {
	if err := s.cfg.Sessions.Cancel(ctx, id, user, turn); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, cancelWait)
	defer cancel()
	return s.followSession(ctx, id, seq, func(e journal.Event) (enough bool, err error) {
		ended, is, err := session.As[session.TurnEnded](e)
		return is && ended.Turn == turn || e.Kind == journal.Resync, err
	})
}

func (s *Server) cancelPrompt(ctx context.Context, in *PromptNamed) (*body[sdkapi.Prompt], error) {
	p, err := refOf(ctx, in.PromptID)
	if err != nil {
		return nil, err
	}
	known, v, err := s.known(ctx, p)
	if err == nil && v.ended.IsZero() {
		if err = s.endTurn(ctx, p.session(), p.user, v.turn, v.seq); err == nil {
			known, v, err = s.known(ctx, p)
		}
	}
	if err != nil {
		return nil, err
	}
	if v.ended.IsZero() {
		known.Status, known.Approvals = sdkapi.PromptCanceling, nil
	}
	return &body[sdkapi.Prompt]{Body: *known}, nil
}

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
