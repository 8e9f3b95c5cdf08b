// Package openai serves the gateway's models to programs that speak OpenAI's API: chat completions,
// embeddings, speech and transcriptions. Requests are charged to their user's budgets as those of all protocols.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/models/speech/transcription"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/ledger"
)

const (
	op  = "gateway.openai"
	tag = "openai"
)

// answerTime is the longest time of one request to a model, tools of the gateway included.
const answerTime = 10 * time.Minute

// Parts returns the part for programs that speak OpenAI's API; nothing of a gateway without language models. Routes about
// embeddings and sound say what is missing where there is nothing that does it.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Models == nil {
		return nil
	}
	d := &door{core: core, embeddings: app.Embeddings, language: app.Models, openAITools: app.OpenAITools, pools: app.Pools, sessions: app.Sessions, toolTimeout: app.ToolTimeout, transcriber: app.Transcriber, voice: app.Voice}
	return []gateway.Part{gateway.PartOf("openai", d.addModels, d.addChat, d.addEmbeddings, d.addSpeech, d.addTranscriptions)}
}

// door is the protocol at a gateway.
type door struct {
	core        *gateway.Server
	embeddings  *embeddings.Service
	language    gateway.Models
	openAITools agent.Filter
	pools       metrics.Pools
	sessions    *session.Sessions
	toolTimeout time.Duration
	transcriber transcription.Transcriber
	voice       speech.Voice
}

// rawBody is a body that the door decodes itself: clients send fields that this API does not name, and null for
// those that they leave out.
type rawBody struct {
	RawBody []byte `contentType:"application/json"`
}

// post adds a route that takes JSON of the type In and answers itself.
func post[In any](s *door, path string, maxBytes int64, doc huma.Operation, handle func(context.Context, *rawBody) (*huma.StreamResponse, error)) {
	doc.Method, doc.Path, doc.Tags = http.MethodPost, path, []string{tag}
	doc.MaxBodyBytes, doc.BodyReadTimeout, doc.SkipValidateBody = maxBytes+1, -1, true // as in gateway.Post; read checks
	gateway.Register(s.core, doc, handle)
	schema := s.core.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[In](), true, "")
	s.core.API.OpenAPI().Paths[path].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
}

// read decodes a body into v.
func read(body []byte, v any) error {
	if err := strictbody.Check(body, v); err != nil {
		return err
	}
	err := json.Unmarshal(body, v)
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return invalid("body."+wrong.Field, "expected %s, not %s", wrong.Type, wrong.Value)
	}
	if err != nil {
		return fault.New(op, sdkapi.MalformedBody, "the body must be JSON").At("body", "expected a JSON object").Because(err)
	}
	return nil
}

// invalid is the fault of a request with a field that is wrong.
func invalid(path, format string, args ...any) *fault.Error {
	f := fault.New(op, sdkapi.ValidationError, "").At(path, format, args...)
	f.Message = path + ": " + f.Details.Fields[0].Message // clients of this API show the message alone
	return f
}

// charged counts a request as a call of its user, and returns the user and a context in which models are charged to the user.
func charged(ctx context.Context) (user string, _ context.Context, err error) {
	if user, err = gateway.CallerOf(ctx); err == nil {
		err = gateway.RequestOf(ctx).Quota.TakeCall()
	}
	return user, ledger.For(ctx, user), err
}

// answerJSON answers with JSON.
func answerJSON(v any) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(c huma.Context) {
		c.SetHeader("Content-Type", "application/json")
		_ = json.NewEncoder(c.BodyWriter()).Encode(v) // to memory
	}}
}

func (s *door) addModels() {
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "openai-models", Method: http.MethodGet, Path: sdkapi.OpenAIModelsPath, Tags: []string{tag},
		Summary: "List the models that can be asked", Errors: []int{403, 429, 503},
	}, s.models)
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "openai-model", Method: http.MethodGet, Path: sdkapi.OpenAIModelsPath + "/{model}", Tags: []string{tag},
		Summary: "Look up one model", Errors: []int{403, 404, 422, 429, 503},
	}, s.model)
}

// models lists the language models of a user, and the embedding model.
func (s *door) models(ctx context.Context, _ *struct{}) (*sdkapi.OpenAIModels, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	out := &sdkapi.OpenAIModels{Object: "list", Data: []sdkapi.OpenAIModel{}}
	add := func(id, owner string) {
		out.Data = append(out.Data, sdkapi.OpenAIModel{ID: id, Object: "model", Created: s.core.Started.Unix(), OwnedBy: owner})
	}
	list := s.language.List(ctx, user)
	for _, some := range [][]sdkapi.Model{list.Local, list.Online} {
		for _, m := range some {
			add(m.ID, m.Provider)
		}
	}
	if s.embeddings != nil && s.embeddings.Installed() {
		if space, err := s.embeddings.Space(ctx); err == nil { // a server that is away has no model to list
			add(space.ModelID, space.ProviderID)
		}
	}
	return out, nil
}

// ModelNamed is the id in a path. The name is exported for huma.
type ModelNamed struct {
	Model string `path:"model" maxLength:"256"`
}

func (s *door) model(ctx context.Context, in *ModelNamed) (*sdkapi.OpenAIModel, error) {
	list, err := s.models(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, m := range list.Data {
		if m.ID == in.Model {
			return &m, nil
		}
	}
	return nil, noModel(in.Model)
}

func noModel(id string) error {
	return fault.New(op, sdkapi.NotFound, "there is no model %q; GET %s lists the models", plain.OneLine(id, maxShown), sdkapi.OpenAIModelsPath).
		At("body.model", "expected the id of a listed model")
}

// maxShown is how much of a model's id an error repeats, in bytes.
const maxShown = 100
