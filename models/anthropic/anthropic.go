// Package anthropic asks Anthropic's models, and others that are served in its protocol.
//
//	model, err := anthropic.Open(anthropic.Config{APIKey: models.NewSecret(key)})
//
// Anthropic's own library is not used: its 18,000 functions, which reflection keeps in the program,
// made the binary larger by an eighth.
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

// DefaultBaseURL is Anthropic's own.
const DefaultBaseURL = "https://api.anthropic.com"

// DefaultMaxTokens bounds an answer when the request does not, as the protocol
// wants a bound. Old models say less, and need a Config that says so.
const DefaultMaxTokens = 16000

// provider is what thoughts call these models, and messages where nothing else is said.
const provider = "anthropic"

// Config says where the models are.
type Config struct {
	Name       string        // of the provider, for messages; empty for "anthropic"
	BaseURL    string        // up to "/v1/messages", or with the "/v1"; empty for DefaultBaseURL
	APIKey     models.Secret // none for servers that want none
	HTTPClient *http.Client  // whose transport is used; nil for one of its own
	MaxTokens  int           // of an answer whose request has no bound; 0 for DefaultMaxTokens
}

// Driver opens the models of providers in a catalogue.
var Driver = models.Driver{Kind: provider, Open: func(p models.Provider, key models.Secret) (models.Model, error) {
	return Open(Config{Name: p.ID, BaseURL: p.BaseURL, APIKey: key})
}}

// Model asks one server.
type Model struct {
	wire      models.Wire
	client    *http.Client
	maxTokens int
}

var _ models.Model = (*Model)(nil)

// Open returns the models of a server. It does not ask for anything yet.
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

// header is what every request has besides the key.
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
			if err := json.Unmarshal(data, &e); err != nil && !errors.As(err, &other) { // fields of another type say nothing
				return err
			}
			return reader.take(e)
		})
	})
}

// event is an event of an answer. Which fields it has is by Type.
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

// usage is what an answer took so far, in tokens; 0 for what was said before.
type usage struct {
	Input         int `json:"input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	CacheWrite    int `json:"cache_creation_input_tokens"`
	Output        int `json:"output_tokens"` // thoughts included
	OutputDetails struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

type reader struct {
	answer    *models.Answer
	block     string // the type of the one that is open
	signature strings.Builder
	usage     models.Usage
}

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

// redacted begins the signature of a thought that Anthropic does not show. It
// goes back as another kind of block than one that is signed.
const redacted = "redacted:"

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
			piece.Arguments = string(input) // most send an empty object here, and the arguments in pieces
		}
		return r.answer.Call(piece)
	}
	return nil
}

func (r *reader) add(event event) error {
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
		return r.answer.Call(models.CallPiece{Index: &event.Index, Arguments: event.Delta.PartialJSON})
	}
	return nil
}

// used keeps what the answer took so far. The end repeats figures of the
// beginning, or leaves them out.
func (r *reader) used(u usage) {
	thought := u.OutputDetails.Thinking
	r.usage = models.Usage{
		Input: later(u.Input, r.usage.Input), CacheRead: later(u.CacheRead, r.usage.CacheRead), CacheWrite: later(u.CacheWrite, r.usage.CacheWrite),
		Reasoning: later(thought, r.usage.Reasoning), Output: later(u.Output-thought, r.usage.Output),
	}
	r.answer.Used(r.usage)
}

// later returns the later of two counts, unless it is missing.
func later(count, before int) int { return cmp.Or(max(count, 0), before) }

var _ models.Reacher = (*Model)(nil)

// Reach implements models.Reacher.
func (m *Model) Reach(ctx context.Context) error {
	return m.wire.Reach(ctx, "/v1/models", header)
}
