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

// A turn that a request with an idempotency key starts has a name derived from the key, in its
// first event. So a repeated request finds the turn on any gateway, even if a gateway crashed
// before it recorded the turn. Two concurrent requests start only one turn: a session runs one turn
// at a time, and StartAs fails if another turn has started since the caller read the state.

// Begun is the record of a turn that is stored with an idempotency key.
type Begun struct {
	Part string `json:"part,omitempty"` // session part of a prompt's id; empty if the turn belongs to no prompt
	Seq  int64  `json:"seq"`            // number of the session event that began the turn
}

// BegunBy returns the turn that a claim records. known is false if no turn is recorded yet.
func BegunBy(claim *once.Claim) (t Begun, known bool) {
	return t, json.Unmarshal(claim.Began, &t) == nil && t.Seq > 0
}

// JoinTurn records that the current request joins a turn that an earlier request started.
func JoinTurn(ctx context.Context) { gateway.RequestOf(ctx).Joined = true }

// StartOnce starts a turn for a request with an idempotency key, at most once. claim is the record
// of the key, and name is the name of the turn. If the session already has a turn with this name
// that is newer than the claim, StartOnce does not call start. It returns the number of the turn's
// first event.
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

// TurnNamed finds a turn by its name, and returns the number of the turn's first event, or 0 if
// there is no such turn. last is the number of the session's last event. The search begins at this
// event and goes back in time as far as oldest.
func (s *Turns) TurnNamed(ctx context.Context, id, name string, last int64, oldest time.Time) (int64, error) {
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
		if len(events) == 0 || events[0].Kind == journal.Resync || events[0].Time.Before(oldest) {
			break
		}
		last = after
	}
	return 0, nil
}

// NoteTurn records the turn of a request with an idempotency key. If it cannot record the turn, it
// only logs a warning, because repeated requests can still find the turn by its name.
func (s *Turns) NoteTurn(ctx context.Context, claim *once.Claim, t Begun) {
	began, err := json.Marshal(t)
	if err == nil {
		err = s.Once.Begin(ctx, *claim, began)
	}
	if err != nil {
		s.Core.Log.Warn("cannot record which turn a request with an idempotency key began", slog.String("request_id", gateway.RequestOf(ctx).ID), slog.Any("err", err))
	}
}
