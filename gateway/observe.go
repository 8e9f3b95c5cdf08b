package gateway

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/oauth"
	"github.com/windieos/windie/state/once"
)

// Request describes the HTTP request that a handler serves.
type Request struct {
	// ID is the X-Request-ID of the response, which is also in the log. It is empty outside a
	// request.
	ID   string
	Conn net.Conn // connection of the client; nil outside a request
	Base string   // start of the URLs on this gateway, for example "http://127.0.0.1:8765"
	User string   // value of the header X-User-Id, which nobody has checked; see UserOf

	// Owner is the id of the user whose token the request carries. It is empty in local mode,
	// where every caller sees all data.
	Owner   string
	Install string // id of the install that the token belongs to; empty in local mode

	// Access is what the request's access token allows, if an MCP client sent the request by OAuth. It
	// is nil for other callers, who may do all that their user may.
	Access *oauth.Access

	Quota *quota.Quota // limits of the caller; nil means no limits

	Visit *identity.Visit // the console visit that sent the request; nil for other clients

	head peer.Head  // the headers that the middleware reads
	body *peer.Body // nil before finishBody

	outlives bool        // the request continues if its client disconnects; the client can retry with its key
	Claim    *once.Claim // set if the request starts a turn and has an idempotency key
	Joined   bool        // true if an earlier request with the same key has started the turn

	openAI bool   // a client of OpenAI's API sent the request
	bearer string // the bearer token; set by Recognize
	local  bool   // the request comes from this machine; set by Recognize
}

// watched returns the connection whose close cancels the request's work; nil if nothing does.
func (r *Request) watched() net.Conn {
	if r.outlives {
		return nil
	}
	return r.Conn
}

// RequestKey is the context key under which a context holds its *Request.
type RequestKey struct{}

// noRequest is the empty Request that RequestOf returns outside a request.
var noRequest = &Request{}

// RequestOf returns the request that ctx belongs to. Outside a request it returns an empty Request
// that all callers share, never nil. Only middleware may change the Request.
func RequestOf(ctx context.Context) *Request {
	if r, ok := ctx.Value(RequestKey{}).(*Request); ok {
		return r
	}
	return noRequest
}

// callerID matches the request ids that the gateway accepts from a caller.
var callerID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestIDHeader is the canonical form of X-Request-ID.
var requestIDHeader = []byte("X-Request-Id")

// observe is the outermost middleware after mount. It gives the request an id, turns errors and
// panics into responses, limits the time to write the response and logs one line.
func (s *Server) observe(c *fiber.Ctx) error {
	start := time.Now()
	head := peer.ReadHead(&c.Request().Header)
	r := &Request{ID: head.ID, Conn: c.Context().Conn(), Base: s.app.PublicURL, User: head.User, head: head, openAI: strings.HasPrefix(c.Path(), sdkapi.OpenAIPath+"/")}
	if r.ID == "" || !callerID.MatchString(r.ID) {
		r.ID = NewRequestID()
	}
	if r.Base == "" {
		r.Base = s.named.Base(c)
		if c.Locals(Mounted{}) != nil {
			r.Base += s.app.PathPrefix
		}
	}
	ctx, span := s.beginTrace(context.WithValue(s.Requests, RequestKey{}, r), c)
	c.SetUserContext(ctx)
	c.Response().Header.SetCanonical(requestIDHeader, []byte(r.ID))
	defer s.open.begin().Add(-1)
	err := s.next(c)
	found := !isUnrouted(err)
	if err != nil {
		err = s.fail(c, err)
	}
	s.challenge(c)
	now := time.Now()
	boundWriting(c, now)
	span.EndRequest(s.measure(c, now.Sub(start), found, r.ID))
	level := slog.LevelInfo
	if isWatching(c.Path()) && c.Response().StatusCode() == http.StatusOK {
		level = slog.LevelDebug
	}
	if s.Log.Enabled(ctx, level) {
		line := []slog.Attr{slog.String("request_id", r.ID), slog.String("method", c.Method()),
			slog.String("path", c.Path()), slog.Int("status", c.Response().StatusCode()),
			slog.Duration("took", time.Since(start).Round(time.Microsecond))}
		if span != nil {
			line = append(line, slog.String("trace_id", tracing.IDOf(ctx)))
		}
		s.Log.LogAttrs(ctx, level, "request", line...)
	}
	return err
}

// isWatching reports whether a path is one that supervisors poll every few seconds.
func isWatching(path string) bool {
	return path == sdkapi.HealthPath || path == sdkapi.ReadyPath || path == sdkapi.MetricsPath
}

// NewRequestID returns a random UUID. Request ids are not secret, so it uses math/rand.
func NewRequestID() string {
	var id uuid.UUID
	binary.NativeEndian.PutUint64(id[:8], rand.Uint64()) //nolint:gosec // it is no secret
	binary.NativeEndian.PutUint64(id[8:], rand.Uint64()) //nolint:gosec // likewise
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80      // version 4 of RFC 9562
	return id.String()
}

// next runs the rest of the middleware chain. If it panics, next logs the stack and returns an
// error.
func (s *Server) next(c *fiber.Ctx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic", slog.String("request_id", RequestOf(c.UserContext()).ID),
				slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("handler panicked: %v", p)
		}
	}()
	return c.Next()
}

// A response must be written within writeTime, plus its size divided by writeRate.
const (
	writeTime = 30 * time.Second
	writeRate = 32 << 10 // bytes per second: the slowest client that the gateway serves
)

// answerLength returns the length of the response's body in bytes; negative if it is unknown.
func answerLength(c *fiber.Ctx) int {
	if c.Response().IsBodyStream() { // Body would read the whole stream
		return c.Response().Header.ContentLength()
	}
	return len(c.Response().Body())
}

// isUnrouted reports whether err means that no route matches the request.
func isUnrouted(err error) bool {
	if err == nil { // the common case
		return false
	}
	var own *fiber.Error
	return errors.As(err, &own) && (own.Code == http.StatusNotFound || own.Code == http.StatusMethodNotAllowed)
}

// measure adds a finished request to the metrics and returns its data for the trace.
func (s *Server) measure(c *fiber.Ctx, took time.Duration, found bool, id string) tracing.Answered {
	var received int64
	if b := BodyOf(c); b != nil {
		received = b.Arrived()
	}
	sent := max(answerLength(c), 0)
	if c.Method() == http.MethodHead {
		sent = 0
	}
	a := tracing.Answered{Method: c.Method(), Status: c.Response().StatusCode(), Received: received, Sent: int64(sent), RequestID: id}
	if route := s.metrics.Request(c, found, took, a); route != metrics.NoRoute {
		a.Route = route
	}
	return a
}

// boundWriting sets the deadline for writing the response, so that a client that does not read
// it is dropped. A stream of unknown length sets its own deadlines.
func boundWriting(c *fiber.Ctx, now time.Time) {
	n := answerLength(c)
	var deadline time.Time
	if n >= 0 {
		deadline = now.Add(writeTime + time.Duration(n/writeRate)*time.Second)
	}
	_ = c.Context().Conn().SetWriteDeadline(deadline)
}

// beginTrace begins the span of c's request. It returns a nil span if tracing is off, and for
// requests of supervisors, which would otherwise be most of the traces.
func (s *Server) beginTrace(ctx context.Context, c *fiber.Ctx) (context.Context, *tracing.Span) {
	if s.app.Tracer == nil || isWatching(c.Path()) {
		return ctx, nil
	}
	return s.app.Tracer.Request(ctx, c.Method(), c.Get("traceparent"), c.Get("tracestate"))
}
