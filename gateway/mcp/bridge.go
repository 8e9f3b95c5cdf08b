package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// together is how long after its first event an answer may end and still be
// sent whole: most answers are one event, and a stream of it takes longer.
const together = time.Millisecond

// mayEnd is how long an answer that may not be a stream has to be whole after all:
// what a call is refused with is one event, which a busy machine may not end in together.
const mayEnd = time.Second

// bridge answers c by a handler of net/http, which is given request and not c. What it flushes
// is sent at once. The context of the request ends when the client leaves, or with ctx.
func (s *door) bridge(ctx context.Context, c *fiber.Ctx, h http.Handler, request *http.Request) error {
	r := gateway.RequestOf(c.UserContext())
	ctx, end := s.core.Access.Begin(ctx, r, gateway.Hurry(r.Conn))
	ctx, cancel := context.WithCancel(ctx)
	unwatch := peer.Watch(r.Conn, cancel)
	a := &bridged{header: http.Header{}, flushed: make(chan struct{}), done: make(chan struct{}), conn: r.Conn, cancel: cancel}
	go func() {
		defer close(a.done)
		defer s.recoverBridged(a, r)
		h.ServeHTTP(a, request.WithContext(ctx))
	}()
	whole, refused := a.isWhole(), error(nil)
	if !whole {
		if refused = r.Quota.Hold(); refused != nil {
			whole = a.endsIn(mayEnd)
		}
	}
	if whole || refused != nil {
		unwatch()
		cancel() // a handler that is not done ends by itself, and its answer is nobody's
		end()
		if !whole {
			return refused
		}
		a.sendWhole(s, c)
		return nil
	}
	release := r.Quota.Keep()
	a.tell(c)
	c.Set("X-Accel-Buffering", "no") // nginx would keep the events for itself
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer release()
		defer end()
		defer unwatch()
		defer cancel()
		a.stream(w)
	})
	return nil
}

// recoverBridged ends an answer whose handler panicked.
func (s *door) recoverBridged(a *bridged, r *gateway.Request) {
	if p := recover(); p != nil {
		s.core.Log.Error("panic", slog.String("request_id", r.ID), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		a.WriteHeader(http.StatusInternalServerError)
	}
}

// bridged is the answer of a handler of net/http. It holds what it is given
// until the answer is whole, or what was flushed must leave.
type bridged struct {
	header  http.Header
	conn    net.Conn
	cancel  func()
	flushed chan struct{} // closed at the first flush
	done    chan struct{} // closed when the handler has returned

	mu     sync.Mutex
	status int // 0 before it is known
	held   bytes.Buffer
	isSSE  bool
	out    *bufio.Writer // once it is a stream
	err    error         // of writing to out
}

var _ http.Flusher = (*bridged)(nil)

// Header implements http.ResponseWriter.
func (a *bridged) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *bridged) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *bridged) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if a.out == nil {
		return a.held.Write(p)
	}
	return len(p), a.send(p)
}

// Flush implements http.Flusher. A stream is flushed at each write.
func (a *bridged) Flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.flushed:
	default:
		close(a.flushed)
	}
}

// isWhole waits until the answer is whole, or must be a stream.
func (a *bridged) isWhole() bool {
	select {
	case <-a.done:
		return true
	case <-a.flushed:
	}
	return a.endsIn(together)
}

// endsIn waits until the answer is whole, for at most d, and reports whether it is.
func (a *bridged) endsIn(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-a.done:
		return true
	case <-timer.C:
		return false
	}
}

// sendWhole answers c with all that the handler wrote, or with what is wrong by it in the envelope of all errors.
func (a *bridged) sendWhole(s *door, c *fiber.Ctx) {
	a.tell(c)
	c.Response().SetBodyRaw(a.held.Bytes())
	if f := a.refusal(); f != nil {
		_ = c.JSON(s.core.Failure(c.UserContext(), f)) // an envelope can be written as JSON
	}
}

// refusal returns what the handler says in plain text that is wrong, nil where it
// answers otherwise. All errors have one envelope here.
func (a *bridged) refusal() *fault.Error {
	if a.status < http.StatusBadRequest || !strings.HasPrefix(a.header.Get(fiber.HeaderContentType), fiber.MIMETextPlain) {
		return nil
	}
	code, known := gateway.CodeOf[a.status]
	switch {
	case a.status >= http.StatusInternalServerError:
		code = sdkapi.Internal
	case !known:
		code = sdkapi.MalformedBody
	}
	return fault.New("gateway.bridge", code, "%s", strings.TrimSpace(a.held.String()))
}

// tell gives c the head of the answer.
func (a *bridged) tell(c *fiber.Ctx) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, values := range a.header {
		if name != fiber.HeaderConnection {
			c.Set(name, strings.Join(values, ", "))
		}
	}
	a.isSSE = a.header.Get(fiber.HeaderContentType) == "text/event-stream"
	if a.status != 0 {
		c.Status(a.status)
	}
}

// stream sends what is held and all that follows, and a sign of life when
// nothing does, until the handler has returned.
func (a *bridged) stream(w *bufio.Writer) {
	a.mu.Lock()
	a.out = w
	_ = a.send(a.held.Bytes()) // remembered
	a.held = bytes.Buffer{}
	a.mu.Unlock()
	beat := time.NewTicker(sse.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-a.done:
			_ = a.conn.SetWriteDeadline(time.Time{})
			return
		case <-beat.C:
			a.mu.Lock()
			if a.isSSE {
				_ = a.send([]byte(": heartbeat\n\n"))
			}
			a.mu.Unlock()
		}
	}
}

// send writes to the client. The first failure ends the handler's request.
func (a *bridged) send(p []byte) error {
	if a.err != nil {
		return a.err
	}
	_, err := a.out.Write(p)
	a.err = errors.Join(a.conn.SetWriteDeadline(time.Now().Add(sse.WriteStall)), err, a.out.Flush())
	if a.err != nil {
		a.cancel()
	}
	return a.err
}
