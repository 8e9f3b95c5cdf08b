package session

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// worker takes one turn to its end. The next step follows from the state alone, so
// that the same code continues a turn of a gateway that is gone:
//
//	 .-----------------------------.
//	 v                             |
//	ask -> answer -> judge -> run or await
//	         |
//	         '-> end
//
// A turn whose model fails on its history is repaired once, see repair.go, and
// goes on with ask. Only the worker's goroutine appends events and changes the
// state; others append a Warned, which does not change the state.
type worker struct {
	cfg    Config
	stream string
	lease  journal.Lease
	state  *State
	texts  *texts

	figures *figures
	kept    int64           // last event of the state that is kept as a snapshot
	all     *sync.WaitGroup // of goroutines that may outlive the turn
	log     *slog.Logger
	noted   string // the turn that Config.Turned got

	heard    chan Progressed // of the calls that run; nil while none does
	draining context.Context // ends the wait for decisions
	fragment *ModelAnswered  // of the last answer that broke off; for the turn's end alone
}

// Why a worker stops before its model is done. errCanceled and errTime end the
// turn; after the others, another worker goes on.
var (
	errCanceled = errors.New("the turn was canceled")
	errLost     = errors.New("another gateway works on the turn")
	errStopping = errors.New("the gateway stops")
	errTime     = errors.New("the turn took too long")
)

// run works until the turn has ended, or ctx.
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
		return w.end(ctx, EndTime, "This took longer than "+w.cfg.Limits.WallTime.String()+", and was ended.", nil)
	case why != nil, isLost(err), errors.Is(err, errStopping):
		return err
	case errors.Is(err, errRepeated):
		return w.end(ctx, EndRepeated, "The model made the same call again and again, and was ended.", nil)
	}
	reason := EndFailed
	if fault.CodeOf(err) == sdkapi.BudgetExceeded {
		reason = EndBudget
	}
	return w.end(ctx, reason, fault.From(err).Message, err)
}

// isLost reports whether an error means that nothing more can be written.
func isLost(err error) bool {
	switch fault.CodeOf(err) {
	case sdkapi.LeaseLost, sdkapi.StateUnavailable, sdkapi.StorageFull, sdkapi.Timeout:
		return true
	}
	return false
}

// step does the next thing that the state asks for.
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

// allEnded reports whether each call of the last answer has a result.
func (t *Turn) allEnded() bool { return len(t.in(CallEnded)) == len(t.Calls) }

// finish ends a turn whose model has nothing more to call.
func (w *worker) finish(ctx context.Context) error {
	switch w.state.Turn.End {
	case models.Length:
		return w.end(ctx, EndLength, "The answer was longer than the model may write, and was cut off.", nil)
	case models.Refused:
		return w.end(ctx, EndRefused, "The model's provider refused to answer this.", nil)
	}
	if w.state.Turn.Empty > 0 {
		return w.end(ctx, EndSilent, errSilent.Message, errSilent)
	}
	return w.end(ctx, EndDone, "", nil)
}

// errSilent ends a turn whose model said nothing again, with another history if
// the turn could be repaired.
var errSilent = fault.New("session.finish", sdkapi.ModelSilent,
	"The model answered without a word or a call. Say it in other words, or choose another model.")

// over returns the limit that the turn has exceeded, if any.
func (w *worker) over(t *Turn) (EndReason, string) {
	l := w.cfg.Limits
	switch {
	case t.Usage.Total() > l.Tokens:
		return EndTokens, "This used up its tokens, and was ended."
	case !t.Waiting && t.Round >= l.Rounds && (t.Renewed || t.allEnded() && len(t.Calls) > 0):
		return EndRounds, "The model went on for too long without an answer, and was ended."
	}
	return "", ""
}

// settle ends the calls that a gateway that is gone has started.
func (w *worker) settle(ctx context.Context) error {
	var events []Event
	for _, c := range w.state.Turn.in(CallStarted) {
		events = append(events, w.ended(c, Unknown, failure("Nobody knows what came of this call: the gateway stopped while it ran. "+
			"It may have been done. See whether it was before you repeat it.")))
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
	if w.fragment != nil { // not before: a turn that goes on has no fragments in its history
		events = append(events, *w.fragment)
		ended.Usage = ended.Usage.Add(w.fragment.Usage)
	}
	for _, c := range t.Calls {
		switch c.Phase {
		case CallEnded:
		case CallRequested, CallStarted:
			events = append(events, w.ended(c, Unknown, failure("The turn was ended while this call was made. It may have been done. See whether it was before you repeat it.")))
		default:
			events = append(events, w.ended(c, Canceled, failure("This call was not made: the turn was ended.")))
		}
	}
	if reason == EndDone {
		ended.Answer = w.state.Messages[len(w.state.Messages)-1].text()
	}
	if cause != nil {
		ended.Code, ended.Resets = fault.CodeOf(cause), fault.From(cause).Details.ResetsAt
		w.log.Warn("a turn failed", slog.String("turn", t.ID), slog.Any("err", cause))
	}
	if err := w.append(ctx, append(events, ended)...); err != nil {
		return err
	}
	w.figures.count(w.cfg.Via(w.id()), reason, time.Since(t.Started))
	return nil
}

// appendTime bounds how long keeping an event may take.
const appendTime = 30 * time.Second

// append appends events, and only then changes the state: an event that a crash
// loses has not happened.
func (w *worker) append(ctx context.Context, events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	list, err := encode(events)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendTime) // a canceled append may have succeeded
	defer cancel()
	last, err := w.cfg.Journal.AppendAs(ctx, w.lease, w.stream, list...)
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Seq = last - int64(len(list)-1-i)
		if err := w.state.Apply(list[i]); err != nil {
			return err
		}
		switch e := events[i].(type) {
		case ToolEnded:
			w.callEnded(e)
		case TurnStarted:
			w.began(ctx)
		case TurnEnded:
			w.turned(ctx, Turned{Ended: time.Now(), Reason: e.Reason})
		}
	}
	return nil
}

// callEnded calls Config.Ended for a call without the registry's observers.
func (w *worker) callEnded(e ToolEnded) {
	c := w.state.Turn.call(e.Call)
	if w.cfg.Ended == nil || c.invoked.Load() {
		return
	}
	tool, _ := find(Tools(w.cfg.Tools.View(), w.state.Settings), c.Name)
	if tool.Registered != "" {
		e.Tool = tool.Registered
	}
	call := w.about()
	call.ID, call.Arguments, call.Consent = c.ID, c.Arguments, c.Consent
	w.cfg.Ended(call, tool.Client, e)
}

// about returns the fields that all calls of the turn share.
func (w *worker) about() agent.Call {
	return agent.Call{Session: w.stream, User: w.state.User, Via: w.cfg.Via(w.id()), Spent: w.state.Turn.Usage.Total()}
}

// id returns the session's id.
func (w *worker) id() string { return strings.TrimPrefix(w.stream, streamOf("")) }

// ended returns the event of a call's end.
func (w *worker) ended(c *Call, outcome Outcome, r Result) ToolEnded {
	r.Call, r.Tool = c.ID, c.Name
	seconds := 0.0
	if !c.Began.IsZero() {
		seconds = time.Since(c.Began).Seconds()
	}
	return ToolEnded{Turn: w.state.Turn.ID, Call: c.ID, Tool: c.Name, Result: r, Outcome: outcome, Seconds: seconds}
}

// failure returns a failed result, with the gateway's text for the model.
func failure(text string) Result {
	return Result{Parts: []Part{{Text: text}}, IsError: true}
}
