package gateway

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// followSession hands over a session's events after one until see has seen
// enough, or ctx ends, which is no error. When the server drains it ends with
// what has happened by the time that nobody works here on the session. It reads
// no faster than see does.
func (s *Server) followSession(ctx context.Context, id string, after int64, see func(journal.Event) (enough bool, err error)) error {
	until, ended := s.watchers.add(ctx, id)
	defer ended()
	for until.Err() == nil {
		for e, err := range s.cfg.Sessions.Follow(until, id, after) {
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
func (s *Server) readSession(ctx context.Context, id string, after int64, see func(journal.Event) (enough bool, err error)) error {
	for {
		events, err := s.cfg.Sessions.Read(ctx, id, after)
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

// decide answers, for a user, what a turn waits for. All protocols do it here.
// Changed is the field of the request that has arguments in place of the model's:
// what is wrong with them is told below it.
func (s *Server) decide(ctx context.Context, user, decision string, answer journal.Answer, changed string) error {
	_, err := s.cfg.Sessions.Decide(ctx, decision, journal.Decider{User: user}, answer)
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

// answered reports whether nothing waits for the answer to a request any longer
// that a stream is about to show: it was given, or the time for it is up. A
// client that does what it is asked for as it hears of it passes over those.
func (s *Server) answered(ctx context.Context, decision string) (bool, error) {
	d, err := s.cfg.Journal.Decision(ctx, decision)
	if fault.CodeOf(err) == sdkapi.DecisionNotFound { // it is not kept any longer
		return true, nil
	}
	return d.State != journal.Pending, err
}

// past reports whether an event belongs to a turn that had ended when a session
// was in that state.
func past(state *session.State, e journal.Event) bool {
	return e.Seq <= state.Seq && (state.Turn == nil || e.Seq < state.Began)
}
