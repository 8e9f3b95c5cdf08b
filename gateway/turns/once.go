package turns

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/once"
)

// A turn that a request with a key begins is named after the key, in its first event:
// another request with the key, on any gateway, finds it, even if a gateway died
// before it noted the turn. Two such requests at once begin one turn: a session has
// one at a time, and StartAs begins none after a turn that its caller has not seen.

// Begun is what is noted with a key.
type Begun struct {
	Part string `json:"part,omitempty"` // of a prompt's session
	Seq  int64  `json:"seq"`            // of the event that began the turn
}

// BegunBy returns the turn that a claim's request is known to have begun.
func BegunBy(claim *once.Claim) (t Begun, known bool) {
	return t, json.Unmarshal(claim.Began, &t) == nil && t.Seq > 0
}

// JoinTurn notes that a request with a key joins a turn that was begun before.
func JoinTurn(ctx context.Context) { gateway.RequestOf(ctx).Joined = true }

// StartOnce begins the turn of a claim's request with start, unless the session has a
// turn of that name since the claim. It returns the event that began the turn.
func (s *Turns) StartOnce(ctx context.Context, claim *once.Claim, id, user, name string, start func(*session.State) (int64, error)) (int64, error) {
	for {
		state, err := s.Sessions.State(ctx, id, user)
		if err != nil {
			return 0, err
		}
		if seq, err := s.TurnNamed(ctx, id, name, state.Seq, claim.Created); err != nil || seq > 0 {
			JoinTurn(ctx)
			return seq, err
		}
		seq, err := start(state)
		if fault.CodeOf(err) != sdkapi.TurnRunning {
			return seq, err
		}
		now, failed := s.Sessions.State(ctx, id, user)
		if failed != nil || now.Began == state.Began {
			return 0, cmp.Or(failed, err)
		}
	}
}

// TurnNamed returns the event that began the turn of a name since a time; 0 if no
// such turn is kept. It reads backwards from a session's last event, which is alone
// in the first step: mostly nothing has happened since.
func (s *Turns) TurnNamed(ctx context.Context, id, name string, last int64, since time.Time) (int64, error) {
	for step := int64(1); last > 0; step = journal.MaxEvents {
		after := max(last-step, 0)
		events, err := s.Sessions.Read(ctx, id, after)
		if err != nil {
			return 0, err
		}
		for _, e := range events {
			if t, is, err := session.As[session.TurnStarted](e); err != nil || is && t.Ref == name {
				return e.Seq, err
			}
		}
		if len(events) == 0 || events[0].Kind == journal.Resync || events[0].Time.Before(since) {
			break
		}
		last = after
	}
	return 0, nil
}

// NoteTurn notes with a key which turn it began. If that fails, the turn is found by its name.
func (s *Turns) NoteTurn(ctx context.Context, claim *once.Claim, t Begun) {
	began, err := json.Marshal(t)
	if err == nil {
		err = s.Once.Begin(ctx, *claim, began)
	}
	if err != nil {
		s.Core.Log.Warn("cannot record which turn a request with an idempotency key began", slog.String("request_id", gateway.RequestOf(ctx).ID), slog.Any("err", err))
	}
}
