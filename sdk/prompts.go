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

// Prompts holds the routes that ask a model and return the outcome. They need
// WithUser. Its methods may be called from several goroutines at once.
type Prompts struct{ client *Client }

// PromptEvent is one event of a prompt. One of its pointers is set.
type PromptEvent struct {
	ID string // the cursor behind it, for Events

	Created   *sdkapi.PromptCreated
	Delta     *sdkapi.PromptDelta
	Output    *sdkapi.PromptOutput
	Approval  *sdkapi.PromptApproval
	Repaired  *sdkapi.PromptRepaired
	Warning   *sdkapi.PromptWarning
	Progress  *sdkapi.PromptProgress // how far a running call is
	Completed *sdkapi.PromptCompleted
	Failed    *sdkapi.PromptError
}

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

func (e *PromptEvent) at(id string) { e.ID = id }

func (e *PromptEvent) last() bool { return e.Completed != nil || e.Failed != nil }

func (e *PromptEvent) over() bool { return e.Approval != nil && e.Approval.Answered }

// Start asks a model and yields what comes of it, until the end. If the connection
// breaks, it goes on where it was; with Once also before the prompt's id was heard.
// Leaving the loop does not end the prompt; Cancel does. The error ends the loop.
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

// Events yields the events of a prompt after one, and then new ones until the end, as
// Start does. An empty after is the beginning. Approvals that were answered are left out.
func (p *Prompts) Events(ctx context.Context, prompt, after string, deltas bool) iter.Seq2[PromptEvent, error] {
	return func(yield func(PromptEvent, error) bool) {
		f := p.follow(prompt, after, deltas)
		f.run(ctx, yield, f.again)
	}
}

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

// Get returns what is known of a prompt.
func (p *Prompts) Get(ctx context.Context, prompt string) (*sdkapi.Prompt, error) {
	return get[sdkapi.Prompt](ctx, p.client, promptPath(prompt, ""))
}

// Approve lets a tool be called, with other arguments if input has some. It
// fails with DecisionNotFound where nobody asked, DecisionConflict where it was
// decided otherwise, and DecisionExpired where it is too late.
func (p *Prompts) Approve(ctx context.Context, prompt, toolCall string, input json.RawMessage) error {
	_, err := post[sdkapi.PromptDecided](safe(ctx), p.client, promptPath(prompt, "/approve"), sdkapi.PromptApprove{ToolCallID: toolCall, Input: input})
	return err
}

// Reject denies a call of a tool, and gives the model the reason. It fails as Approve does.
func (p *Prompts) Reject(ctx context.Context, prompt, toolCall, reason string) error {
	_, err := post[sdkapi.PromptDecided](safe(ctx), p.client, promptPath(prompt, "/reject"), sdkapi.PromptReject{ToolCallID: toolCall, Reason: reason})
	return err
}

// Cancel ends a prompt within a second. One that has ended stays as it is.
func (p *Prompts) Cancel(ctx context.Context, prompt string) error {
	resp, err := p.client.call(safe(ctx), http.MethodPost, promptPath(prompt, "/cancel"), nil, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func promptPath(prompt, below string) string {
	return sdkapi.PromptsPath + "/" + url.PathEscape(prompt) + below
}
