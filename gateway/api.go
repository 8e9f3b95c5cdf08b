package gateway

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/sdkapi"
)

// apiConfig returns huma's configuration. The package docs serves the OpenAPI document and
// the docs page, so huma's own are turned off.
func apiConfig(version string) huma.Config {
	cfg := huma.DefaultConfig("Windie", version)
	cfg.Info.Description = "A self-hosted gateway for agents that look at screens and use tools. " +
		"Upload a screenshot, ask what is written where, and get the one point to click."
	cfg.Info.Contact = &huma.Contact{Name: "Windie", URL: "https://github.com/windieos/windie"}
	cfg.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	cfg.OpenAPIPath = ""
	cfg.DocsPath = ""
	cfg.SchemasPath = ""
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		UserScheme:     {Type: "apiKey", In: "header", Name: sdkapi.UserHeader, Description: "Id of the user who sends the request."},
		installScheme:  {Type: "http", Scheme: "bearer", Description: "The token of an install, from its registration. A gateway in local mode requires no token."},
		operatorScheme: {Type: "http", Scheme: "bearer", Description: "The operator's token. If no token is set, requests from the gateway's own machine need no token."},
	}
	cfg.Security = []map[string][]string{{}, {installScheme: {}}} // for operations without security of their own
	cfg.Formats = map[string]huma.Format{"application/json": strictbody.Format, "json": strictbody.Format}
	cfg.CreateHooks = nil // no $schema links in responses
	return cfg
}

// Body is a request or a response that consists only of a JSON body.
type Body[T any] struct{ Body T }

// Post adds a POST route whose request and response are JSON. The request body has at most maxBytes bytes. The context
// of the function handle ends when the client disconnects.
func Post[In, Out any](s *Server, path string, maxBytes int64, doc huma.Operation, handle func(context.Context, *In) (*Out, error)) {
	doc.Method, doc.Path = http.MethodPost, path
	doc.MaxBodyBytes = maxBytes + 1 // huma refuses a body of exactly the limit
	doc.BodyReadTimeout = -1        // boundBody watches progress instead
	RegisterJSON(s, doc, func(ctx context.Context, in *Body[In]) (*Out, error) {
		ctx, stop := UntilClientLeaves(ctx)
		defer stop()
		return handle(ctx, &in.Body)
	})
}

// RegisterJSON adds a route whose response consists only of a JSON body. It works like Register.
func RegisterJSON[In, Out any](s *Server, doc huma.Operation, handle func(context.Context, *In) (*Out, error)) {
	Register(s, doc, func(ctx context.Context, in *In) (*Body[Out], error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, err
		}
		return &Body[Out]{Body: *out}, nil
	})
}

// AddRaw adds a route that Fiber serves without huma, which is faster. The function handle must check its input itself.
// The parameter doc is the route's entry in the API document. AddRaw adds the responses of doc.Errors and of status 500
// to this entry. doc.Responses must not be nil.
func AddRaw(s *Server, doc huma.Operation, handle fiber.Handler) {
	if doc.Method == http.MethodPost {
		describeOnce(&doc)
		handle = s.onceOnlyPlain(doc, handle)
	}
	for _, status := range append(doc.Errors, http.StatusInternalServerError) {
		doc.Responses[strconv.Itoa(status)] = JSONResponse[ErrorResponse](s, http.StatusText(status))
	}
	s.API.OpenAPI().AddOperation(&doc)
	s.App.Add(doc.Method, fiberParams.Replace(doc.Path), handle)
}

// fiberParams turns a path of the API document, such as /runs/{id}, into Fiber's /runs/:id.
var fiberParams = strings.NewReplacer("{", ":", "}", "")

// JSONResponse describes, for the API document, a response whose JSON body has type T.
func JSONResponse[T any](s *Server, description string) *huma.Response {
	schema := s.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
}

// EventStream describes a response with status 200 and server-sent events, for the API document. The
// parameter events is the schema of the events, from Union or AnyEvent.
func EventStream(description string, events *huma.Schema) map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: description, Content: map[string]*huma.MediaType{"text/event-stream": {Schema: events}}}}
}

// Union returns the schema of a stream that has several kinds of events or messages, for the API
// document. The parameter data maps each kind to the Go type of its data. The parameter name is the
// name of the schema.
func Union(s *Server, name string, data map[string]reflect.Type) *huma.Schema {
	schemas := map[string]*huma.Schema{}
	for kind, t := range data {
		schemas[kind] = s.API.OpenAPI().Components.Schemas.Schema(t, true, "")
	}
	return &huma.Schema{Extensions: map[string]any{"x-union": name, "x-events": schemas}}
}

// AnyEvent returns the schema of a stream in which the data of every event has type T, for the API
// document. The parameter name is the name of the schema.
func AnyEvent[T any](s *Server, name string) *huma.Schema {
	return &huma.Schema{Extensions: map[string]any{"x-union": name, "x-any-event": s.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")}}
}

// Register adds a route that huma serves. Errors of handle become responses in the error
// envelope. If doc.Security names the user, the key, the operator or the runs key, Register
// checks that credential before handle runs. POST routes get the idempotency middleware.
func Register[In, Out any](s *Server, doc huma.Operation, handle func(context.Context, *In) (*Out, error)) {
	for _, schemes := range doc.Security {
		for _, g := range []struct {
			scheme string
			check  func(context.Context) error
		}{{UserScheme, checkUser}, {keyScheme, s.CheckKey}, {operatorScheme, s.checkOperator}, {runsScheme, s.checkRunsKey}} {
			if schemes[g.scheme] != nil {
				doc.Middlewares = append(doc.Middlewares, s.guard(g.check))
			}
		}
	}
	if doc.Method == http.MethodPost {
		describeOnce(&doc)
		doc.Middlewares = append(doc.Middlewares, s.onceOnly(doc))
	}
	huma.Register(s.API, doc, func(ctx context.Context, in *In) (*Out, error) {
		out, err := handle(ctx, in)
		if withHeaders := huma.HeadersError(nil); errors.As(err, &withHeaders) {
			return nil, err // already a response with headers
		}
		if err != nil {
			answer := s.Failure(ctx, err)
			if after := answer.retryAfter(); after != "" {
				return nil, huma.ErrorWithHeaders(answer, http.Header{fiber.HeaderRetryAfter: {after}})
			}
			return nil, answer
		}
		return out, nil
	})
}

// guard returns middleware that answers with check's error, if it returns one.
func (s *Server) guard(check func(context.Context) error) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if err := check(ctx.Context()); err != nil {
			_ = s.fail(humafiber.UnwrapV2(ctx), err) // an envelope can be written as JSON
			return
		}
		next(ctx)
	}
}

// UntilClientLeaves returns a context that ends when the client of ctx's request closes its
// connection. The request body must already be read. Some requests continue without their client; for
// them a disconnect does not end the context. The handler must call stop before it returns; stop ends
// the context.
func UntilClientLeaves(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	end := peer.Watch(RequestOf(ctx).watched(), cancel)
	return ctx, func() {
		end()
		cancel()
	}
}
