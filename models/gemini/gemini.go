// Package gemini talks to Google's Gemini models through the Gemini API.
//
//	model, err := gemini.Open(gemini.Config{APIKey: models.NewSecret(key)})
//
// The package does not use Google's own library, because it sends only one kind of request and
// reads one stream of events. The library would add gRPC, the sign-in to Google's cloud and clients
// of other services.
package gemini

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"iter"
	"net/http"
	"regexp"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// DefaultBaseURL is the URL of Google's own server.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/"

// provider is the default name of the provider in messages, and the provider of its thoughts.
const provider = "gemini"

// Config describes a server.
type Config struct {
	Name       string        // name of the provider, for messages; default "gemini"
	BaseURL    string        // URL before "/v1beta"; default DefaultBaseURL
	APIKey     models.Secret // key of the server; zero if the server needs no key
	HTTPClient *http.Client  // HTTP client whose transport is used; default: a new transport
}

// Driver opens the models of providers that use the Gemini API.
var Driver = models.Driver{Kind: provider, Open: func(p models.Provider, key models.Secret) (models.Model, error) {
	return Open(Config{Name: p.ID, BaseURL: p.BaseURL, APIKey: key})
}}

// Model talks to one server. Make one with Open.
type Model struct {
	wire   models.Wire
	client *http.Client
}

var _ models.Model = (*Model)(nil)

// Open returns the models of a server. It sends no request.
func Open(cfg Config) (models.Model, error) {
	wire := models.Wire{
		Provider: provider, Name: cfg.Name, BaseURL: cmp.Or(cfg.BaseURL, DefaultBaseURL),
		KeyHeader: "X-Goog-Api-Key", Key: cfg.APIKey, HTTPClient: cfg.HTTPClient,
	}
	if err := wire.Check(); err != nil {
		return nil, err
	}
	return &Model{wire: wire, client: wire.Client()}, nil
}

// modelName matches a model name that is valid in the path of a request.
var modelName = regexp.MustCompile(`^[A-Za-z0-9_-]+([./][A-Za-z0-9_-]+)*$`)

// Stream implements models.Model.
func (m *Model) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return m.wire.Stream(ctx, req, func(ctx context.Context, req models.Request, answer *models.Answer) error {
		if !modelName.MatchString(req.Model) {
			return fault.New("gemini.Stream", sdkapi.ValidationError, "invalid name of a model").At("model", "expected letters, digits, -, _, . and /")
		}
		body, err := body(req)
		if err != nil {
			return err
		}
		reader := reader{answer: answer}
		return m.wire.Events(ctx, m.client, "/v1beta/"+pathOf(req.Model)+":streamGenerateContent?alt=sse", nil, body, func(data []byte) error {
			var c chunk
			if err := json.Unmarshal(data, &c); err != nil {
				return err
			}
			return reader.take(c)
		})
	})
}

// pathOf returns the path of a model. A name without a folder is one of Google's own models.
func pathOf(model string) string {
	if strings.HasPrefix(model, "models/") || strings.HasPrefix(model, "tunedModels/") {
		return model
	}
	return "models/" + model
}

type chunk struct {
	Candidates []struct {
		Content struct {
			Parts []part `json:"parts"`
		} `json:"content"`
		FinishReason  string `json:"finishReason"`
		FinishMessage string `json:"finishMessage"` // the model's text of a call that could not be parsed
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt     int `json:"promptTokenCount"`
		ToolPrompt int `json:"toolUsePromptTokenCount"`
		Cached     int `json:"cachedContentTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
		Thoughts   int `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
}

// part is a part of a message. A zero field is omitted.
type part struct {
	Text             string    `json:"text,omitempty"`
	Thought          bool      `json:"thought,omitempty"`
	ThoughtSignature []byte    `json:"thoughtSignature,omitempty"`
	InlineData       *blob     `json:"inlineData,omitempty"`
	FunctionCall     *call     `json:"functionCall,omitempty"`
	FunctionResponse *response `json:"functionResponse,omitempty"`
}

type blob struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

type call struct {
	ID   string         `json:"id,omitempty"`
	Name string         `json:"name"`
	Args map[string]any `json:"args,omitempty"`
}

type response struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

type reader struct {
	answer *models.Answer
	calls  int
}

// take adds a chunk of the stream to the answer. It reads only the first candidate.
func (r *reader) take(c chunk) error {
	if u := c.Usage; u != nil {
		r.answer.Used(models.Usage{Input: max(u.Prompt+u.ToolPrompt-u.Cached, 0), CacheRead: u.Cached, Output: u.Candidates, Reasoning: u.Thoughts})
	}
	if c.PromptFeedback.BlockReason != "" {
		r.answer.End(models.Refused)
	}
	if len(c.Candidates) == 0 {
		return nil
	}
	for _, p := range c.Candidates[0].Content.Parts {
		if err := r.part(p); err != nil {
			return err
		}
	}
	return r.end(c.Candidates[0].FinishReason, c.Candidates[0].FinishMessage)
}

// part adds a part to the answer. The signature of a text becomes a thought without text, so that
// the history has it.
func (r *reader) part(p part) error {
	signature := base64.StdEncoding.EncodeToString(p.ThoughtSignature)
	if p.FunctionCall != nil {
		return r.call(p.FunctionCall, signature)
	}
	say := r.answer.Text
	if p.Thought {
		say = r.answer.Think
	}
	if err := say(p.Text); err != nil || signature == "" {
		return err
	}
	return r.answer.EndThought(signature)
}

// call adds a call to the answer. The protocol never splits a call.
func (r *reader) call(c *call, signature string) error {
	arguments, err := json.Marshal(c.Args)
	if err != nil {
		return err
	}
	number := r.calls
	r.calls++
	return r.answer.Call(models.CallPiece{Index: &number, ID: c.ID, Name: c.Name, Arguments: string(arguments), Signature: signature})
}

// unsigned replaces a missing signature of a call. Newer models refuse a call without one.
var unsigned = base64.StdEncoding.EncodeToString([]byte("skip_thought_signature_validator"))

// end ends the answer, unless the provider's word means that it continues.
func (r *reader) end(word, message string) error {
	switch word {
	case "FINISH_REASON_UNSPECIFIED", "CONTINUATION":
		return nil
	}
	return r.answer.Ends(models.Ending{Word: word, Written: message, Signature: unsigned})
}

var _ models.Reacher = (*Model)(nil)

// Reach implements models.Reacher.
func (m *Model) Reach(ctx context.Context) error { return m.wire.Reach(ctx, "/v1beta/models", nil) }
