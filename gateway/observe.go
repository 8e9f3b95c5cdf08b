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
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/once"
)

// Request is what handlers may know of the HTTP request they serve.
type Request struct {
	ID   string   // in the answer's X-Request-ID and in the log
	Conn net.Conn // nil outside a request
	Base string   // start of URLs on this gateway, as "http://127.0.0.1:8765"
	User string   // what the request's X-User-Id says; see UserOf

	// Owner is the user whose token the request brings. It is empty in local
	// mode, where everybody may see everything.
	Owner   string
	Install string // whose token it is; likewise

	Quota *quota.Quota // what it takes of its caller's limits; nil: there are none

	Visit *identity.Visit // the browser at the console that sends it; nil: it is no such

	head peer.Head  // see CheckKey and checkRunsKey
	body *peer.Body // nil before finishBody

	outlives bool        // it goes on when its client has left, who will come back with its key
	Claim    *once.Claim // of a request that begins a turn and has a key
	Joined   bool        // its turn was begun before

	bearer string // the token it brings; for checkOperator, where Recognize came first
	local  bool   // whether it comes from this machine, for itself; likewise
}

// watched returns the connection whose end is that of the request's work, nil where it has none.
func (r *Request) watched() net.Conn {
	if r.outlives {
		return nil
	}
	return r.Conn
}

// RequestKey is the key of a context's *Request.
type RequestKey struct{}

// noRequest is what is known outside of a request.
var noRequest = &Request{}

// RequestOf returns the request ctx belongs to, or noRequest. Middleware alone adds to it.
func RequestOf(ctx context.Context) *Request {
	if r, ok := ctx.Value(RequestKey{}).(*Request); ok {
		return r
	}
	return noRequest
}

// callerID is what a caller's own request id must look like to be kept.
var callerID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestIDHeader is X-Request-ID as it is written on the wire.
var requestIDHeader = []byte("X-Request-Id")

// observe is the outermost middleware: it names the request, turns failures and
// panics into answers, bounds the writing of the answer, and logs it all in one line.
func (s *Server) observe(c *fiber.Ctx) error {
	start := time.Now()
	head := peer.ReadHead(&c.Request().Header)
	r := &Request{ID: head.ID, Conn: c.Context().Conn(), Base: s.app.PublicURL, User: head.User, head: head}
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
	challenge(c)
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

// isWatching reports whether supervisors of the gateway ask for a path every few seconds.
func isWatching(path string) bool {
	return path == sdkapi.HealthPath || path == sdkapi.ReadyPath || path == sdkapi.MetricsPath
}

// NewRequestID returns an id that nobody else has, for looking things up. It is
// no secret, so the process's own generator is good enough.
func NewRequestID() string {
	var id uuid.UUID
	binary.NativeEndian.PutUint64(id[:8], rand.Uint64()) //nolint:gosec // it is no secret
	binary.NativeEndian.PutUint64(id[8:], rand.Uint64()) //nolint:gosec // likewise
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80      // version 4 of RFC 9562
	return id.String()
}

// next runs the rest of the chain and turns its panic into an error.
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

// Bounds of writing an answer: writeTime, and its size by writeRate.
const (
	writeTime = 30 * time.Second
	writeRate = 32 << 10 // bytes a second, the slowest client that is served
)

// answerLength is the length of the answer's body, in bytes; negative where nobody knows it yet.
func answerLength(c *fiber.Ctx) int {
	if c.Response().IsBodyStream() { // asking a stream for its body would read it all
		return c.Response().Header.ContentLength()
	}
	return len(c.Response().Body())
}

// isUnrouted reports whether a request failed because no route takes it.
func isUnrouted(err error) bool {
	if err == nil { // as is most often
		return false
	}
	var own *fiber.Error
	return errors.As(err, &own) && (own.Code == http.StatusNotFound || own.Code == http.StatusMethodNotAllowed)
}

// measure counts an answered request, and returns its figures for the span.
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

// boundWriting gives a client that does not read its answer an end. A stream
// of unknown length (-1) sets deadlines of its own.
func boundWriting(c *fiber.Ctx, now time.Time) {
	n := answerLength(c)
	var deadline time.Time
	if n >= 0 {
		deadline = now.Add(writeTime + time.Duration(n/writeRate)*time.Second)
	}
	_ = c.Context().Conn().SetWriteDeadline(deadline)
}

// beginTrace begins the span of c's request, nil where there are no traces.
// What supervisors ask is left out: it would be most of them.
func (s *Server) beginTrace(ctx context.Context, c *fiber.Ctx) (context.Context, *tracing.Span) {
	if s.app.Tracer == nil || isWatching(c.Path()) {
		return ctx, nil
	}
	return s.app.Tracer.Request(ctx, c.Method(), c.Get("traceparent"), c.Get("tracestate"))
}
