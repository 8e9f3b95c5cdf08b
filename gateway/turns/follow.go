package turns

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/approvals"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// FollowSession calls handle for each event after the event number seq in a session, and waits for
// new events. A slow handle misses no event. If handle fails, FollowSession returns the error of
// handle. If handle returns stop, or if ctx ends, FollowSession returns nil. When the server
// drains, FollowSession continues until this gateway no longer works on the session. It then
// returns nil, after handle has received all events so far.
func (s *Turns) FollowSession(ctx context.Context, id string, seq int64, handle func(journal.Event) (stop bool, err error)) error {
	until, ended := s.Core.Watchers.Add(ctx, id)
	defer ended()
	for until.Err() == nil {
		for e, err := range s.Sessions.Follow(until, id, seq) {
			if fault.CodeOf(err) == sdkapi.FollowerLags || until.Err() != nil {
				break
			}
			if err != nil {
				return err
			}
			seq = e.Seq
			if stop, err := handle(e); stop || err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	for e, err := range s.Events(ctx, id, seq) {
		if err != nil {
			return err
		}
		if stop, err := handle(e); stop || err != nil {
			return err
		}
	}
	return nil
}

// Events yields the stored events of a session after the event number seq. It does not wait for new
// events.
func (s *Turns) Events(ctx context.Context, id string, seq int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for {
			events, err := s.Sessions.Read(ctx, id, seq)
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			for _, e := range events {
				if seq = e.Seq; !yield(e, nil) {
					return
				}
			}
			if len(events) == 0 {
				return
			}
		}
	}
}

// EndTurn cancels a turn and waits for its end. It waits at most CancelTime, and a timeout is not
// an error. seq is the number of the session's last event. If the turn's gateway has crashed, the
// turn ends when another gateway resumes it.
func (s *Turns) EndTurn(ctx context.Context, id, user, turn string, seq int64) error {
	if err := s.Sessions.Cancel(ctx, id, user, turn); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.CancelTime)
	defer cancel()
	return s.FollowSession(ctx, id, seq, func(e journal.Event) (enough bool, err error) {
		ended, is, err := session.As[session.TurnEnded](e)
		return is && ended.Turn == turn || e.Kind == journal.Resync, err
	})
}

// Decide stores a user's answer to a decision of a turn. An answer can replace the arguments of a
// tool call. argumentsPath is the path of these arguments in the request, for example
// "body.input", and validation errors use this path.
func (s *Turns) Decide(ctx context.Context, user, decision string, answer journal.Answer, argumentsPath string) error {
	_, err := s.Sessions.Decide(ctx, decision, journal.Decider{User: user}, answer)
	var f *fault.Error
	if !errors.As(err, &f) || argumentsPath == "" {
		return err
	}
	for i, field := range f.Details.Fields {
		if below, ok := strings.CutPrefix(field.Path, session.ArgumentsField); ok {
			f.Details.Fields[i].Path = argumentsPath + below
		}
	}
	return err
}

// Answered reports whether a decision is already answered, expired or deleted. A stream calls it
// before it shows a request again, because some clients act on each request at once.
func (s *Turns) Answered(ctx context.Context, decision string) (bool, error) {
	d, err := s.Journal.Decision(ctx, decision)
	if fault.CodeOf(err) == sdkapi.DecisionNotFound { // deleted after its retention
		return true, nil
	}
	return d.State != journal.Pending, err
}

// Past reports whether e is an event of an old turn: of a turn that had already ended at the time
// of state.
func Past(state *session.State, e journal.Event) bool {
	return e.Seq <= state.Seq && (state.Turn == nil || e.Seq < state.Began)
}

// MayAnswer returns an error if the caller may not answer a decision. An answer to a question about
// an MCP call requires the approval key, because the model can derive the question's id from the
// call. An answer to a question of a turn requires no key. The id of such a question derives from
// the random id of the turn, which only the program that started the turn knows.
func (s *Turns) MayAnswer(ctx context.Context, d journal.Decision) error {
	if d.Stream != approvals.Stream(d.User) {
		return nil
	}
	return s.Core.CheckKey(ctx)
}

// Prepare creates a session or updates its settings, and returns the state before the change. The
// function settings gets the current settings and returns the new settings. The current settings of
// a new session are zero. While a turn runs, Prepare changes nothing.
func (s *Turns) Prepare(ctx context.Context, id, user string, settings func(before session.Settings) session.Settings) (*session.State, error) {
	all := s.Sessions
	state, err := all.State(ctx, id, user)
	switch {
	case fault.CodeOf(err) == sdkapi.SessionNotFound:
		state = &session.State{}
		err = all.Create(ctx, id, user, settings(session.Settings{}))
	case err != nil || state.Turn != nil:
		return state, err
	default:
		if wanted := settings(state.Settings); !sameSettings(state.Settings, wanted) {
			err = all.Configure(ctx, id, user, wanted)
		}
	}
	if fault.CodeOf(err) == sdkapi.TurnRunning { // another request has started a turn meanwhile
		return all.State(ctx, id, user)
	}
	return state, err
}
