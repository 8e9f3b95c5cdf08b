// Package gemini asks Google's Gemini models through the Gemini API.
//
//	model, err := gemini.Open(gemini.Config{APIKey: models.NewSecret(key)})
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

	"google.golang.org/genai"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// DefaultBaseURL is Google's own.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/"

// provider is what thoughts call these models, and messages where nothing else is said.
const provider = "gemini"

// Config says where the models are.
type Config struct {
	Name       string        // of the provider, as messages tell it; empty for "gemini"
	BaseURL    string        // up to "/v1beta"; empty for DefaultBaseURL
	APIKey     models.Secret // none for servers that want none
	HTTPClient *http.Client  // whose transport is used; nil for one of its own
}

// Driver opens the models of providers in a catalogue.
var Driver = models.Driver{Kind: provider, Open: func(p models.Provider, key models.Secret) (models.Model, error) {
	return Open(Config{Name: p.ID, BaseURL: p.BaseURL, APIKey: key})
}}

// Model asks one server.
type Model struct {
	wire   models.Wire
	client *genai.Client
}

var _ models.Model = (*Model)(nil)

// Open returns the models of a server. It does not ask for anything yet.
func Open(cfg Config) (models.Model, error) {
	wire := models.Wire{
		Provider: provider, Name: cfg.Name, BaseURL: cmp.Or(cfg.BaseURL, DefaultBaseURL),
		KeyHeader: "X-Goog-Api-Key", Key: cfg.APIKey, HTTPClient: cfg.HTTPClient,
	}
	if err := wire.Check(); err != nil {
		return nil, err
	}
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: models.PlaceholderKey, HTTPClient: wire.Client(),
		HTTPOptions: genai.HTTPOptions{BaseURL: strings.TrimRight(wire.BaseURL, "/") + "/", APIVersion: "v1beta"},
	})
	if err != nil {
		return nil, fault.New("gemini.Open", sdkapi.Internal, "the library for gemini cannot be set up").Because(err)
	}
	return &Model{wire: wire, client: client}, nil
}

// modelName is what may stand in the path of a request.
var modelName = regexp.MustCompile(`^[A-Za-z0-9_-]+([./][A-Za-z0-9_-]+)*$`)

// Stream implements models.Model.
func (m *Model) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return m.wire.Stream(ctx, req, func(ctx context.Context, req models.Request, answer *models.Answer) error {
		if !modelName.MatchString(req.Model) {
			return fault.New("gemini.Stream", sdkapi.ValidationError, "that is no model's name").At("model", "expected letters, digits, -, _, . and /")
		}
		config, err := configOf(req)
		if err != nil {
			return err
		}
		reader := reader{answer: answer}
		for chunk, err := range m.client.Models.GenerateContentStream(ctx, req.Model, contents(req.Messages), config) {
			if err != nil {
				return err
			}
			if err := reader.take(chunk); err != nil {
				return err
			}
		}
		return nil
	})
}

// reader puts chunks into an answer.
type reader struct {
	answer *models.Answer
	calls  int
}

// take puts a chunk into the answer.
func (r *reader) take(chunk *genai.GenerateContentResponse) error {
	if u := chunk.UsageMetadata; u != nil {
		r.answer.Used(models.Usage{
			Input:     max(int(u.PromptTokenCount+u.ToolUsePromptTokenCount-u.CachedContentTokenCount), 0),
			CacheRead: int(u.CachedContentTokenCount), Output: int(u.CandidatesTokenCount), Reasoning: int(u.ThoughtsTokenCount),
		})
	}
	if chunk.PromptFeedback != nil && chunk.PromptFeedback.BlockReason != "" {
		r.answer.End(models.Refused)
	}
	if len(chunk.Candidates) == 0 || chunk.Candidates[0] == nil {
		return nil
	}
	candidate := chunk.Candidates[0]
	if candidate.Content != nil {
		for _, p := range candidate.Content.Parts {
			if err := r.part(p); err != nil {
				return err
			}
		}
	}
	return r.end(candidate.FinishReason)
}

// part puts a part into the answer. A signature that stands on a text is kept
// as a thought without text, so that the history has it.
func (r *reader) part(p *genai.Part) error {
	if p == nil {
		return nil
	}
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

// call puts a call into the answer. It always comes whole.
func (r *reader) call(c *genai.FunctionCall, signature string) error {
	arguments, err := json.Marshal(c.Args)
	if err != nil {
		return err
	}
	number := r.calls
	r.calls++
	return r.answer.Call(models.CallPiece{Index: &number, ID: c.ID, Name: c.Name, Arguments: string(arguments), Signature: signature})
}

// end notes why the answer ends.
func (r *reader) end(reason genai.FinishReason) error {
	switch reason {
	case "", genai.FinishReasonUnspecified, genai.FinishReasonContinuation: // the answer is not whole
	case genai.FinishReasonMaxTokens:
		r.answer.End(models.Length)
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonLanguage, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonImageSafety, genai.FinishReasonImageProhibitedContent, genai.FinishReasonImageRecitation:
		r.answer.End(models.Refused)
	case genai.FinishReasonMalformedFunctionCall, genai.FinishReasonUnexpectedToolCall, genai.FinishReasonTooManyToolCalls:
		return fault.New("gemini.Stream", sdkapi.ModelError, "the model wrote a call that its provider cannot read (%s)", reason)
	default:
		r.answer.End(models.Stop) // the answer itself knows whether it has calls
	}
	return nil
}

var _ models.Reacher = (*Model)(nil)

// Reach implements models.Reacher.
func (m *Model) Reach(ctx context.Context) error { return m.wire.Reach(ctx, "/v1beta/models", nil) }
