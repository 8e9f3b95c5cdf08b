package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// Prompts holds the routes that send a prompt to a model and return the outcome. They need
// WithUser. Its methods are safe for concurrent use.
type Prompts struct{ client *Client }

// PromptEvent is one event of a prompt. Exactly one of its pointers is set.
type PromptEvent struct {
	// ID is the id of the event. To get the events after it, pass ID to Events.
	ID string

	Created   *sdkapi.PromptCreated
	Delta     *sdkapi.PromptDelta
	Output    *sdkapi.PromptOutput
	Approval  *sdkapi.PromptApproval
	Repaired  *sdkapi.PromptRepaired
	Warning   *sdkapi.PromptWarning
	Progress  *sdkapi.PromptProgress // progress of a running tool call
	Completed *sdkapi.PromptCompleted
	Failed    *sdkapi.PromptError
}

// into chooses the field for an event by its name.
func (e *PromptEvent) into(kind string) any {
	switch kind {
	case sdkapi.EventPromptCreated:
		return fill(&e.Created)
	case sdkapi.EventPromptDelta:
		return fill(&e.Delta)
	case sdkapi.EventPromptOutput:
		return fill(&e.Output)
	case sdkapi.EventPromptApproval:
		return fill(&e.Approval)
	case sdkapi.EventPromptRepaired:
		return fill(&e.Repaired)
	case sdkapi.EventPromptWarning:
		return fill(&e.Warning)
	case sdkapi.EventPromptProgress:
		return fill(&e.Progress)
	case sdkapi.EventPromptCompleted:
		return fill(&e.Completed)
	case sdkapi.EventError:
		return fill(&e.Failed)
	}
	return nil
}

// at stores the id, which is the cursor for Events.
func (e *PromptEvent) at(id string) { e.ID = id }

// last reports whether the event ends its prompt.
func (e *PromptEvent) last() bool { return e.Completed != nil || e.Failed != nil }

// over reports whether the event is an approval request that has its answer already.
func (e *PromptEvent) over() bool { return e.Approval != nil && e.Approval.Answered }

// Start sends a prompt and yields its events until the end. If the connection breaks, the stream
// resumes after the last event. With Once, Start also survives a break before the first event.
// Leaving the loop does not end the prompt; Cancel does. An error ends the loop.
func (p *Prompts) Start(ctx context.Context, in sdkapi.PromptStart) iter.Seq2[PromptEvent, error] {
	return func(yield func(PromptEvent, error) bool) {
		body, err := json.Marshal(in)
		if err != nil {
			yield(PromptEvent{}, fmt.Errorf("sdk: %w", err))
			return
		}
		f := p.follow("", "", in.Deltas)
		start := func(ctx context.Context) (*http.Response, error) {
			return p.client.call(ctx, http.MethodPost, sdkapi.PromptPath, http.Header{"Content-Type": {"application/json"}}, body)
		}
		if keyOf(ctx) != "" {
			f.restart(start)
		}
		f.run(ctx, yield, start)
	}
}

// Events yields the events of a prompt, and then each new event until the prompt ends, like Start.
// The parameter after is the id of the last event that the caller has. If it is empty, Events
// begins with the first event. Events skips approval requests that have answers. It yields pieces
// of text only if deltas is true.
func (p *Prompts) Events(ctx context.Context, prompt, after string, deltas bool) iter.Seq2[PromptEvent, error] {
	return func(yield func(PromptEvent, error) bool) {
		f := p.follow(prompt, after, deltas)
		f.run(ctx, yield, f.again)
	}
}

// follow returns a stream of a prompt's events behind the cursor after. If prompt is empty, the
// first event supplies the id; until then the stream cannot reconnect.
func (p *Prompts) follow(prompt, after string, deltas bool) *follow[PromptEvent, *PromptEvent] {
	f := &follow[PromptEvent, *PromptEvent]{after: after}
	f.heard = func(e *PromptEvent) {
		if e.Created != nil {
			prompt = e.Created.PromptID
		}
	}
	f.known = func() bool { return prompt != "" }
	f.again = func(ctx context.Context) (*http.Response, error) {
		path := promptPath(prompt, "/events")
		if deltas {
			path += "?deltas=true"
		}
		return f.from(ctx, p.client, path)
	}
	return f
}

// Get returns the state of a prompt. An unknown id fails with PromptNotFound.
func (p *Prompts) Get(ctx context.Context, prompt string) (*sdkapi.Prompt, error) {
	return get[sdkapi.Prompt](ctx, p.client, promptPath(prompt, ""))
}

// Approve approves a tool call. A non-empty input replaces the call's arguments. Approve fails with
// DecisionNotFound if no approval was requested for the call, with DecisionConflict if the call was
// already decided differently, and with DecisionExpired if the request has expired.
func (p *Prompts) Approve(ctx context.Context, prompt, toolCall string, input json.RawMessage) error {
	_, err := post[sdkapi.PromptDecided](safe(ctx), p.client, promptPath(prompt, "/approve"), sdkapi.PromptApprove{ToolCallID: toolCall, Input: input})
	return err
}

// Reject denies a tool call and gives the reason to the model. It fails like Approve.
func (p *Prompts) Reject(ctx context.Context, prompt, toolCall, reason string) error {
	_, err := post[sdkapi.PromptDecided](safe(ctx), p.client, promptPath(prompt, "/reject"), sdkapi.PromptReject{ToolCallID: toolCall, Reason: reason})
	return err
}

// Cancel ends a prompt within a second. A prompt that has already ended does not change.
func (p *Prompts) Cancel(ctx context.Context, prompt string) error {
	resp, err := p.client.call(safe(ctx), http.MethodPost, promptPath(prompt, "/cancel"), nil, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// promptPath returns the path of a prompt, with the id escaped, followed by below, for example
// "/cancel".
func promptPath(prompt, below string) string {
	return sdkapi.PromptsPath + "/" + url.PathEscape(prompt) + below
}
