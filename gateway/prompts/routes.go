package prompts

import (
	"context"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// newPrompt returns a prompt with only its ids set.
func newPrompt(v *view) *sdkapi.Prompt {
	return &sdkapi.Prompt{ID: v.id, ConversationID: v.conversation, Output: []sdkapi.PromptOutput{}}
}

// addToPrompt feeds an event of the prompt to v and updates p.
func addToPrompt(p *sdkapi.Prompt, v *view, e journal.Event) error {
	p.Output = p.Output[:len(p.Output)-len(v.soFar())]
	shown, err := v.show(e)
	if err != nil {
		return err
	}
	for _, s := range shown {
		switch data := s.Data.(type) {
		case sdkapi.PromptOutput:
			p.Output = append(p.Output, data)
		case sdkapi.PromptCompleted:
			p.Usage = &data.Usage
		case sdkapi.PromptError:
			p.Error, p.Usage = &data, data.Usage
		}
	}
	p.Output = append(p.Output, v.soFar()...)
	p.Input, p.Images = v.input, v.images
	p.CreatedAt, p.Approvals, p.LastEventID = v.begun, v.waiting, turns.Cursor{Seq: e.Seq}.String()
	p.Status = statusOfPrompt(p, v)
	if !v.ended.IsZero() {
		p.EndedAt = &v.ended
	}
	return nil
}

// statusOfPrompt returns the prompt's status in the API. p.Error must be set already if the turn
// failed.
func statusOfPrompt(p *sdkapi.Prompt, v *view) string {
	switch {
	case v.ended.IsZero() && len(v.waiting) > 0:
		return sdkapi.PromptWaiting
	case v.ended.IsZero():
		return sdkapi.PromptRunning
	case p.Error == nil:
		return sdkapi.PromptCompletes
	case p.Error.Reason == string(session.EndCanceled):
		return sdkapi.PromptCanceled
	}
	return sdkapi.PromptFailed
}

// PromptNamed is the path parameter with a prompt's id. It is exported because huma ignores
// unexported embedded types.
type PromptNamed struct {
	PromptID string `path:"promptId" maxLength:"128" doc:"Id of the prompt, from prompt.created."`
}

// getPrompt returns the state of one of the user's prompts.
func (s *door) getPrompt(ctx context.Context, in *PromptNamed) (*sdkapi.Prompt, error) {
	_, known, _, err := s.find(ctx, in.PromptID)
	return known, err
}

type eventsInput struct {
	PromptNamed
	After       string `query:"after" maxLength:"40" doc:"Id of the last event that you have received (default: all events are sent)."`
	LastEventID string `header:"Last-Event-ID" maxLength:"40" doc:"Cursor that browsers send. If it is set, the gateway ignores \"after\"."`
	Deltas      bool   `query:"deltas" doc:"If true, the stream also has the answer's text in pieces, as prompt.delta."`
}

// events streams a prompt's events behind a cursor. A cursor behind the last stored event fails
// with VALIDATION_ERROR.
func (s *door) events(ctx context.Context, in *eventsInput) (*huma.StreamResponse, error) {
	from, field, err := turns.Resume(in.LastEventID, in.After)
	if err != nil {
		return nil, err
	}
	p, _, v, err := s.find(ctx, in.PromptID)
	switch {
	case err != nil:
		return nil, err
	case from.Seq > v.seq:
		return nil, fault.New("gateway.prompts", sdkapi.ValidationError, "the prompt has no event %q; its last event is %d", from, v.seq).
			At(field, "expected the id of an event of this prompt")
	}
	return s.streamPrompt(p, from, in.Deltas, !v.ended.IsZero()), nil
}

type approveInput struct {
	PromptNamed
	Body sdkapi.PromptApprove
}

// approvePrompt approves a tool call. An input replaces the call's arguments and must be a JSON
// object.
func (s *door) approvePrompt(ctx context.Context, in *approveInput) (*sdkapi.PromptDecided, error) {
	answer := journal.Answer{Value: in.Body.Input}
	var object map[string]json.RawMessage
	if len(in.Body.Input) > 0 && (json.Unmarshal(in.Body.Input, &object) != nil || object == nil) {
		return nil, fault.New("gateway.prompts", sdkapi.ValidationError, "the input must be a JSON object with the tool's arguments").At("body.input", "expected an object")
	}
	return s.decidePrompt(ctx, in.PromptID, in.Body.ToolCallID, answer)
}

type rejectInput struct {
	PromptNamed
	Body sdkapi.PromptReject
}

// rejectPrompt denies a tool call, and gives the reason to the model.
func (s *door) rejectPrompt(ctx context.Context, in *rejectInput) (*sdkapi.PromptDecided, error) {
	return s.decidePrompt(ctx, in.PromptID, in.Body.ToolCallID, journal.Answer{Denied: true, Reason: in.Body.Reason})
}

// decidePrompt answers the approval request of a tool call.
func (s *door) decidePrompt(ctx context.Context, id, call string, answer journal.Answer) (*sdkapi.PromptDecided, error) {
	p, _, v, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	asked := v.calls[call]
	if asked == nil || asked.decision == "" {
		return nil, fault.New("gateway.prompts", sdkapi.DecisionNotFound, "no call %q of this prompt waits for approval", plain.Cut(call, 100)).
			At("body.toolCallId", "expected the toolCallId of a prompt.approval")
	}
	err = s.Decide(ctx, p.user, asked.decision, answer, "body.input")
	return &sdkapi.PromptDecided{PromptID: p.id(), ToolCallID: call, Approved: !answer.Denied}, err
}
