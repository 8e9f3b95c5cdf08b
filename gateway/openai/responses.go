package openai

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/responses"
)

// addResponses adds the routes for responses.
func (s *door) addResponses() {
	post[sdkapi.OpenAIResponseRequest](s, sdkapi.OpenAIResponsesPath, gateway.MaxImageBody, huma.Operation{
		OperationID: "openai-response", Summary: "Create a response",
		Description: "Compatible with OpenAI's responses. Supports text, images, function tools, formats, streams, and stored responses that a later one continues.",
		Responses: map[string]*huma.Response{"200": {Description: "The response. With `stream`, its events.", Content: map[string]*huma.MediaType{
			"application/json":  gateway.JSONResponse[sdkapi.OpenAIResponse](s.core, "").Content["application/json"],
			"text/event-stream": {Schema: gateway.AnyEvent[sdkapi.OpenAIResponseEvent](s.core, "OpenAIResponseEvents")},
		}}},
		Errors: []int{400, 403, 404, 408, 413, 415, 422, 429, 502, 503, 504},
	}, s.respond)
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "openai-get-response", Method: http.MethodGet, Path: sdkapi.OpenAIResponsesPath + "/{response_id}", Tags: []string{tag},
		Summary: "Get a stored response", Description: "Returns a response that was stored by an earlier request with `store`.",
		Errors: []int{403, 404, 422, 429, 503},
	}, s.storedResponse)
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "openai-delete-response", Method: http.MethodDelete, Path: sdkapi.OpenAIResponsesPath + "/{response_id}", Tags: []string{tag},
		Summary: "Delete a stored response", Description: "Deletes a stored response. Later requests cannot continue from it.",
		Errors: []int{403, 404, 422, 429, 503},
	}, s.deleteResponse)
}

// respond answers a request for a response, whole or as a stream.
func (s *door) respond(ctx context.Context, in *rawBody) (*huma.StreamResponse, error) {
	var body sdkapi.OpenAIResponseRequest
	if err := refuse(in.RawBody, unsupportedInResponses); err != nil {
		return nil, err
	}
	if err := read(in.RawBody, &body); err != nil {
		return nil, err
	}
	user, ctx, err := charged(ctx)
	if err != nil {
		return nil, err
	}
	t, err := s.turnOf(ctx, user, &body)
	if err != nil {
		return nil, err
	}
	if body.Stream {
		return &huma.StreamResponse{Body: func(c huma.Context) {
			s.core.Stream(humafiber.UnwrapV2(c), func(ctx context.Context, send func(sse.Event) error) error {
				ctx, cancel := context.WithTimeout(ctx, answerTime)
				defer cancel()
				return s.streamTurn(ctx, t, send)
			})
		}}, nil
	}
	ctx, stop := gateway.UntilClientLeaves(ctx)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	for e, err := range s.answer(ctx, t.question) {
		if err != nil {
			return nil, late(ctx, err)
		}
		t.take(e)
	}
	if err := s.save(ctx, t); err != nil {
		return nil, err
	}
	return answerJSON(t.response), nil
}

// turn is a response in the making.
type turn struct {
	*question
	response *sdkapi.OpenAIResponse
	input    []json.RawMessage // items of this turn's input
	chain    []string          // ids of the responses before it, latest first
	open     int               // index of the message that is not complete in response.Output; -1 for none
	text     strings.Builder   // text of that message
}

// turnOf validates and converts a request.
func (s *door) turnOf(ctx context.Context, user string, in *sdkapi.OpenAIResponseRequest) (*turn, error) {
	keeps := in.Store == nil || *in.Store
	t := &turn{open: -1}
	var err error
	if t.input, err = itemsOf(in.Input); err != nil {
		return nil, err
	}
	var before []json.RawMessage
	if in.PreviousResponseID != "" {
		if before, t.chain, err = s.history(ctx, user, in.PreviousResponseID); err != nil {
			return nil, err
		}
	}
	chat, names, err := chatOf(in, before, t.input)
	if err != nil {
		return nil, err
	}
	if t.question, err = s.questionOf(ctx, user, chat); err != nil {
		return nil, names.renamed(err)
	}
	t.streams = in.Stream
	t.response = responseOf(in)
	t.response.ID, t.response.CreatedAt, t.response.Model = newID("resp_"), time.Now().Unix(), t.named
	t.response.Store = keeps && s.responses != nil
	return t, nil
}

// newID returns a random id that begins with prefix.
func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()) }

// history returns the items of the responses that a request continues.
func (s *door) history(ctx context.Context, user, id string) (items []json.RawMessage, chain []string, err error) {
	if s.responses == nil {
		return nil, nil, fault.New(op, sdkapi.FeatureUnavailable, "this gateway stores no responses; send the whole conversation")
	}
	items, chain, err = s.responses.History(ctx, user, id)
	if code := fault.CodeOf(err); code == sdkapi.NotFound || code == sdkapi.ValidationError {
		return nil, nil, fault.At(err, "body.previous_response_id", "expected the id of a stored response that can be continued")
	}
	return items, chain, err
}

// save stores the response, unless the client does not want that.
func (s *door) save(ctx context.Context, t *turn) error {
	if !t.response.Store {
		return nil
	}
	body, err := json.Marshal(t.response)
	if err != nil {
		return err
	}
	items := t.input
	for _, item := range t.response.Output {
		raw, err := json.Marshal(item)
		if err != nil {
			return err
		}
		items = append(items, raw)
	}
	kept := responses.Response{ID: t.response.ID, Body: body, Items: items}
	if t.response.PreviousResponseID != nil {
		kept.Previous = *t.response.PreviousResponseID
	}
	return s.responses.Save(ctx, t.user, kept, t.chain)
}

// ResponseNamed is the input of a route whose path contains a response's id.
type ResponseNamed struct {
	ID string `path:"response_id" maxLength:"100"`
}

// storedResponse returns a stored response of the user.
func (s *door) storedResponse(ctx context.Context, in *ResponseNamed) (*sdkapi.OpenAIResponse, error) {
	user, err := s.holder(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := s.responses.Get(ctx, user, in.ID)
	if err != nil {
		return nil, err
	}
	out := new(sdkapi.OpenAIResponse)
	return out, json.Unmarshal(raw, out)
}

// deleteResponse deletes a stored response of the user.
func (s *door) deleteResponse(ctx context.Context, in *ResponseNamed) (*sdkapi.OpenAIDeleted, error) {
	user, err := s.holder(ctx)
	if err == nil {
		err = s.responses.Delete(ctx, user, in.ID)
	}
	if err != nil {
		return nil, err
	}
	return &sdkapi.OpenAIDeleted{ID: in.ID, Object: "response", Deleted: true}, nil
}

// holder returns the user of a request about stored responses.
func (s *door) holder(ctx context.Context) (string, error) {
	if s.responses == nil {
		return "", fault.New(op, sdkapi.NotFound, "there is no such response: this gateway stores none")
	}
	return gateway.CallerOf(ctx)
}
