package session

import (
	"context"
	"errors"
	"slices"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/state/journal"
)

// Decide stores the answer to a decision of a turn, which waits for an approval or for a client's
// result. All protocols call it in place of the journal's Decide. It returns the errors of the
// journal's Decide, and two more errors. If the user has changed the arguments and they do not fit
// the tool, it fails with VALIDATION_ERROR. Then the names of the error's fields begin with
// ArgumentsField, and the decision stays open. If the turn has ended or was canceled, it fails with
// DECISION_EXPIRED. A caller may give the same answer twice.
func (s *Sessions) Decide(ctx context.Context, id string, by journal.Decider, answer journal.Answer) (journal.Decision, error) {
	d, err := s.cfg.Journal.Decision(ctx, id)
	if err != nil {
		return journal.Decision{}, err
	}
	session, isOurs := Of(d)
	if isOurs && d.State == journal.Pending && d.User == by.User {
		if err := s.awaits(ctx, session, d, answer); err != nil {
			return journal.Decision{}, err
		}
	}
	return s.cfg.Journal.Decide(ctx, id, by, answer)
}

// awaits checks an answer. If no session waits for it, it withdraws the decision.
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
		_, err := tool.fit(answer.Value)
		return staysOpen(err)
	}
	return nil // the tool was removed; the worker refuses the call later
}

// staysOpen adds to a fault about arguments that the question stays open.
func staysOpen(err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		f.Message = "the arguments do not match the tool's schema; details.fields lists the problems. The approval still waits"
	}
	return err
}

// asking returns the open call that a decision is about; nil if there is none, or if t is nil.
func (t *Turn) asking(d journal.Decision) *Call {
	if t == nil {
		return nil
	}
	i := slices.IndexFunc(t.Calls, func(c *Call) bool {
		return c.Phase != CallEnded && (t.decisionID(c, d.Kind, c.Questions) == d.ID || t.decisionID(c, d.Kind, c.Questions-1) == d.ID)
	})
	if i < 0 {
		return nil
	}
	return t.Calls[i]
}

// canceled reports whether somebody has asked to end a turn. The turn's worker may not know it yet.
func (s *Sessions) canceled(ctx context.Context, id string, t *Turn) (bool, error) {
	return s.hasControl(ctx, id, t.Control, func(e journal.Event) bool { return asksFor(e, t.ID) })
}

// Asked returns the event that asked for an approval. ok is false if no session waits for the answer, because the turn
// has ended or because the decision is not about a call of a turn.
func (s *Sessions) Asked(ctx context.Context, d journal.Decision) (asked ApprovalRequested, ok bool, err error) {
	id, ok := Of(d)
	if !ok || d.Kind != Approval {
		return asked, false, nil
	}
	state, _, err := s.load(ctx, id)
	if err != nil {
		return asked, false, err
	}
	if c := state.Turn.asking(d); c == nil || c.Phase != CallAsked {
		return asked, false, nil
	}
	for e, err := range s.events(ctx, d.Stream, state.Began-1) {
		if err != nil {
			return asked, false, err
		}
		asked, is, err := As[ApprovalRequested](e)
		if err != nil || is && asked.Decision == d.ID {
			return asked, err == nil, err
		}
	}
	return asked, false, nil
}
