package gateway

import (
	"context"

	"github.com/windieos/windie/agent/session"
)

// startPrompt begins the turn of a prompt, or joins the one that the request's
// key stands for.
func (s *Server) startPrompt(ctx context.Context, p promptRef, parts []session.Part) (promptRef, error) {
	claim := requestOf(ctx).claim
	if claim == nil {
		started, err := s.cfg.Sessions.Start(ctx, p.session(), p.user, parts, session.Reject)
		p.seq = started.Seq
		return p, err
	}
	var err error
	p.seq, err = s.startOnce(ctx, claim, p.session(), p.user, claim.Nonce, func(state *session.State) (int64, error) {
		started, err := s.cfg.Sessions.StartAs(ctx, p.session(), p.user, claim.Nonce, state.Began, parts)
		return started.Seq, err
	})
	if err == nil {
		s.noteTurn(ctx, claim, begunTurn{p.part, p.seq})
	}
	return p, err
}

// promptBegun returns the prompt that the request's key is known to have begun.
func promptBegun(ctx context.Context, user string) (p promptRef, known bool) {
	claim := requestOf(ctx).claim
	if claim == nil {
		return p, false
	}
	t, known := begun(claim)
	if known {
		joinTurn(ctx)
	}
	return promptRef{user, t.Part, t.Seq}, known
}
