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

// worker takes one turn to its end. The next step is derived only from the state, so the same code
// continues a turn of a gateway that is gone:
//
//	 .-----------------------------.
//	 v                             |
//	ask -> answer -> judge -> run or await
//	         |
//	         '-> end
//
// A turn whose model fails on its history is repaired once, see repair.go, and continues with ask.
// Only the worker's goroutine appends events and changes the state; others append a Warned, which
// does not change the state.
type worker struct {
	cfg    Config
	stream string
	lease  journal.Lease
	state  *State
	texts  *texts

	figures *figures
	kept    int64           // number of the last event in the stored state
	all     *sync.WaitGroup // goroutines that may outlive the turn
	log     *slog.Logger
	noted   string // the turn that was reported to Config.Turned

	heard    chan Progressed // reports of running calls; nil if none runs
	draining context.Context // when it ends, the wait for decisions ends
	fragment *ModelAnswered  // the last interrupted answer; only for the turn's end
}

// Reasons why a worker stops before its model is done. errCanceled and errTime end the turn; after
// the others, another worker continues it.
var (
	errCanceled = errors.New("the turn was canceled")
	errLost     = errors.New("another gateway has taken over the turn")
	errStopping = errors.New("the gateway is stopping")
	errTime     = errors.New("the turn exceeded its time limit")
)

// isLost reports whether an error means that no more events can be written.
func isLost(err error) bool {
	switch fault.CodeOf(err) {
	case sdkapi.LeaseLost, sdkapi.StateUnavailable, sdkapi.StorageFull, sdkapi.Timeout:
		return true
	}
	return false
}

// appendTime limits the time for appending an event.
const appendTime = 30 * time.Second

// append appends events, and then changes the state: an event that a crash loses has not happened.
func (w *worker) append(ctx context.Context, events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	list, err := encode(events)
	if err != nil {
		return err
	}
	// A canceled append might still succeed.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendTime)
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

// callEnded calls Config.Ended for a call that the registry's observers miss.
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

// began reports the open turn to Config.Turned, unless this worker has done so: the gateway that
// began the turn may have died before.
func (w *worker) began(ctx context.Context) {
	t := w.state.Turn
	if t == nil || w.noted == t.ID {
		return
	}
	w.noted = t.ID
	about := Turned{Began: t.Started}
	for _, m := range w.state.Messages {
		if m.Role == models.User && m.Fence == t.Fence {
			about.Input = m.text()
			break
		}
	}
	w.turned(ctx, about)
}

// turned fills in the session, and calls Config.Turned.
func (w *worker) turned(ctx context.Context, about Turned) {
	if w.cfg.Turned != nil {
		about.Session, about.User, about.Seq = w.id(), w.state.User, w.state.Began
		w.cfg.Turned(ctx, about)
	}
}
