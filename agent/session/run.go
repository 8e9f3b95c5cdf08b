package session

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// runNext makes the next approved calls: safe ones in parallel, a client's as one bundle in order,
// and others one at a time. A client that asks its user gets single calls too, because the user's
// answer may stop the next one. Calls that are not in fresh are judged again: they have waited for
// a person or for earlier calls, and tools and rules may have changed.
func (w *worker) runNext(ctx context.Context, list []Tool, fresh []*Call) error {
	var together []*Call
	var first Tool
	for _, c := range w.state.Turn.in(CallApproved) {
		tool, found := find(list, c.Name)
		if !found { // it was removed since
			return w.append(ctx, w.ended(c, Refused, failure("Not run: the tool was removed.")))
		}
		if len(together) > 0 && !goTogether(first, tool, w.state.Settings) {
			break
		}
		together, first = append(together, c), tool
	}
	waited := slices.DeleteFunc(slices.Clone(together), func(c *Call) bool { return slices.Contains(fresh, c) })
	if approved, err := w.judgeAll(ctx, list, waited); !approved {
		return err
	}
	switch {
	case len(together) == 0:
		return nil
	case first.Client:
		return w.request(ctx, together)
	}
	return w.runHere(ctx, list, together)
}

// goTogether reports whether calls of two tools may run at the same time.
func goTogether(a, b Tool, s Settings) bool {
	if a.Client || b.Client {
		return a.Client && b.Client && !s.ClientAsks && !s.OneByOne
	}
	return !a.consequential() && !b.consequential()
}

// runHere runs tools of the gateway.
func (w *worker) runHere(ctx context.Context, list []Tool, calls []*Call) error {
	turn := w.state.Turn.ID
	var started []Event
	for _, c := range calls {
		c.Began = time.Now()
		started = append(started, ToolStarted{Turn: turn, Call: c.ID, Tool: c.Name, Arguments: c.Arguments})
	}
	if err := w.append(ctx, started...); err != nil {
		return err
	}
	view, about := w.cfg.Tools.View(), w.about()
	heard := make(chan Progressed, maxHeard)
	w.heard = heard
	defer func() { w.heard = nil }()
	invoke := func(ctx context.Context, c *Call) (agent.Result, error) {
		tool, _ := find(list, c.Name)
		reports := &hearer{heard: heard, event: Progressed{Turn: turn, Call: c.ID}}
		defer reports.end(ctx)
		ctx = agent.WithProgress(ctx, reports.hear)
		call := about
		call.ID, call.Arguments, call.Consent = c.ID, c.Arguments, c.Consent
		c.invoked.Store(true)
		// The tool may have changed while the call waited.
		res, err := view.View(tool.still).Invoke(ctx, tool.Registered, call)
		if err != nil && ctx.Err() == nil {
			return agent.Result{Content: []agent.Part{agent.Text(fault.From(agent.WithCandidates(err)).Message)}, IsError: true, Usage: res.Usage}, nil
		}
		// It failed or was stopped: its effect is unknown.
		if err == nil && res.IsError && ctx.Err() != nil {
			return res, ctx.Err()
		}
		return res, err
	}
	return each(ctx, w, calls, w.cfg.Limits.Parallel, invoke, func(c *Call, res agent.Result) error {
		result, err := w.result(ctx, res)
		if err != nil {
			return err
		}
		ended := w.ended(c, Done, result)
		ended.Usage, ended.Output = res.Usage, structured(res)
		events := []Event{ended}
		if res.Warning != "" {
			events = append(events, Warned{Turn: turn, Call: c.ID, Message: shorten(res.Warning, maxWarning)})
		}
		return w.append(ctx, events...)
	})
}

// maxOutput is the maximum size of a call's structured output, in bytes. For a larger one, people
// who watch get the text.
const maxOutput = 256 << 10

// structured returns a tool's structured output if models get another text and it is not too large.
func structured(res agent.Result) json.RawMessage {
	if len(res.Content) == 0 || res.IsError || len(res.Structured) > maxOutput {
		return nil
	}
	return res.Structured
}

// maxWarning is the maximum length of a warning, in bytes.
const maxWarning = 2000

