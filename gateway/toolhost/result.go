package toolhost

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// result stores a client's result of a call. It shortens the result to the size that the model
// reads.
func (c *client) result(m sdkapi.AgentClientMessage) error {
	if m.ToolCallID == "" {
		return fault.New(op, sdkapi.ValidationError, "the result must have the field toolCallId: the id of the answered call").At("toolCallId", "expected the toolCallId of a tool.call")
	}
	asked, began, err := c.asked(m.ToolCallID)
	if err != nil {
		return err
	}
	r := session.Result{IsError: m.IsError}
	text := outputText(m.Output)
	if text != "" || len(m.Images) == 0 {
		r.Parts = append(r.Parts, turns.UntrustedText(text))
	}
	images, err := c.resultImages(asked.Decision, m.Images)
	if err != nil {
		return err
	}
	r.Parts = append(r.Parts, images...)
	if err := c.answer(asked.Decision, r); err != nil {
		return err
	}
	c.Core.Log.Info("a tool ran at its client", slog.String("session", c.name), slog.String("tool", asked.Tool), slog.Duration("took", time.Since(began)),
		slog.Int("bytes", len(text)), slog.Bool("failed", m.IsError))
	return nil
}

// answer answers a call's decision with its result.
func (c *client) answer(decision string, r session.Result) error {
	value, err := json.Marshal(c.Sessions.Cut(r))
	if err != nil {
		return err
	}
	return c.Decide(c.ctx, c.user, decision, journal.Answer{Value: value}, "")
}

// outputText returns a tool's output as text for the model. A JSON string is unquoted, other JSON
// stays as it is, and null is empty.
func outputText(output json.RawMessage) string {
	var text string
	switch {
	case len(output) == 0 || string(output) == "null":
		return ""
	case json.Unmarshal(output, &text) == nil:
		return text
	}
	return string(output)
}

// resultImages stores the images of a result. If the client sends the same result again, it returns
// the artifacts of the first one.
func (c *client) resultImages(decision string, list []sdkapi.ImageSource) ([]session.Part, error) {
	if len(list) == 0 {
		return nil, nil
	}
	d, err := c.Journal.Decision(c.ctx, decision)
	if err != nil {
		return nil, err
	}
	var before session.Result
	if d.State == journal.Decided && json.Unmarshal(d.Answer.Value, &before) == nil {
		var kept []session.Part
		for _, p := range before.Parts {
			if p.Artifact != "" {
				kept = append(kept, p)
			}
		}
		if len(kept) == len(list) {
			return kept, nil
		}
	}
	return c.images(list)
}

// asked returns the request for a call of the last turn and its time. It fails with
// DECISION_NOT_FOUND if the turn has no such request.
func (c *client) asked(call string) (asked session.ToolRequested, at time.Time, err error) {
	state, err := c.Sessions.State(c.ctx, c.id, c.user)
	if err != nil {
		return asked, at, err
	}
	found := false
	for e, err := range c.Events(c.ctx, c.id, max(state.Began-1, 0)) {
		if err != nil {
			return asked, at, err
		}
		if e.Kind != session.KindToolRequested {
			continue
		}
		requested, _, err := session.As[session.ToolRequested](e)
		if err != nil {
			return asked, at, err
		}
		if requested.Call == call {
			asked, at, found = requested, e.Time, true
		}
	}
	if !found {
		return asked, at, noCall(call)
	}
	return asked, at, nil
}

// decide stores the user's answer to an approval request.
func (c *client) decide(m sdkapi.AgentClientMessage) error {
	if m.Approved == nil {
		return fault.New(op, sdkapi.ValidationError, "the decision lacks the field approved; send true to allow the call, or false to deny it").At("approved", "expected true or false")
	}
	d, err := c.Journal.Decision(c.ctx, m.ApprovalID)
	about, known := session.Of(d)
	if fault.CodeOf(err) == sdkapi.ValidationError || err == nil && (d.User != c.user || d.Kind != session.Approval || !known || about != c.id) {
		err = journal.NoDecision(op, m.ApprovalID)
	}
	if err != nil {
		return err
	}
	return c.Decide(c.ctx, c.user, d.ID, journal.Answer{Denied: !*m.Approved, Reason: m.Reason, Value: m.Arguments}, "arguments")
}
