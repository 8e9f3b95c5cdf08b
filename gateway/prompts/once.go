package prompts

import (
	"context"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
)

// startPrompt begins the turn of a prompt. If an earlier request with the same idempotency key
// began the turn, startPrompt joins it.
func (s *door) startPrompt(ctx context.Context, p ref, parts []session.Part) (ref, error) {
	claim := gateway.RequestOf(ctx).Claim
	if claim == nil {
		started, err := s.Sessions.Start(ctx, p.session(), p.user, parts, session.Reject)
		p.seq = started.Seq
		return p, err
	}
	var err error
	p.seq, err = s.StartOnce(ctx, claim, p.session(), p.user, claim.Nonce, func(state *session.State) (int64, error) {
		started, err := s.Sessions.StartAs(ctx, p.session(), p.user, claim.Nonce, state.Began, parts)
		return started.Seq, err
	})
	if err == nil {
		s.NoteTurn(ctx, claim, turns.Begun{Part: p.part, Seq: p.seq})
	}
	return p, err
}

// begunBefore returns the prompt that an earlier request with the same idempotency key began.
// known is false if there is no key or no such prompt.
func begunBefore(ctx context.Context, user string) (p ref, known bool) {
	claim := gateway.RequestOf(ctx).Claim
	if claim == nil {
		return p, false
	}
	t, known := turns.BegunBy(claim)
	if known {
		turns.JoinTurn(ctx)
	}
	return ref{user, t.Part, t.Seq}, known
}
