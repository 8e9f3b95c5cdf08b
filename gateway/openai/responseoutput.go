package openai

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Statuses of responses and their items.
const (
	inProgress = "in_progress"
	completed  = "completed"
	incomplete = "incomplete"
	failed     = "failed"
)

// responseOf returns the response to a request, before its output.
func responseOf(in *sdkapi.OpenAIResponseRequest) *sdkapi.OpenAIResponse {
	out := &sdkapi.OpenAIResponse{
		Object: "response", Status: inProgress, Output: []sdkapi.OpenAIOutput{}, Truncation: "disabled", Metadata: in.Metadata,
		MaxOutputTokens: in.MaxOutputTokens, Temperature: in.Temperature, TopP: in.TopP, Tools: in.Tools,
		ParallelToolCalls: in.ParallelToolCalls == nil || *in.ParallelToolCalls,
		ToolChoice:        in.ToolChoice, Text: sdkapi.OpenAITextConfig{Format: &sdkapi.OpenAIFlatFormat{Type: "text"}},
	}
	if isNull(out.ToolChoice) {
		out.ToolChoice = json.RawMessage(`"auto"`)
	}
	if out.Tools == nil {
		out.Tools = []sdkapi.OpenAIFlatTool{}
	}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	if in.Instructions != "" {
		out.Instructions = &in.Instructions
	}
	if in.PreviousResponseID != "" {
		out.PreviousResponseID = &in.PreviousResponseID
	}
	if in.Reasoning != nil {
		out.Reasoning = *in.Reasoning
	}
	if in.Text != nil && in.Text.Format != nil {
		out.Text = *in.Text
	}
	return out
}

// take adds an event of the answer to the response, and returns the events of a stream that show
// it. Their sequence numbers are 0.
func (t *turn) take(e models.Event) []sdkapi.OpenAIResponseEvent {
	switch e.Kind {
	case models.Text:
		return append(t.begin(), t.say(e.Text))
	case models.ToolCall:
		return append(t.finish(completed), t.call(e.Call)...)
	case models.UsageKnown:
		u := e.Usage
		t.response.Usage = &sdkapi.OpenAIResponseCost{
			InputTokens: u.Prompt(), OutputTokens: u.Output + u.Reasoning, TotalTokens: u.Total(),
			Input: sdkapi.OpenAIPromptUsage{CachedTokens: u.CacheRead}, Output: sdkapi.OpenAIAnswerUsage{ReasoningTokens: u.Reasoning},
		}
	case models.End:
		return t.end(e.End)
	}
	return nil
}

// begin adds a message to the output, unless one is open.
func (t *turn) begin() []sdkapi.OpenAIResponseEvent {
	if t.open >= 0 {
		return nil
	}
	t.open = len(t.response.Output)
	message := sdkapi.OpenAIOutput{ID: newID("msg_"), Type: "message", Status: inProgress, Role: "assistant", Content: &[]sdkapi.OpenAIOutputText{}}
	t.response.Output = append(t.response.Output, message)
	part := outputText("")
	at := t.open
	return []sdkapi.OpenAIResponseEvent{
		{Type: "response.output_item.added", OutputIndex: &at, Item: &message},
		{Type: "response.content_part.added", ItemID: message.ID, OutputIndex: &at, ContentIndex: new(int), Part: &part},
	}
}

// outputText returns a part of a message.
func outputText(text string) sdkapi.OpenAIOutputText {
	return sdkapi.OpenAIOutputText{Type: "output_text", Text: text, Annotations: []json.RawMessage{}, LogProbs: []json.RawMessage{}}
}

// say adds text to the open message.
func (t *turn) say(text string) sdkapi.OpenAIResponseEvent {
	at := t.open
	t.text.WriteString(text)
	return sdkapi.OpenAIResponseEvent{
		Type: "response.output_text.delta", ItemID: t.response.Output[at].ID, OutputIndex: &at, ContentIndex: new(int), Delta: &text, LogProbs: &[]json.RawMessage{},
	}
}

