package openai

import (
	"context"
	"crypto/rand"
	"iter"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// addChat adds the route for chat completions.
func (s *door) addChat() {
	post[sdkapi.OpenAIChat](s, sdkapi.OpenAIChatPath, gateway.MaxImageBody, huma.Operation{
		OperationID: "openai-chat", Summary: "Complete a chat",
		Description: "Compatible with OpenAI's chat completions. Supports messages, images, streams, and tools that the client runs. The response is `OpenAIAnswer`, or a stream of chunks.",
		Responses: map[string]*huma.Response{"200": {Description: "The answer. With `stream`, the chunks of the answer.", Content: map[string]*huma.MediaType{
			"application/json":  gateway.JSONResponse[sdkapi.OpenAIAnswer](s.core, "").Content["application/json"],
			"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString, Description: "Each line contains `data:` and a chunk of the answer. The last line is `data: [DONE]`. If the request fails, a line contains the error."}},
		}}},
		Errors: []int{400, 403, 404, 408, 413, 415, 422, 429, 502, 503, 504},
	}, s.chat)
}

// chat returns the next message of a conversation, as one response or as a stream.
func (s *door) chat(ctx context.Context, in *rawBody) (*huma.StreamResponse, error) {
	var body sdkapi.OpenAIChat
	if err := refuse(in.RawBody, unsupportedInChat); err != nil {
		return nil, err
	}
	if err := read(in.RawBody, &body); err != nil {
		return nil, err
	}
	user, ctx, err := charged(ctx)
	if err != nil {
		return nil, err
	}
	q, err := s.questionOf(ctx, user, &body)
	if err != nil {
		return nil, err
	}
	out := writer{id: "chatcmpl-" + strings.ToLower(rand.Text()), created: time.Now().Unix(), model: q.named}
	q.streams = body.Stream
	if body.Stream {
		out.usage = body.StreamOptions != nil && body.StreamOptions.IncludeUsage
		return &huma.StreamResponse{Body: func(c huma.Context) {
			s.core.Stream(humafiber.UnwrapV2(c), func(ctx context.Context, send func(sse.Event) error) error {
				ctx, cancel := context.WithTimeout(ctx, answerTime)
				defer cancel()
				return s.stream(ctx, out, s.answer(ctx, q), send)
			})
		}}, nil
	}
	ctx, stop := gateway.UntilClientLeaves(ctx)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	whole, err := out.whole(s.answer(ctx, q))
	if err != nil {
		return nil, late(ctx, err)
	}
	return answerJSON(whole), nil
}

// stream sends an answer as chunks. If the answer fails, the last event is the error.
func (s *door) stream(ctx context.Context, out writer, answer iter.Seq2[models.Event, error], send func(sse.Event) error) error {
	data := func(v any) error { return send(sse.Event{Data: v}) }
	err := data(out.chunk(sdkapi.OpenAIMessageOut{Role: "assistant", Content: new(string)}, nil))
	var calls int
	var used models.Usage
	for e, failed := range answer {
		if err != nil {
			return err
		}
		if failed != nil {
			if ctx.Err() != nil && context.Cause(ctx) != context.DeadlineExceeded { //nolint:errorlint // contexts give it as it is
				return failed
			}
			return data(s.core.Failure(ctx, late(ctx, failed)).ErrorResponse)
		}
		if e.Kind == models.UsageKnown {
			used = e.Usage
		}
		err = out.send(e, &calls, data)
	}
	if err == nil && out.usage {
		last := out.chunk(sdkapi.OpenAIMessageOut{}, nil)
		last.Choices, last.Usage = []sdkapi.OpenAIChoice{}, usageOf(used)
		err = data(last)
	}
	if err == nil {
		err = send(sse.Event{Data: sse.Verbatim("[DONE]")})
	}
	return err
}

// writer converts one answer to OpenAI's format.
type writer struct {
	id, model string
	created   int64
	usage     bool // add a last chunk with the usage
}

// chunk returns one chunk of the answer. A non-nil reason marks its end.
func (w writer) chunk(delta sdkapi.OpenAIMessageOut, reason *string) sdkapi.OpenAIAnswer {
	return sdkapi.OpenAIAnswer{ID: w.id, Object: "chat.completion.chunk", Created: w.created, Model: w.model,
		Choices: []sdkapi.OpenAIChoice{{Delta: &delta, FinishReason: reason}}}
}

// send sends an event as a chunk, if the format has one for it. calls is the number of calls sent
// so far.
func (w writer) send(e models.Event, calls *int, data func(any) error) error {
	switch e.Kind {
	case models.Text:
		return data(w.chunk(sdkapi.OpenAIMessageOut{Content: &e.Text}, nil))
	case models.Thinking:
		return data(w.chunk(sdkapi.OpenAIMessageOut{Reasoning: e.Text}, nil))
	case models.ToolCall:
		call := callOf(e.Call)
		call.Index = new(*calls)
		*calls++
		return data(w.chunk(sdkapi.OpenAIMessageOut{ToolCalls: []sdkapi.OpenAIToolCall{call}}, nil))
	case models.End:
		return data(w.chunk(sdkapi.OpenAIMessageOut{}, reasonOf(e.End)))
	}
	return nil
}

// whole collects the answer into one response.
func (w writer) whole(answer iter.Seq2[models.Event, error]) (*sdkapi.OpenAIAnswer, error) {
	out := &sdkapi.OpenAIAnswer{ID: w.id, Object: "chat.completion", Created: w.created, Model: w.model}
	message := sdkapi.OpenAIMessageOut{Role: "assistant"}
	var text, thoughts strings.Builder
	var reason *string
	for e, err := range answer {
		if err != nil {
			return nil, err
		}
		switch e.Kind {
		case models.Text:
			text.WriteString(e.Text)
		case models.Thinking:
			thoughts.WriteString(e.Text)
		case models.ToolCall:
			message.ToolCalls = append(message.ToolCalls, callOf(e.Call))
		case models.UsageKnown:
			out.Usage = usageOf(e.Usage)
		case models.End:
			reason = reasonOf(e.End)
		}
	}
	if said := text.String(); said != "" || len(message.ToolCalls) == 0 {
		message.Content = &said
	}
	message.Reasoning = thoughts.String()
	out.Choices = []sdkapi.OpenAIChoice{{Message: &message, FinishReason: reason}}
	return out, nil
}

// callOf returns a call in OpenAI's form. Its arguments are JSON as text.
func callOf(c *models.Call) sdkapi.OpenAIToolCall {
	return sdkapi.OpenAIToolCall{ID: c.ID, Type: "function", Function: sdkapi.OpenAICalledWith{Name: c.Name, Arguments: string(c.Arguments)}}
}

// reasonOf returns OpenAI's finish_reason for the end of an answer.
func reasonOf(end models.EndReason) *string {
	words := map[models.EndReason]string{models.Stop: "stop", models.ToolCalls: "tool_calls", models.Length: "length", models.Refused: "content_filter"}
	return new(words[end])
}

// usageOf returns the usage in OpenAI's form, which counts thoughts as completion tokens.
func usageOf(u models.Usage) *sdkapi.OpenAIUsage {
	return &sdkapi.OpenAIUsage{
		PromptTokens: u.Prompt(), CompletionTokens: u.Output + u.Reasoning, TotalTokens: u.Total(),
		Prompt: sdkapi.OpenAIPromptUsage{CachedTokens: u.CacheRead}, Completion: sdkapi.OpenAIAnswerUsage{ReasoningTokens: u.Reasoning},
	}
}

// late returns a TIMEOUT error if ctx has reached its deadline, otherwise err.
func late(ctx context.Context, err error) error {
	if context.Cause(ctx) == context.DeadlineExceeded { //nolint:errorlint // contexts give it as it is
		return fault.New(op, sdkapi.Timeout, "the answer took longer than %s", answerTime).Because(err)
	}
	return err
}
