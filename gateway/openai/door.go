// Package openai serves the gateway's models to clients of OpenAI's API: chat completions,
// responses, embeddings, speech and transcriptions. Requests count against their user's budget, as in all
// protocols.
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
	"github.com/windieos/windie/state/responses"
)

const (
	op  = "gateway.openai"
	tag = "openai"
)

// answerTime is the maximum time for one answer, including the gateway's tools.
const answerTime = 10 * time.Minute

// Parts returns the part for clients of OpenAI's API, or no part if app.Models is nil. If the
// embedding model, the voice or the transcriber is missing, the routes that need it fail with
// FEATURE_UNAVAILABLE.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Models == nil {
		return nil
	}
	d := &door{core: core, embeddings: app.Embeddings, language: app.Models, openAITools: app.OpenAITools, pools: app.Pools, responses: app.Responses, sessions: app.Sessions, toolTimeout: app.ToolTimeout, transcriber: app.Transcriber, voice: app.Voice}
	return []gateway.Part{gateway.PartOf("openai", d.addModels, d.addChat, d.addResponses, d.addEmbeddings, d.addSpeech, d.addTranscriptions)}
}

// door has the parts of the gateway that the handlers of this package use.
type door struct {
	core        *gateway.Server
	embeddings  *embeddings.Service
	language    gateway.Models
	openAITools agent.Filter
	pools       metrics.Pools
	responses   *responses.Store // nil: responses are not stored
	sessions    *session.Sessions
	toolTimeout time.Duration
	transcriber transcription.Transcriber
	voice       speech.Voice
}

// rawBody is a body that the handlers decode themselves. huma would reject the unknown fields and
// the nulls that clients send.
type rawBody struct {
	RawBody []byte `contentType:"application/json"`
}

// post adds a POST route with a JSON body. The body has the schema of In in the API document;
// handle decodes it.
func post[In any](s *door, path string, maxBytes int64, doc huma.Operation, handle func(context.Context, *rawBody) (*huma.StreamResponse, error)) {
	doc.Method, doc.Path, doc.Tags = http.MethodPost, path, []string{tag}
	// See gateway.Post; read validates.
	doc.MaxBodyBytes, doc.BodyReadTimeout, doc.SkipValidateBody = maxBytes+1, -1, true
	gateway.Register(s.core, doc, handle)
	schema := s.core.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[In](), true, "")
	s.core.API.OpenAPI().Paths[path].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
}

// read validates and decodes a body into v.
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

// invalid returns a VALIDATION_ERROR for the field at path.
func invalid(path, format string, args ...any) *fault.Error {
	f := fault.New(op, sdkapi.ValidationError, "").At(path, format, args...)
	f.Message = path + ": " + f.Details.Fields[0].Message // clients of this API show only the message
	return f
}

// charged counts a request as a call of its user. It returns the user, and a context in which
// models charge that user.
func charged(ctx context.Context) (user string, _ context.Context, err error) {
	if user, err = gateway.CallerOf(ctx); err == nil {
		err = gateway.RequestOf(ctx).Quota.TakeCall()
	}
	return user, ledger.For(ctx, user), err
}

// answerJSON returns a JSON response.
func answerJSON(v any) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(c huma.Context) {
		c.SetHeader("Content-Type", "application/json")
		_ = json.NewEncoder(c.BodyWriter()).Encode(v) // writing to memory cannot fail
	}}
}

// addModels adds the routes that list the models.
func (s *door) addModels() {
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "openai-models", Method: http.MethodGet, Path: sdkapi.OpenAIModelsPath, Tags: []string{tag},
		Summary: "List models", Description: "Lists the language models and the models for embeddings, speech and transcription that the user may use.",
		Errors: []int{403, 429, 503},
	}, s.models)
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "openai-model", Method: http.MethodGet, Path: sdkapi.OpenAIModelsPath + "/{model}", Tags: []string{tag},
		Summary: "Get a model", Description: "Returns one entry of the list of models.",
		Errors: []int{403, 404, 422, 429, 503},
	}, s.model)
}

// models lists the default model under its name "default", the language models of the user, and the
// embedding model.
func (s *door) models(ctx context.Context, _ *struct{}) (*sdkapi.OpenAIModels, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	out := &sdkapi.OpenAIModels{Object: "list", Data: []sdkapi.OpenAIModel{}}
	add := func(id, owner string) {
		out.Data = append(out.Data, sdkapi.OpenAIModel{ID: id, Object: "model", Created: s.core.Started.Unix(), OwnedBy: owner})
	}
	add(defaultModel, "windie")
	list := s.language.List(ctx, user)
	for _, some := range [][]sdkapi.Model{list.Local, list.Online} {
		for _, m := range some {
			add(m.ID, m.Provider)
		}
	}
	if s.embeddings != nil && s.embeddings.Installed() {
		// A server that does not answer has no model to list.
		if space, err := s.embeddings.Space(ctx); err == nil {
			add(space.ModelID, space.ProviderID)
		}
	}
	return out, nil
}

// ModelNamed is the input of a route whose path contains a model's id.
type ModelNamed struct {
	Model string `path:"model" maxLength:"256"`
}

// model returns the listed model with the id in the path. It fails with NOT_FOUND for any other id.
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
	return nil, noModel(in.Model, "path.model")
}

// noModel returns the error NOT_FOUND for a model id, which it shortens. path names the field of the request that has
// the id.
func noModel(id, path string) error {
	return fault.New(op, sdkapi.NotFound, "there is no model %q; GET %s lists the models", plain.OneLine(id, maxShown), sdkapi.OpenAIModelsPath).
		At(path, "expected the id of a listed model")
}

// maxShown is the maximum length of a model id in an error, in bytes.
const maxShown = 100
