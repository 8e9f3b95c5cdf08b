// Package anthropic talks to Anthropic's models, and to other models whose server uses Anthropic's
// protocol.
//
//	model, err := anthropic.Open(anthropic.Config{APIKey: models.NewSecret(key)})
//
// The package does not use Anthropic's own library. Because of reflection, the linker keeps all
// 18,000 functions of that library, which made the binary larger by an eighth.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"

	"github.com/windieos/windie/models"
)

// DefaultBaseURL is the URL of Anthropic's own server.
const DefaultBaseURL = "https://api.anthropic.com"

// DefaultMaxTokens is the maximum length of an answer, in tokens, if the request sets no maximum.
// The protocol requires a maximum. Old models allow fewer tokens; for these models, set
// Config.MaxTokens.
const DefaultMaxTokens = 16000

// provider is the default name of the provider in messages, and the provider of its thoughts.
const provider = "anthropic"

// Config describes a server.
type Config struct {
	Name       string        // name of the provider, for messages; default "anthropic"
	BaseURL    string        // URL before "/v1/messages", with or without "/v1"; default DefaultBaseURL
	APIKey     models.Secret // key of the server; zero if the server needs no key
	HTTPClient *http.Client  // HTTP client whose transport is used; default: a new transport
	// MaxTokens is the maximum length of an answer, in tokens, if the request sets no maximum. The
	// default is DefaultMaxTokens.
	MaxTokens int
}

// Driver opens the models of providers that use Anthropic's protocol.
var Driver = models.Driver{Kind: provider, Open: func(p models.Provider, key models.Secret) (models.Model, error) {
	return Open(Config{Name: p.ID, BaseURL: p.BaseURL, APIKey: key})
}}

// Model talks to one server. Create a Model with Open.
type Model struct {
	wire      models.Wire
	client    *http.Client
	maxTokens int
}

var _ models.Model = (*Model)(nil)

// Open returns the models of a server. It sends no request.
func Open(cfg Config) (models.Model, error) {
	wire := models.Wire{
		Provider: provider, Name: cfg.Name, BaseURL: strings.TrimSuffix(strings.TrimRight(cmp.Or(cfg.BaseURL, DefaultBaseURL), "/"), "/v1"),
		KeyHeader: "X-Api-Key", Key: cfg.APIKey, HTTPClient: cfg.HTTPClient,
	}
	if err := wire.Check(); err != nil {
		return nil, err
	}
	return &Model{wire: wire, client: wire.Client(), maxTokens: cmp.Or(cfg.MaxTokens, DefaultMaxTokens)}, nil
}

// header has the headers of every request except the key.
var header = http.Header{"Accept": {"application/json"}, "Anthropic-Version": {"2023-06-01"}}

// Stream implements models.Model.
func (m *Model) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return m.wire.Stream(ctx, req, func(ctx context.Context, req models.Request, answer *models.Answer) error {
		body, err := m.request(req)
		if err != nil {
			return err
		}
		reader := reader{answer: answer}
		return m.wire.Events(ctx, m.client, "/v1/messages", header, body, func(data []byte) error {
			var e event
			var other *json.UnmarshalTypeError
			// A field of the wrong type is ignored.
			if err := json.Unmarshal(data, &e); err != nil && !errors.As(err, &other) {
				return err
			}
			return reader.take(e)
		})
	})
}

// event is one event of the stream. Type decides which fields it has.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	ContentBlock struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
		Data      string `json:"data"`
		ID        string `json:"id"`
		Name      string `json:"name"`
		Input     any    `json:"input"`
	} `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// usage is the usage so far, in tokens. A field is 0 if an earlier event has it.
type usage struct {
	Input         int `json:"input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	CacheWrite    int `json:"cache_creation_input_tokens"`
	Output        int `json:"output_tokens"` // thoughts included
	OutputDetails struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// reader converts the events of one stream to an answer.
type reader struct {
	answer    *models.Answer
	block     string          // type of the open block
	signature strings.Builder // signature of the open thought
	usage     models.Usage    // usage so far
}

// take adds one event to the answer. It ignores unknown events.
func (r *reader) take(event event) error {
	switch event.Type {
	case "message_start":
		r.used(event.Message.Usage)
	case "content_block_start":
		return r.begin(event)
	case "content_block_delta":
		return r.add(event)
	case "content_block_stop":
		if r.block == "thinking" {
			return r.answer.EndThought(r.signature.String())
		}
	case "message_delta":
		r.used(event.Usage)
		return r.answer.Ends(models.Ending{Word: event.Delta.StopReason})
	}
	return nil
}

// redacted is the start of the signature of a thought whose text Anthropic hides. A request sends such a thought
// back in a block of a different type.
const redacted = "redacted:"

// begin begins a block of the answer. Some servers put the first piece of the content into this event.
func (r *reader) begin(event event) error {
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
		piece := models.CallPiece{Index: &event.Index, ID: block.ID, Name: block.Name}
		if input, err := json.Marshal(block.Input); err == nil && len(input) > len("null") {
			// Most servers send an empty object here, and the arguments in later pieces.
			piece.Arguments = string(input)
		}
		return r.answer.Call(piece)
	}
	return nil
}

// add adds a piece of the open block. It ignores unknown pieces.
func (r *reader) add(event event) error {
	switch event.Delta.Type {
	case "text_delta":
		return r.answer.Text(event.Delta.Text)
	case "thinking_delta":
		return r.answer.Think(event.Delta.Thinking)
	case "signature_delta":
		r.signature.WriteString(event.Delta.Signature)
		if r.signature.Len() > models.MaxThought {
			return r.answer.EndThought(r.signature.String()) // fails; a cut signature would be invalid
		}
	case "input_json_delta":
		return r.answer.Call(models.CallPiece{Index: &event.Index, Arguments: event.Delta.PartialJSON})
	}
	return nil
}

// used updates the usage. The last event repeats the numbers of the first event, or omits them.
func (r *reader) used(u usage) {
	thought := u.OutputDetails.Thinking
	r.usage = models.Usage{
		Input: later(u.Input, r.usage.Input), CacheRead: later(u.CacheRead, r.usage.CacheRead), CacheWrite: later(u.CacheWrite, r.usage.CacheWrite),
		Reasoning: later(thought, r.usage.Reasoning), Output: later(u.Output-thought, r.usage.Output),
	}
	r.answer.Used(r.usage)
}

// later returns count, or before if count is not positive.
func later(count, before int) int { return cmp.Or(max(count, 0), before) }

var _ models.Reacher = (*Model)(nil)

// Reach implements models.Reacher.
func (m *Model) Reach(ctx context.Context) error {
	return m.wire.Reach(ctx, "/v1/models", header)
}
