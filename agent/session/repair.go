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

// A turn fails when its model cannot go on with the history, however often it is
// asked. Once in a turn the history is condensed, and the model asked anew:
//
//	ask -> failure -> Repaired -> ask -> answer    the condensed history stays
//	                               |
//	                               '-> failure     the turn ends; its history is restored

// RepairReason says how a model failed on a history.
type RepairReason string

// The reasons.
const (
	ContextFull    RepairReason = "context_full"    // too long for the model
	ContextRefused RepairReason = "refused"         // the provider refuses the request
	BrokenOff      RepairReason = "broken_off"      // answers broke off, or did not end
	EmptyAnswers   RepairReason = "empty"           // answers without text and calls
	MalformedCalls RepairReason = "malformed_calls" // calls of unknown tools, or with invalid arguments
	RepeatedCalls  RepairReason = "repeated_calls"  // equal calls, see Limits.Repeated
)

// Message says what happened, for the user.
func (e Repaired) Message() string {
	why := map[RepairReason]string{
		ContextFull: "The conversation is too long for the model.", ContextRefused: "The model's provider refused the conversation.",
		BrokenOff: "The model's answers broke off.", EmptyAnswers: "The model did not say anything.",
		MalformedCalls: "The model called tools in ways that there are not.", RepeatedCalls: "The model made the same call again and again.",
	}[e.Reason]
	if why == "" { // a newer gateway's
		why = "The model did not get on with the conversation."
	}
	if e.LeftOut.Bytes == 0 && e.LeftOut.Images == 0 {
		return why + " The model is asked again."
	}
	return why + " The conversation was shortened, and the model is asked again."
}

// The failures after which a turn is repaired.
const (
	maxBroken    = 2 // broken answers of one round
	maxEmpty     = 2 // answers in a row without text and calls
	maxMalformed = 3 // answers in a row with malformed calls alone
)

// recoverable is the error of a turn that can be repaired.
type recoverable struct {
	reason RepairReason
	cause  error // that the turn would end with; may be nil
}

func (e *recoverable) Error() string {
	if e.cause == nil {
		return string(e.reason)
	}
	return string(e.reason) + ": " + e.cause.Error()
}

func (e *recoverable) Unwrap() error { return e.cause }

// tryRepair decides what follows an answer that failed: one more request if it broke off, or a
// repair, for a reason. It chooses neither after a repair, or if another history does not help.
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

// ailment returns the reason for a repair, given the error of an answer and
// whether the answer had begun. It is empty for errors of keys, limits and networks.
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

// malformed returns the number of answers in a row, with the last one, that have
// malformed calls and calls canceled for them alone.
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

// repair condenses the turn's history. Calls that were not made are canceled: the
// model makes new ones.
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

// repaired replaces the history until the turn's end shows whether that helped.
func (s *State) repaired(e Repaired) error {
	t, err := s.open(e.Turn)
	if err != nil {
		return err
	}
	if t.Repaired != "" || len(e.Messages) == 0 {
		return fmt.Errorf("the turn %s cannot be repaired with %d messages", t.ID, len(e.Messages))
	}
	s.Tainted = s.Tainted || anyUntrusted(s.Messages)
	s.Repairs++
	t.before, t.condensed, s.Messages = s.Messages, len(e.Messages), e.Messages
	t.Repaired, t.Renewed, t.Calls = e.Reason, true, nil
	return nil
}
