package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/once"
)

// onceRoute says how a route handles an Idempotency-Key.
type onceRoute struct {
	turn bool // the route begins a turn, which a retry joins; otherwise the response is stored
	form bool // the body is a form, compared part by part
	redo bool // the request may run again if a gateway died during it
}

// onceRoutes are the operations that accept a key, by operation id.
var onceRoutes = map[string]onceRoute{
	"prompt":               {turn: true},
	"general-chat":         {turn: true},
	"general-session":      {redo: true},
	"agent-session":        {redo: true},
	"general-memory-write": {},
	"invoke-tool":          {},
	"upload-artifact":      {form: true, redo: true},
	"add-plugin":           {form: true, redo: true},
	"create-run":           {},
	"ocr-overlay":          {redo: true},
	"vision-overlay":       {redo: true},
}

// onceRefused maps the ids of operations that refuse a key to the reason.
var onceRefused = map[string]string{
	"register-install": "its response contains a secret, which the gateway does not store",
	"socket-ticket":    "its response contains a secret, which the gateway does not store",
	"create-token":     "its response contains a secret, which the gateway does not store",
}

// keptHeaders names the response headers that are stored with a response.
var keptHeaders = []string{fiber.HeaderContentType, fiber.HeaderLocation, fiber.HeaderCacheControl}

// retryKey is the Retry-After, in seconds, while the first request with the key still runs.
const retryKey = "2"

const onceField = "header." + sdkapi.IdempotencyKeyHeader

// describeOnce adds the Idempotency-Key header to the document of a route that accepts one.
func describeOnce(doc *huma.Operation) {
	if _, ok := onceRoutes[doc.OperationID]; !ok {
		return
	}
	most := sdkapi.MaxIdempotencyKey + 2 // quotes
	doc.Parameters = append(doc.Parameters, &huma.Param{
		Name: sdkapi.IdempotencyKeyHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &most},
		Description: "A string that is unique to this request. If you repeat the request with the same key within a day, you get the first response again.",
	})
	for _, status := range []int{http.StatusConflict, http.StatusUnprocessableEntity} {
		if !slices.Contains(doc.Errors, status) {
			doc.Errors = append(slices.Clip(doc.Errors), status)
		}
	}
}

// HeadersOf returns the parameters of an operation that are sent as headers.
func HeadersOf(all []*huma.Param) []*huma.Param {
	return slices.DeleteFunc(slices.Clone(all), func(p *huma.Param) bool { return p.In != "header" })
}

// onceOnly returns the idempotency middleware of an operation that huma serves.
func (s *Server) onceOnly(doc huma.Operation) func(ctx huma.Context, next func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		c := humafiber.UnwrapV2(ctx)
		if RequestOf(c.UserContext()).head.OnceKey == "" {
			next(ctx)
			return
		}
		err := s.once(c, doc, func(body io.Reader, _ int) error {
			next(&boundedContext{humaContext: ctx, body: body})
			return nil
		})
		if err != nil {
			_ = s.fail(c, err) // an envelope can be written as JSON
		}
	}
}

// onceOnlyPlain wraps the handler of an operation that Fiber serves; see onceOnly.
func (s *Server) onceOnlyPlain(doc huma.Operation, handle fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if RequestOf(c.UserContext()).head.OnceKey == "" {
			return handle(c)
		}
		return s.once(c, doc, func(body io.Reader, left int) error {
			RequestOf(c.UserContext()).body = BodyOf(c).Instead(body, left)
			return handle(c)
		})
	}
}

// once runs a request with a key by calling next. If the request ran before, once sends the
// stored response instead. next gets the body and its length in bytes, negative if unknown.
func (s *Server) once(c *fiber.Ctx, doc huma.Operation, next func(body io.Reader, left int) error) error {
	route, ok := onceRoutes[doc.OperationID]
	if why, refused := onceRefused[doc.OperationID]; refused {
		return fault.New("gateway.once", sdkapi.FeatureUnavailable, "this route does not accept %s: %s", sdkapi.IdempotencyKeyHeader, why).At(onceField, "expected a request without this header")
	}
	if !ok {
		return next(BodyOf(c), BodyOf(c).Left())
	}
	key, err := s.onceKey(c, doc)
	if err != nil {
		return err
	}
	if route.form {
		return s.onceForm(c, key, doc, next)
	}
	limit := doc.MaxBodyBytes
	if limit == 0 {
		limit = agent.MaxArguments
	}
	body := BodyOf(c)
	whole, err := io.ReadAll(io.LimitReader(body, limit))
	if err != nil || int64(len(whole)) == limit && body.Left() != 0 { // the route answers with the error
		return next(io.MultiReader(bytes.NewReader(whole), body), -1)
	}
	again := func() error { return next(bytes.NewReader(whole), len(whole)) }
	digest := requestDigest(c, whole)
	if route.turn {
		return s.onceTurn(c, key, digest, again)
	}
	claim, err := s.app.Once.Claim(c.UserContext(), key, digest, route.redo)
	if err != nil {
		return onceFailed(c, err)
	}
	if claim.Answer != nil {
		return replay(c, claim.Answer)
	}
	return s.onceFirst(c, claim, func() (string, error) { return digest, again() })
}

