// Package openai talks to models whose server uses OpenAI's chat completions protocol: OpenAI's own
// models, and models of vLLM, Ollama, LM Studio, llama.cpp, OpenRouter and many more.
//
//	model, err := openai.Open(openai.Config{BaseURL: "http://127.0.0.1:11434/v1"})
//
// OpenEmbedder opens a model of the same servers that converts texts to vectors.
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

// DefaultBaseURL is the URL of OpenAI's own server.
const DefaultBaseURL = "https://api.openai.com/v1"

// provider is the default name of the provider in messages, and the provider of its thoughts.
const provider = "openai"

// Config describes a server.
type Config struct {
	Name       string        // name of the provider, for messages; default "openai"
	BaseURL    string        // URL before "/chat/completions"; default DefaultBaseURL
	APIKey     models.Secret // key of the server; zero if the server needs no key
	HTTPClient *http.Client  // HTTP client whose transport is used; default: a new transport
	Dialect    Dialect       // dialect of the server; empty: the dialect depends on BaseURL
}

// Dialect says whether a server knows the old or the new names of request fields.
type Dialect string

// The dialects.
const (
	Own        Dialect = "openai"     // a server with the new names (max_completion_tokens, safety_identifier), from OpenAI or Azure
	Compatible Dialect = "compatible" // a server with the old names (max_tokens, user); the default for all other servers
)

// Driver opens the models of providers that use OpenAI's protocol.
var Driver = models.Driver{Kind: provider, Open: func(p models.Provider, key models.Secret) (models.Model, error) {
	return Open(Config{Name: p.ID, BaseURL: p.BaseURL, APIKey: key})
}}

// Model talks to one server. Make one with Open.
type Model struct {
	wire    models.Wire
	client  *openai.Client
	dialect Dialect
}

var _ models.Model = (*Model)(nil)

// Open returns the models of a server. It sends no request.
func Open(cfg Config) (models.Model, error) {
	wire, client, err := cfg.connect()
	if err != nil {
		return nil, err
	}
	return &Model{wire: wire, client: client, dialect: cmp.Or(cfg.Dialect, dialectOf(wire.BaseURL))}, nil
}

// connect returns the connection settings of the server and a client of the library. It fails for
// an invalid URL, and sends no request.
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

// dialectOf returns Own for the servers of OpenAI and of Azure, and Compatible for all others.
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
			return fault.New("openai.Stream", sdkapi.ModelError, "this model cannot combine thinking and tools; remove the tools, or set the reasoning mode to none").Because(err)
		}
		if errors.Is(err, openai.ErrReasoningModelLimitationsOther) || errors.Is(err, openai.ErrReasoningSamplingUnsupported) {
			return cmp.Or(req.Sampling.Refuse(models.Temperature, models.TopP, models.PresencePenalty, models.FrequencyPenalty), err)
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

// chunk is a piece of an answer. The library's own type lacks fields of servers other than
// OpenAI's.
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
		Name string `json:"name"`
		// A piece of JSON text; some servers send the object itself.
		Arguments json.RawMessage `json:"arguments"`
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

// take adds a piece of the stream to the answer. A piece without choices has only the usage. A
// refusal counts as text and as the end reason.
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

// piece converts a piece of a call.
func (c toolCall) piece() models.CallPiece {
	p := models.CallPiece{Index: c.Index, ID: c.ID, Name: c.Function.Name}
	if json.Unmarshal(c.Function.Arguments, &p.Arguments) != nil && !bytes.Equal(c.Function.Arguments, []byte("null")) {
		p.Arguments = string(c.Function.Arguments)
	}
	return p
}

// buckets converts the usage to fields that do not overlap. OpenAI includes thoughts in the
// completion. xAI reports them separately, which shows in the total.
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
