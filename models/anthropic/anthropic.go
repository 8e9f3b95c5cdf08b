// Package anthropic asks Anthropic's models, and others that are served in the
// way of its messages.
//
//	model, err := anthropic.Open(anthropic.Config{APIKey: models.NewSecret(key)})
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/windieos/windie/models"
)

// DefaultBaseURL is Anthropic's own.
const DefaultBaseURL = "https://api.anthropic.com"

// DefaultMaxTokens bounds an answer when the request does not, as the protocol
// wants a bound. Old models say less, and need a Config that says so.
const DefaultMaxTokens = 16000

// provider is what thoughts call these models, and messages where nothing else is said.
const provider = "anthropic"

// Config says where the models are.
type Config struct {
	Name       string        // of the provider, as messages tell it; empty for "anthropic"
	BaseURL    string        // up to "/v1/messages", or with the "/v1"; empty for DefaultBaseURL
	APIKey     models.Secret // none for servers that want none
	HTTPClient *http.Client  // whose transport is used; nil for one of its own
	MaxTokens  int           // of an answer whose request has no bound; 0 for DefaultMaxTokens
}

// Model asks one server.
type Model struct {
	wire      models.Wire
	messages  anthropic.MessageService
	maxTokens int
}

var _ models.Model = (*Model)(nil)

// Open returns the models of a server. It does not ask for anything yet.
func Open(cfg Config) (models.Model, error) {
	wire := models.Wire{
		Provider: provider, Name: cfg.Name, BaseURL: strings.TrimSuffix(strings.TrimRight(cmp.Or(cfg.BaseURL, DefaultBaseURL), "/"), "/v1"),
		KeyHeader: "X-Api-Key", Key: cfg.APIKey, HTTPClient: cfg.HTTPClient, NamedEvent: true,
	}
	if err := wire.Check(); err != nil {
		return nil, err
	}
	// The library's client holds every service that Anthropic has, which would
	// make the binary larger by megabytes, and looks for keys of its own.
	messages := anthropic.NewMessageService(
		option.WithBaseURL(strings.TrimRight(wire.BaseURL, "/")+"/"), option.WithAPIKey(models.PlaceholderKey),
		option.WithHTTPClient(wire.Client()), option.WithMaxRetries(0),
	)
	return &Model{wire: wire, messages: messages, maxTokens: cmp.Or(cfg.MaxTokens, DefaultMaxTokens)}, nil
}

// Stream implements models.Model.
func (m *Model) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return m.wire.Stream(ctx, req, func(ctx context.Context, req models.Request, answer *models.Answer) error {
		params, err := m.params(req)
		if err != nil {
			return err
		}
		stream := m.messages.NewStreaming(ctx, params)
		defer stream.Close()
		reader := reader{answer: answer}
		for stream.Next() {
			if err := reader.take(stream.Current()); err != nil {
				return err
			}
		}
		return stream.Err()
	})
}

// reader puts events into an answer.
type reader struct {
	answer    *models.Answer
	block     string // the type of the one that is open
	signature strings.Builder
	usage     models.Usage
}

// take puts an event into the answer.
func (r *reader) take(event anthropic.MessageStreamEventUnion) error {
	switch event.Type {
	case "message_start":
		u := event.Message.Usage
		r.used(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens, u.OutputTokensDetails.ThinkingTokens)
	case "content_block_start":
		return r.begin(event)
	case "content_block_delta":
		return r.add(event)
	case "content_block_stop":
		if r.block == "thinking" {
			return r.answer.EndThought(r.signature.String())
		}
	case "message_delta":
		u := event.Usage
		r.used(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens, u.OutputTokensDetails.ThinkingTokens)
		if reason, ended := endOf(event.Delta.StopReason); ended {
			r.answer.End(reason)
		}
	}
	return nil
}

// redacted begins the signature of a thought that Anthropic does not show. It
// goes back as another kind of block than one that is signed.
const redacted = "redacted:"

// begin begins a block.
func (r *reader) begin(event anthropic.MessageStreamEventUnion) error {
	block := event.ContentBlock
	r.block = block.Type
	r.signature.Reset()
	switch block.Type {
	case "text":
		return r.answer.Text(block.Text)
	case "thinking":
		r.signature.WriteString(block.Signature)
		return r.answer.Think(block.Thinking)
	case "redacted_thinking":
		return r.answer.EndThought(redacted + block.Data)
	case "tool_use":
		piece := models.CallPiece{Index: number(event.Index), ID: block.ID, Name: block.Name}
		if input, err := json.Marshal(block.Input); err == nil && len(input) > len("null") {
			piece.Arguments = string(input) // most send an empty object here, and the arguments in pieces
		}
		return r.answer.Call(piece)
	}
	return nil
}

// add adds to the block that is open.
func (r *reader) add(event anthropic.MessageStreamEventUnion) error {
	switch event.Delta.Type {
	case "text_delta":
		return r.answer.Text(event.Delta.Text)
	case "thinking_delta":
		return r.answer.Think(event.Delta.Thinking)
	case "signature_delta":
		if r.signature.Len()+len(event.Delta.Signature) <= models.MaxThought {
			r.signature.WriteString(event.Delta.Signature)
		}
	case "input_json_delta":
		return r.answer.Call(models.CallPiece{Index: number(event.Index), Arguments: event.Delta.PartialJSON})
	}
	return nil
}

// number returns a block's number, as calls have it.
func number(index int64) *int {
	n := int(index)
	return &n
}

// used keeps what the answer took so far. The end tells again what the
// beginning told, or nothing of it.
func (r *reader) used(input, read, written, output, thought int64) {
	keep := func(old *int, value int64) {
		if value > 0 {
			*old = int(value)
		}
	}
	keep(&r.usage.Input, input)
	keep(&r.usage.CacheRead, read)
	keep(&r.usage.CacheWrite, written)
	keep(&r.usage.Reasoning, thought)
	keep(&r.usage.Output, max(output-thought, 0))
	r.answer.Used(r.usage)
}

// endOf returns why an answer ends.
func endOf(reason anthropic.StopReason) (models.EndReason, bool) {
	switch reason {
	case "":
		return "", false
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		return models.Length, true
	case anthropic.StopReasonRefusal:
		return models.Refused, true
	}
	return models.Stop, true // the answer itself knows whether it has calls
}

var _ models.Reacher = (*Model)(nil)

// Reach implements models.Reacher.
func (m *Model) Reach(ctx context.Context) error {
	return m.wire.Reach(ctx, "/v1/models", http.Header{"Anthropic-Version": {"2023-06-01"}})
}