// onceKey returns the key of a request. It fails if the caller may not use the route, because a
// stored response is only for callers who may.
func (s *Server) onceKey(c *fiber.Ctx, doc huma.Operation) (once.Key, error) {
	ctx := c.UserContext()
	name := c.Get(sdkapi.IdempotencyKeyHeader)
	if n := len(name); n > 1 && name[0] == '"' && name[n-1] == '"' {
		name = name[1 : n-1]
	}
	switch {
	case s.app.Once == nil:
		return once.Key{}, fault.New("gateway.once", sdkapi.FeatureUnavailable, "this gateway has no data folder in which to store responses, so it does not accept %s", sdkapi.IdempotencyKeyHeader).
			At(onceField, "expected a request without this header")
	case len(c.GetReqHeaders()[sdkapi.IdempotencyKeyHeader]) > 1, name == "", len(name) > sdkapi.MaxIdempotencyKey, strings.IndexFunc(name, Unprintable) >= 0:
		return once.Key{}, fault.New("gateway.once", sdkapi.ValidationError, "the header %s contains no valid key", sdkapi.IdempotencyKeyHeader).
			At(onceField, "expected 1 to %d bytes of printable ASCII, once", sdkapi.MaxIdempotencyKey)
	}
	if len(doc.Security) > 0 && doc.Security[0][operatorScheme] != nil {
		if err := s.checkOperator(ctx); err != nil {
			return once.Key{}, err
		}
	}
	if len(doc.Security) > 0 && doc.Security[0][runsScheme] != nil {
		return once.Key{User: runsScheme, Route: doc.OperationID, Name: name}, s.checkRunsKey(ctx)
	}
	user, err := CallerOf(ctx)
	return once.Key{User: user, Route: doc.OperationID, Name: name}, err
}

// requestDigest returns a hex SHA-256 of method, path, query and body. It detects a key that is
// reused for a different request.
func requestDigest(c *fiber.Ctx, body []byte) string {
	of := sha256.New()
	for _, part := range []string{c.Method(), c.Path(), string(c.Request().URI().QueryString())} {
		_, _ = io.WriteString(of, part+"\n")
	}
	_, _ = of.Write(body)
	return hex.EncodeToString(of.Sum(nil))
}

// onceFailed returns err, and sets Retry-After if the key is in use.
func onceFailed(c *fiber.Ctx, err error) error {
	if fault.CodeOf(err) == sdkapi.KeyInUse {
		c.Set(fiber.HeaderRetryAfter, retryKey)
	}
	return err
}

// replay sends a stored response.
func replay(c *fiber.Ctx, a *once.Answer) error {
	for name, value := range a.Header {
		c.Set(name, value)
	}
	c.Set(sdkapi.ReplayedHeader, "true")
	return c.Status(a.Status).Send(a.Body)
}

// onceFirst runs the first request of a claim by calling do, and stores the response. It does
// not store a failure, so the client can retry with the same key. If the client disconnects,
// the request continues, because the client can retry to get the response.
func (s *Server) onceFirst(c *fiber.Ctx, claim once.Claim, do func() (digest string, err error)) error {
	ctx := c.UserContext()
	RequestOf(ctx).outlives = true
	stop := s.app.Once.Hold(ctx, claim)
	done := false
	var digest string
	defer func() { // runs after a panic too
		stop()
		var err error
		if done {
			err = s.app.Once.Keep(ctx, claim, digest, answerOf(c))
		} else {
			err = s.app.Once.Release(ctx, claim)
		}
		if err != nil {
			s.Log.Warn("cannot store the response of a request with an idempotency key; a repeated request runs again", slog.String("request_id", RequestOf(ctx).ID), slog.Any("err", err))
		}
	}()
	digest, err := do()
	done = err == nil && c.Response().StatusCode() < http.StatusBadRequest && !c.Response().IsBodyStream()
	return err
}

// answerOf returns the part of c's response that is stored.
func answerOf(c *fiber.Ctx) once.Answer {
	a := once.Answer{Status: c.Response().StatusCode(), Header: map[string]string{}, Body: c.Response().Body()}
	for _, name := range keptHeaders {
		if value := string(c.Response().Header.Peek(name)); value != "" {
			a.Header[name] = value
		}
	}
	return a
}

// onceTurn runs a request that begins a turn by calling do. If an earlier request with the key
// began the turn, the handler joins it. A refused request releases the key.
func (s *Server) onceTurn(c *fiber.Ctx, key once.Key, digest string, do func() error) error {
	ctx := c.UserContext()
	claim, err := s.app.Once.Join(ctx, key, digest)
	if err != nil {
		return err
	}
	r := RequestOf(ctx)
	r.Claim = &claim
	err = do()
	if r.Joined {
		c.Set(sdkapi.ReplayedHeader, "true")
	}
	switch c.Response().StatusCode() {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout,
		http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusTooManyRequests:
		if claim.First {
			err = s.app.Once.Release(context.WithoutCancel(ctx), claim)
		}
	}
	return err
}
