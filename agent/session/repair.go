package session

import (
	"context"
	"errors"
	"log/slog"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// A turn fails if its model cannot continue with the history, however often it is asked. Once in a
// turn, the history is condensed and the model asked again:
//
//	ask -> failure -> Repaired -> ask -> answer    the condensed history stays
//	                               |
//	                               '-> failure     the turn ends; its history is restored

// Numbers of failures after which a turn is repaired.
const (
	maxBroken    = 2 // interrupted answers of one round
	maxEmpty     = 2 // consecutive answers without text and calls
	maxMalformed = 3 // consecutive answers with only malformed calls
)

// recoverable is the error of a turn that can be repaired.
type recoverable struct {
	reason RepairReason
	cause  error // error with which the turn would end; may be nil
}

// Error returns a text for the log, which begins with the reason. Users see only the message of the
// cause.
func (e *recoverable) Error() string {
	if e.cause == nil {
		return string(e.reason)
	}
	return string(e.reason) + ": " + e.cause.Error()
}

func (e *recoverable) Unwrap() error { return e.cause }

// tryRepair decides what follows a failed answer: another request if it was interrupted, or a
// repair for a reason. It chooses neither after a repair, or if another history would not help.
func (w *worker) tryRepair(ctx context.Context, err error, said bool) (again bool, reason RepairReason) {
	t := w.state.Turn
	reason = ailment(err, said)
	if reason == "" || t.Repaired != "" || ctx.Err() != nil {
		return false, ""
	}
	if fault.CodeOf(err) == sdkapi.ModelUnavailable && t.Asked < maxBroken {
		w.log.Info("the model's answer was interrupted; asking again", slog.String("turn", t.ID), slog.Any("err", err))
		return true, ""
	}
	return false, reason
}

// ailment returns the reason for a repair. err is the error of an answer, and said reports whether
// the answer had begun. It returns "" for errors of keys, limits and networks.
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

// repair condenses the turn's history. It cancels calls that were not made, because the model makes
// new ones.
func (w *worker) repair(ctx context.Context, s *recoverable) error {
	t := w.state.Turn
	w.log.Warn("the model failed on the history; retrying with a shorter one", slog.String("turn", t.ID), slog.Any("err", s))
	var ends []Event
	for _, c := range t.Calls {
		if c.Phase != CallEnded {
			ends = append(ends, w.ended(c, Canceled, failure("Not run: the request to the model is retried.")))
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
