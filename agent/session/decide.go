package session

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
)

// ArgumentsField is what the fields of a fault about a call's arguments are
// below.
const ArgumentsField = "arguments"

// Decide answers what a turn waits for: whether a call may be made, or what came
// of it at the client. All protocols answer by it, and not by the journal's
// Decide, to whose errors it adds these: VALIDATION_ERROR, with the fields below
// ArgumentsField, for arguments that the user changed to ones that the tool does
// not take, which leaves the question open; and DECISION_EXPIRED where the turn
// has ended, or somebody asked to end it, as then nothing would come of the
// answer. The same answer again is as fine as it was.
func (s *Sessions) Decide(ctx context.Context, id string, by journal.Decider, answer journal.Answer) (journal.Decision, error) {
	d, err := s.cfg.Journal.Decision(ctx, id)
	if err != nil {
		return journal.Decision{}, err
	}
	session, isOurs := strings.CutPrefix(d.Stream, streamOf(""))
	if isOurs && d.State == journal.Pending && d.User == by.User {
		if err := s.awaits(ctx, session, d, answer); err != nil {
			return journal.Decision{}, err
		}
	}
	return s.cfg.Journal.Decide(ctx, id, by, answer)
}

// awaits sees to it that a session waits for a decision, or else that it cannot
// be made any longer, and refuses an answer with which the call could not be
// made.
func (s *Sessions) awaits(ctx context.Context, id string, d journal.Decision, answer journal.Answer) error {
	state, _, err := s.load(ctx, id)
	if err != nil {
		return err
	}
	call := state.Turn.asking(d)
	canceled := false
	if call != nil {
		if canceled, err = s.canceled(ctx, id, state.Turn); err != nil {
			return err
		}
	}
	if call == nil || canceled {
		return s.cfg.Journal.Withdraw(ctx, d.ID)
	}
	if d.Kind != Approval || answer.Denied || isNull(answer.Value) {
		return nil
	}
	if tool, found := find(Offered(s.cfg.Tools.View(), state.Settings), call.Name); found {
		return staysOpen(tool.check(answer.Value))
	}
	return nil // the worker tells the model that it is gone
}

// staysOpen adds to a fault about arguments what becomes of the question.
func staysOpen(err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		f.Message = "the arguments do not fit the tool; details.fields says why, and the question stays open"
	}
	return err
}

// asking returns the open call that a decision is about, nil for none. A nil
// turn has no calls.
func (t *Turn) asking(d journal.Decision) *Call {
	if t == nil {
		return nil
	}
	i := slices.IndexFunc(t.Calls, func(c *Call) bool {
		return c.Phase != CallEnded && decisionID(t.ID, t.Round, c.ID, d.Kind) == d.ID
	})
	if i < 0 {
		return nil
	}
	return t.Calls[i]
}

// canceled reports whether somebody asked to end a turn. Whoever works on it may
// not have heard of it yet.
func (s *Sessions) canceled(ctx context.Context, id string, t *Turn) (bool, error) {
	for after := t.Control; ; {
		events, err := s.cfg.Journal.Read(ctx, controlOf(id), after, journal.MaxEvents)
		if err != nil || len(events) == 0 {
			return false, err
		}
		for _, e := range events {
			if after = e.Seq; asksFor(e, t.ID) {
				return true, nil
			}
		}
	}
}

// isNull reports whether an answer has no value.
func isNull(value json.RawMessage) bool {
	return len(value) == 0 || string(value) == "null"
}
