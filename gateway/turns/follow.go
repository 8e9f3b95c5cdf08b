package turns

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/approvals"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// FollowSession hands over a session's events after one until see has seen
// enough, or ctx ends, which is no error. When the server drains it ends with
// what has happened by the time that nobody works here on the session. It reads
// no faster than see does.
func (s *Turns) FollowSession(ctx context.Context, id string, after int64, see func(journal.Event) (enough bool, err error)) error {
	until, ended := s.Watchers.Add(ctx, id)
	defer ended()
	for until.Err() == nil {
		for e, err := range s.Config.Sessions.Follow(until, id, after) {
			if fault.CodeOf(err) == sdkapi.FollowerLags || until.Err() != nil {
				break
			}
			if err != nil {
				return err
			}
			after = e.Seq
			if enough, err := see(e); enough || err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return s.readSession(ctx, id, after, see)
}

// readSession hands over the events that a session has after one.
func (s *Turns) readSession(ctx context.Context, id string, after int64, see func(journal.Event) (enough bool, err error)) error {
	for {
		events, err := s.Config.Sessions.Read(ctx, id, after)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			after = e.Seq
			if enough, err := see(e); enough || err != nil {
				return err
			}
		}
	}
}

// cancelWait bounds how long a request to cancel waits for the turn's end, which
// comes within a second where a gateway works on it.
const cancelWait = 2 * time.Second

// EndTurn cancels a turn of a session in which seq was the last event, and
// returns when it has ended. A turn of a gateway that is gone ends when another
// takes it up: for that nobody waits.
func (s *Turns) EndTurn(ctx context.Context, id, user, turn string, seq int64) error {
	if err := s.Config.Sessions.Cancel(ctx, id, user, turn); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, cancelWait)
	defer cancel()
	return s.FollowSession(ctx, id, seq, func(e journal.Event) (enough bool, err error) {
		ended, is, err := session.As[session.TurnEnded](e)
		return is && ended.Turn == turn || e.Kind == journal.Resync, err
	})
}

// Decide answers, for a user, what a turn waits for. All protocols do it here.
// Changed is the field of the request that has arguments in place of the model's:
// what is wrong with them is told below it.
func (s *Turns) Decide(ctx context.Context, user, decision string, answer journal.Answer, changed string) error {
	_, err := s.Config.Sessions.Decide(ctx, decision, journal.Decider{User: user}, answer)
	var f *fault.Error
	if !errors.As(err, &f) || changed == "" {
		return err
	}
	for i, field := range f.Details.Fields {
		if below, ok := strings.CutPrefix(field.Path, session.ArgumentsField); ok {
			f.Details.Fields[i].Path = changed + below
		}
	}
	return err
}

// Answered reports whether nothing waits for the answer to a request any longer
// that a stream is about to show: it was given, or the time for it is up. A
// client that does what it is asked for as it hears of it passes over those.
func (s *Turns) Answered(ctx context.Context, decision string) (bool, error) {
	d, err := s.Config.Journal.Decision(ctx, decision)
	if fault.CodeOf(err) == sdkapi.DecisionNotFound { // it is not kept any longer
		return true, nil
	}
	return d.State != journal.Pending, err
}

// Past reports whether an event belongs to a turn that had ended when a session
// was in that state.
func Past(state *session.State, e journal.Event) bool {
	return e.Seq <= state.Seq && (state.Turn == nil || e.Seq < state.Began)
}

// MayAnswer lets through who answers a question by its id alone. That of a
// turn's call follows from the turn's random id, and was told to the program
// that began the turn. That of a call over MCP follows from the call, which the
// model knows.
func (s *Turns) MayAnswer(ctx context.Context, d journal.Decision) error {
	if d.Stream != approvals.Stream(d.User) {
		return nil
	}
	return s.CheckKey(ctx)
}
