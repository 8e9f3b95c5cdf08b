// Package openai asks models that are served in the way of OpenAI's chat
// completions: OpenAI's own, and those behind vLLM, Ollama, LM Studio,
// llama.cpp, OpenRouter and many more.
//
//	model, err := openai.Open(openai.Config{BaseURL: "http://127.0.0.1:11434/v1"})
//
// OpenEmbedder opens models of the same servers that turn texts into vectors.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// DefaultBaseURL is OpenAI's own.
const DefaultBaseURL = "https://api.openai.com/v1"

// provider is what thoughts call these models, and messages where nothing else is said.
const provider = "openai"

// Config says where the models are.
type Config struct {
	Name       string        // of the provider, for messages; empty for "openai"
	BaseURL    string        // up to "/chat/completions"; empty for DefaultBaseURL
	APIKey     models.Secret // none for servers that want none
	HTTPClient *http.Client  // whose transport is used; nil for one of its own
	Dialect    Dialect       // empty to decide by BaseURL
}

// Dialect says which of the names that have changed a server knows.
type Dialect string

// The dialects.
const (
	Own        Dialect = "openai"     // OpenAI's: max_completion_tokens, safety_identifier
	Compatible Dialect = "compatible" // all others': max_tokens, user
)

// Driver opens the models of providers in a catalogue.
var Driver = models.Driver{Kind: provider, Open: func(p models.Provider, key models.Secret) (models.Model, error) {
	return Open(Config{Name: p.ID, BaseURL: p.BaseURL, APIKey: key})
}}

// Model asks one server.
type Model struct {
	wire    models.Wire
	client  *openai.Client
	dialect Dialect
}

var _ models.Model = (*Model)(nil)

// Open returns the models of a server. It does not ask for anything yet.
func Open(cfg Config) (models.Model, error) {
	wire, client, err := cfg.connect()
	if err != nil {
		return nil, err
	}
	return &Model{wire: wire, client: client, dialect: cmp.Or(cfg.Dialect, dialectOf(wire.BaseURL))}, nil
}

func (cfg Config) connect() (models.Wire, *openai.Client, error) {
	wire := models.Wire{
		Provider: provider, Name: cfg.Name, BaseURL: cmp.Or(cfg.BaseURL, DefaultBaseURL),
		KeyHeader: "Authorization", KeyPrefix: "Bearer ", Key: cfg.APIKey, HTTPClient: cfg.HTTPClient,
	}
	if err := wire.Check(); err != nil {
		return wire, nil, err
	}
	library := openai.DefaultConfig("")
	library.BaseURL, library.HTTPClient = wire.BaseURL, wire.Client()
	return wire, openai.NewClientWithConfig(library), nil
}

// dialectOf returns Own for OpenAI's servers and those that Azure runs for it.
func dialectOf(baseURL string) Dialect {
	u, err := url.Parse(baseURL)
	if err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".openai.azure.com")) {
		return Own
	}
	return Compatible
}

// Stream implements models.Model.
func (m *Model) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return m.wire.Stream(ctx, req, func(ctx context.Context, req models.Request, answer *models.Answer) error {
		stream, err := m.client.CreateChatCompletionStream(ctx, m.request(req))
		if errors.Is(err, openai.ErrReasoningToolsRequireResponses) {
			return fault.New("openai.Stream", sdkapi.ModelError, "this model thinks or calls tools, not both: choose no tools, or the reasoning mode none").Because(err)
		}
		if err != nil {
			return err
		}
		defer stream.Close()
		for {
			data, err := stream.RecvRaw()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := take(answer, data); err != nil {
				return err
			}
		}
	})
}

// chunk is a piece of an answer. The library's own type lacks what servers
// other than OpenAI's send.
type chunk struct {
	Choices []struct {
		Delta        delta  `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage `json:"usage"`
}

type delta struct {
	Content          string     `json:"content"`
	Refusal          string     `json:"refusal"`
	ReasoningContent string     `json:"reasoning_content"` // DeepSeek, vLLM, LM Studio
	Reasoning        string     `json:"reasoning"`         // Ollama, OpenRouter
	ToolCalls        []toolCall `json:"tool_calls"`
}

type toolCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a piece of text; from some servers the object itself
	} `json:"function"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	OfPrompt   struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	OfCompletion struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func take(answer *models.Answer, data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	if c.Usage != nil {
		answer.Used(c.Usage.buckets())
	}
	if len(c.Choices) == 0 {
		return nil
	}
	d := c.Choices[0].Delta
	if err := answer.Think(cmp.Or(d.ReasoningContent, d.Reasoning)); err != nil {
		return err
	}
	if err := answer.Text(d.Content + d.Refusal); err != nil {
		return err
	}
	for _, call := range d.ToolCalls {
		if err := answer.Call(call.piece()); err != nil {
			return err
		}
	}
	if d.Refusal != "" {
		answer.End(models.Refused)
	}
	return answer.Ends(models.Ending{Word: c.Choices[0].FinishReason})
}

// piece returns what a call's piece says.
func (c toolCall) piece() models.CallPiece {
	p := models.CallPiece{Index: c.Index, ID: c.ID, Name: c.Function.Name}
	if json.Unmarshal(c.Function.Arguments, &p.Arguments) != nil && !bytes.Equal(c.Function.Arguments, []byte("null")) {
		p.Arguments = string(c.Function.Arguments)
	}
	return p
}

// buckets returns the usage in kinds that do not overlap. OpenAI counts
// thoughts within the completion; xAI beside it, which the total shows.
func (u usage) buckets() models.Usage {
	output := u.Completion
	if u.Prompt+u.Completion+u.OfCompletion.Reasoning != u.Total || u.OfCompletion.Reasoning == 0 {
		output -= u.OfCompletion.Reasoning
	}
	return models.Usage{
		Input: max(u.Prompt-u.OfPrompt.Cached, 0), CacheRead: u.OfPrompt.Cached,
		Output: max(output, 0), Reasoning: u.OfCompletion.Reasoning,
	}
}

var _ models.Reacher = (*Model)(nil)

// Reach implements models.Reacher.
func (m *Model) Reach(ctx context.Context) error { return m.wire.Reach(ctx, "/models", nil) }
