package session

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// run works on the turn until it has ended, or until ctx ends.
func (w *worker) run(ctx context.Context) error {
	ctx, cancel := context.WithDeadlineCause(ctx, w.state.Turn.Started.Add(w.cfg.Limits.WallTime), errTime)
	defer cancel()
	err := w.settle(ctx)
	for err == nil && w.state.Turn != nil {
		err = w.step(ctx)
		if s := (*recoverable)(nil); errors.As(err, &s) && ctx.Err() == nil {
			err = w.repair(ctx, s)
		}
	}
	why := context.Cause(ctx)
	switch {
	case w.state.Turn == nil:
		return nil
	case errors.Is(why, errCanceled):
		return w.end(ctx, EndCanceled, "You canceled this.", nil)
	case errors.Is(why, errRevoked), errors.Is(err, errRevoked):
		return w.end(ctx, EndRevoked, endedByRevoking, nil)
	case errors.Is(why, errTime):
		return w.end(ctx, EndTime, "The gateway ended this turn: it took longer than "+w.cfg.Limits.WallTime.String()+", the limit.", nil)
	case why != nil, isLost(err), errors.Is(err, errStopping):
		return err
	case errors.Is(err, errRepeated):
		return w.end(ctx, EndRepeated, "The gateway ended this turn: the model repeated the same call too often.", nil)
	}
	reason := EndFailed
	if fault.CodeOf(err) == sdkapi.BudgetExceeded {
		reason = EndBudget
	}
	return w.end(ctx, reason, fault.From(err).Message, err)
}

// step takes the next step that the state requires.
func (w *worker) step(ctx context.Context) error {
	t := w.state.Turn
	if err := w.revoked(ctx); err != nil {
		return err
	}
	if reason, message := w.over(t); reason != "" {
		return w.end(ctx, reason, message, nil)
	}
	switch {
	case t.Round == 0 || t.Waiting || t.Renewed:
		return w.ask(ctx)
	case !t.allEnded():
		return w.calls(ctx)
	case t.malformed() >= maxMalformed && t.Repaired == "":
		return &recoverable{MalformedCalls, nil}
	case len(t.Calls) > 0:
		return w.ask(ctx)
	case t.Empty == 0 || t.Repaired != "" || t.Round >= w.cfg.Limits.Rounds:
		return w.finish(ctx)
	case t.Empty < maxEmpty:
		return w.ask(ctx)
	}
	return &recoverable{EmptyAnswers, nil}
}

// finish ends a turn whose model makes no further calls.
func (w *worker) finish(ctx context.Context) error {
	switch w.state.Turn.End {
	case models.Length:
		return w.end(ctx, EndLength, "The answer reached the model's length limit and was cut off.", nil)
	case models.Refused:
		return w.end(ctx, EndRefused, "The model's provider refused to answer this.", nil)
	}
	if w.state.Turn.Empty > 0 {
		return w.end(ctx, EndSilent, errSilent.Message, errSilent)
	}
	return w.end(ctx, EndDone, "", nil)
}

// errSilent ends a turn whose model has said nothing again, after a repair if one was possible.
var errSilent = fault.New("session.finish", sdkapi.ModelSilent,
	"The model's answer was empty. Rephrase the message, or choose another model.")

// over returns the limit that the turn has exceeded, if any.
func (w *worker) over(t *Turn) (EndReason, string) {
	l := w.cfg.Limits
	switch {
	case t.Usage.Total() > l.Tokens:
		return EndTokens, "The gateway ended this turn: it reached the token limit."
	case !t.Waiting && t.Round >= l.Rounds && (t.Renewed || t.allEnded() && len(t.Calls) > 0):
		return EndRounds, "The gateway ended this turn: the model made too many rounds of tool calls without an answer."
	}
	return "", ""
}

// settle ends calls that a gateway which is gone has started.
func (w *worker) settle(ctx context.Context) error {
	var events []Event
	for _, c := range w.state.Turn.in(CallStarted) {
		events = append(events, w.ended(c, Unknown, failure("Result unknown: the gateway stopped during this call. "+
			"The call may have run. Check before you repeat it.")))
	}
	return w.append(ctx, events...)
}

// end gives each open call a result, so that the history stays valid, and ends the turn.
func (w *worker) end(ctx context.Context, reason EndReason, message string, cause error) error {
	t := w.state.Turn
	if err := w.withdraw(ctx, t.decisions()); err != nil {
		return err
	}
	ended := TurnEnded{Turn: t.ID, Reason: reason, Message: message, Usage: t.Usage}
	var events []Event
	if w.fragment != nil { // not earlier: a turn that continues has no fragments in its history
		events = append(events, *w.fragment)
		ended.Usage = ended.Usage.Add(w.fragment.Usage)
	}
	for _, c := range t.Calls {
		switch c.Phase {
		case CallEnded:
		case CallRequested, CallStarted:
			events = append(events, w.ended(c, Unknown, failure("Result unknown: the turn ended during this call. The call may have run. Check before you repeat it.")))
		default:
			events = append(events, w.ended(c, Canceled, failure("Not run: the turn ended.")))
		}
	}
	if reason == EndDone {
		ended.Answer = w.state.Messages[len(w.state.Messages)-1].text()
	}
	if cause != nil {
		ended.Code, ended.Resets = fault.CodeOf(cause), fault.From(cause).Details.ResetsAt
		w.log.Warn("turn failed", slog.String("turn", t.ID), slog.Any("err", cause))
	}
	if err := w.append(ctx, append(events, ended)...); err != nil {
		return err
	}
	w.figures.count(w.cfg.Via(w.id()), reason, time.Since(t.Started))
	return nil
}
