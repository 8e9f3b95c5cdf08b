package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// A turn is stuck when its model does not get on with the history, and would
// not however often it was asked. Once in a turn the history is condensed then,
// and the model asked anew:
//
//	ask -> stuck -> Repaired -> ask -> answer   the condensed history stays
//	                             |
//	                             '-> stuck      the turn ends; its history is as it was

// RepairReason says how a model did not get on with a history.
type RepairReason string

// The reasons.
const (
	ContextFull    RepairReason = "context_full"    // it is too long for the model
	ContextRefused RepairReason = "refused"         // the provider takes no such request
	BrokenOff      RepairReason = "broken_off"      // answers broke off, or went on without end
	EmptyAnswers   RepairReason = "empty"           // answers say nothing
	MalformedCalls RepairReason = "malformed_calls" // calls are of tools that there are not, or with wrong arguments
	RepeatedCalls  RepairReason = "repeated_calls"  // the very same call again and again, see Limits.Repeated
)

// Message says what happened, for the user.
func (r RepairReason) Message() string {
	why := map[RepairReason]string{
		ContextFull: "it is too long for the model", ContextRefused: "the model's provider refused it", BrokenOff: "the model's answers broke off",
		EmptyAnswers: "the model did not say anything", MalformedCalls: "the model called tools in ways that there are not",
		RepeatedCalls: "the model made the same call again and again",
	}[r]
	if why == "" { // a newer gateway's
		why = "the model did not get on with it"
	}
	return "The conversation was shortened, as " + why + ". The model is asked again."
}

// What a turn puts up with before it is stuck.
const (
	maxBroken    = 2 // times that the answer of one round breaks off
	maxEmpty     = 2 // answers in a row without a word or a call
	maxMalformed = 3 // answers in a row with nothing but malformed calls
)

// recoverable is the error of a turn that can be repaired.
type recoverable struct {
	reason RepairReason
	cause  error // that the turn would end with; nil for none
}

func (e *recoverable) Error() string {
	if e.cause == nil {
		return string(e.reason)
	}
	return string(e.reason) + ": " + e.cause.Error()
}

func (e *recoverable) Unwrap() error { return e.cause }

// tryRepair chooses what to do about an answer that failed: to ask again, once,
// for one that broke off, as networks break; or to repair the turn, for a reason.
// It chooses neither for a turn that was repaired before, and for an error that
// no other history mends.
func (w *worker) tryRepair(ctx context.Context, err error, said bool) (again bool, reason RepairReason) {
	t := w.state.Turn
	reason = ailment(err, said)
	if reason == "" || t.Repaired != "" || ctx.Err() != nil {
		return false, ""
	}
	if fault.CodeOf(err) == sdkapi.ModelUnavailable && t.Asked < maxBroken {
		w.log.Info("a model that broke off is asked again", slog.String("turn", t.ID), slog.Any("err", err))
		return true, ""
	}
	return false, reason
}

// ailment returns how a model did not get on with what it was asked, by the
// error that its answer ended with, which had begun or not. Empty is for what
// has other reasons: keys, limits, networks.
func ailment(err error, said bool) RepairReason {
	var refusal *models.Refusal
	code := fault.CodeOf(err)
	switch {
	case code == sdkapi.ModelContextFull:
		return ContextFull
	case errors.As(err, &refusal) && code == sdkapi.ModelError:
		if refusal.OfRequest() {
			return ContextRefused
		}
	case said && (code == sdkapi.ModelUnavailable || code == sdkapi.ModelError):
		return BrokenOff
	}
	return ""
}

// malformed returns how many answers in a row, the last one included, had
// nothing but malformed calls, and such as were canceled for them.
func (t *Turn) malformed() int {
	wrong := false
	for _, c := range t.Calls {
		if !c.Malformed && c.Outcome != Canceled {
			return 0
		}
		wrong = wrong || c.Malformed
	}
	if !wrong {
		return 0
	}
	return t.Malformed + 1
}

// repair puts a condensed history in place of the turn's. Calls that have not
// been made are not made: the model says anew what it wants.
func (w *worker) repair(ctx context.Context, s *recoverable) error {
	t := w.state.Turn
	w.log.Warn("a turn is repaired", slog.String("turn", t.ID), slog.Any("err", s))
	var ends []Event
	for _, c := range t.Calls {
		if c.Phase != CallEnded {
			ends = append(ends, w.ended(c, Canceled, failure("This call was not made: the model is asked anew.")))
		}
	}
	if err := w.withdraw(ctx, t.decisions()); err != nil {
		return err
	}
	if err := w.append(ctx, ends...); err != nil {
		return err
	}
	messages, left := condense(w.state, s.reason)
	return w.append(ctx, Repaired{Turn: t.ID, Reason: s.reason, LeftOut: left, Messages: messages})
}

// repaired puts the condensed history in place, until the turn's end shows
// whether that helped.
func (s *State) repaired(e Repaired) error {
	t, err := s.open(e.Turn)
	if err != nil {
		return err
	}
	if t.Repaired != "" || len(e.Messages) == 0 {
		return fmt.Errorf("the turn %s cannot be repaired with %d messages", t.ID, len(e.Messages))
	}
	s.Tainted = s.Tainted || anyFrom(s.Messages)
	s.Repairs++
	t.before, t.condensed, s.Messages = s.Messages, len(e.Messages), e.Messages
	t.Repaired, t.Renewed, t.Calls = e.Reason, true, nil
	return nil
}