// result converts a tool's answer for the history: text, cut for the model, and images, stored as
// artifacts.
func (w *worker) result(ctx context.Context, res agent.Result) (Result, error) {
	r := Result{IsError: res.IsError}
	text := func(s string) { r.Parts = append(r.Parts, Part{Text: s, Untrusted: true}) }
	for _, p := range res.Content {
		switch p.Kind {
		case agent.TextPart:
			text(p.Text)
		case agent.JSONPart:
			text(string(p.JSON))
		case agent.ImagePart:
			id, err := w.cfg.Keep(ctx, w.state.User, p.MediaType, p.Data)
			if err != nil {
				return Result{}, err
			}
			r.Parts = append(r.Parts, Part{Artifact: id})
		}
	}
	if len(res.Content) == 0 && len(res.Structured) > 0 {
		text(string(res.Structured))
	}
	r, _ = cutResult(r, w.cfg.Limits.ResultBytes)
	return r, nil
}

// request asks the client to run tools, several as one bundle. The decisions are opened before the
// events are appended. A call that cannot be made ends the bundle.
func (w *worker) request(ctx context.Context, calls []*Call) error {
	var ready []ToolRequested
	var refused []Event
	for _, c := range calls {
		arguments, problem, err := w.cfg.Prepare(ctx, w.state, c)
		if err != nil {
			return err
		}
		if problem != nil {
			refused = []Event{w.ended(c, Refused, *problem)}
			break
		}
		requested, err := w.openRequest(ctx, c, arguments)
		if err != nil {
			return err
		}
		ready = append(ready, requested)
	}
	var events []Event
	for i, r := range ready {
		if len(ready) > 1 {
			r.Bundle, r.Last = ready[0].Decision, i == len(ready)-1
		}
		events = append(events, r)
	}
	return w.append(ctx, append(events, refused...)...)
}

// openRequest opens the decision for a client's result.
func (w *worker) openRequest(ctx context.Context, c *Call, arguments json.RawMessage) (ToolRequested, error) {
	digest, err := journal.Digest(c.Name, arguments)
	if err != nil {
		return ToolRequested{}, err
	}
	c.Began, c.Arguments = time.Now(), arguments
	d, err := w.open(ctx, c, Outside, digest)
	// A gateway that is gone has asked, for another screen.
	if fault.CodeOf(err) == sdkapi.DecisionConflict {
		if d, err = w.cfg.Journal.Decision(ctx, w.state.Turn.decisionID(c, Outside, 0)); err == nil {
			arguments, c.Arguments = d.Request, d.Request
		}
	}
	return ToolRequested{
		Turn: w.state.Turn.ID, Call: c.ID, Tool: c.Name, Arguments: arguments, Decision: d.ID, Risk: c.Risk, Allowed: c.Allowed, Reason: c.Asked, Expires: d.Expires,
	}, err
}

// awaitClient waits for the client's results, and appends them in the order of their calls.
func (w *worker) awaitClient(ctx context.Context, calls []*Call) error {
	for _, c := range calls {
		d, err := w.awaitDecision(ctx, c)
		if err != nil {
			return err
		}
		if err := w.append(ctx, w.endOf(c, d)); err != nil {
			return err
		}
	}
	return nil
}

// endOf returns the end of a client's call, by its decision.
func (w *worker) endOf(c *Call, d journal.Decision) ToolEnded {
	var r Result
	switch {
	case d.State == journal.Expired && d.Answer.Reason == journal.ReasonWithdrawn:
		return w.ended(c, Unknown, failure("Result unknown: the turn ended before the client answered. The call may have run. Check before you repeat it."))
	case d.State == journal.Expired:
		return w.ended(c, Unknown, failure("Result unknown: the client did not answer in time. The call may have run. Check before you repeat it."))
	case d.Answer.Denied:
		return w.ended(c, Denied, failure("Not run by the client: "+d.Answer.Reason))
	case json.Unmarshal(d.Answer.Value, &r) != nil:
		return w.ended(c, Done, failure("The client's result is unreadable."))
	}
	outcome := Done
	if r.NotRun { // the client did not reach this call
		outcome = Canceled
		if before := w.state.Turn.stopper(Offered(w.cfg.Tools.View(), w.state.Settings), c); before != nil {
			r.Parts = append(failure(behind(before)).Parts, r.Parts...)
		}
	}
	if r.NotRun || r.Cut == "" { // an older gateway stored it uncut
		r, _ = cutResult(r, w.cfg.Limits.ResultBytes)
	}
	r.Cut = ""
	return w.ended(c, outcome, r)
}
