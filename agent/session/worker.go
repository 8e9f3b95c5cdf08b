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

// isLost reports whether an error means that nothing more can be written.
func isLost(err error) bool {
	switch fault.CodeOf(err) {
	case sdkapi.LeaseLost, sdkapi.StateUnavailable, sdkapi.StorageFull, sdkapi.Timeout:
		return true
	}
	return false
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

// began reports the open turn to Config.Turned, unless this worker has done so:
// the gateway that began the turn may have died before.
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