// finish completes the open message, if there is one.
func (t *turn) finish(status string) []sdkapi.OpenAIResponseEvent {
	if t.open < 0 {
		return nil
	}
	at := t.open
	t.open = -1
	text := t.text.String()
	t.text.Reset()
	message := &t.response.Output[at]
	part := outputText(text)
	message.Status, message.Content = status, &[]sdkapi.OpenAIOutputText{part}
	whole := *message
	return []sdkapi.OpenAIResponseEvent{
		{Type: "response.output_text.done", ItemID: whole.ID, OutputIndex: &at, ContentIndex: new(int), Text: &text, LogProbs: &[]json.RawMessage{}},
		{Type: "response.content_part.done", ItemID: whole.ID, OutputIndex: &at, ContentIndex: new(int), Part: &part},
		{Type: "response.output_item.done", OutputIndex: &at, Item: &whole},
	}
}

// call adds a call to the output.
func (t *turn) call(c *models.Call) []sdkapi.OpenAIResponseEvent {
	at := len(t.response.Output)
	arguments := string(c.Arguments)
	called := t.called(c.Name)
	item := sdkapi.OpenAIOutput{ID: newID("fc_"), Type: "function_call", Status: completed, CallID: c.ID, Namespace: called.namespace, Name: called.name, Arguments: &arguments}
	t.response.Output = append(t.response.Output, item)
	empty := item
	empty.Status, empty.Arguments = inProgress, new(string)
	return []sdkapi.OpenAIResponseEvent{
		{Type: "response.output_item.added", OutputIndex: &at, Item: &empty},
		{Type: "response.function_call_arguments.delta", ItemID: item.ID, OutputIndex: &at, Delta: &arguments},
		{Type: "response.function_call_arguments.done", ItemID: item.ID, OutputIndex: &at, Name: item.Name, Arguments: &arguments},
		{Type: "response.output_item.done", OutputIndex: &at, Item: &item},
	}
}

// end completes the response. A response without calls has a message, even if it is empty.
func (t *turn) end(reason models.EndReason) (events []sdkapi.OpenAIResponseEvent) {
	if len(t.response.Output) == 0 {
		events = t.begin()
	}
	t.response.Status = completed
	if why := map[models.EndReason]string{models.Length: "max_output_tokens", models.Refused: "content_filter"}[reason]; why != "" {
		t.response.Status, t.response.Incomplete = incomplete, &sdkapi.OpenAIIncomplete{Reason: why}
	}
	return append(events, t.finish(t.response.Status)...)
}

// streamTurn sends a response as events. If it fails, the last events are error and
// response.failed.
func (s *door) streamTurn(ctx context.Context, t *turn, send func(sse.Event) error) error {
	number := 0
	say := func(events ...sdkapi.OpenAIResponseEvent) error {
		for _, e := range events {
			e.SequenceNumber = number
			number++
			if err := send(sse.Event{Event: e.Type, Data: e}); err != nil {
				return err
			}
		}
		return nil
	}
	err := say(t.shown("response.created"), t.shown("response.in_progress"))
	for e, broken := range s.answer(ctx, t.question) {
		if err != nil {
			return err
		}
		if broken != nil {
			return s.breakOff(ctx, t, broken, say)
		}
		err = say(t.take(e)...)
	}
	if err != nil {
		return err
	}
	if err := s.save(ctx, t); err != nil {
		return s.breakOff(ctx, t, err, say)
	}
	return say(t.shown("response." + t.response.Status))
}

// shown returns an event with the response as it is now.
func (t *turn) shown(kind string) sdkapi.OpenAIResponseEvent {
	now := *t.response
	return sdkapi.OpenAIResponseEvent{Type: kind, Response: &now}
}

// breakOff sends the events of a failure. It returns the failure if the client has left or the
// gateway stops.
func (s *door) breakOff(ctx context.Context, t *turn, failure error, say func(...sdkapi.OpenAIResponseEvent) error) error {
	if ctx.Err() != nil && context.Cause(ctx) != context.DeadlineExceeded { //nolint:errorlint // contexts give it as it is
		return failure
	}
	told := s.core.Failure(ctx, late(ctx, failure)).ErrorResponse.Error
	events := t.finish(incomplete)
	t.response.Status, t.response.Store = failed, false
	t.response.Error = &sdkapi.OpenAIFailure{Code: told.Code, Message: cmp.Or(told.Message, string(told.Code))}
	return say(append(events, sdkapi.OpenAIResponseEvent{Type: "error", Code: told.Code, Message: told.Message, Param: told.Param}, t.shown("response.failed"))...)
}
