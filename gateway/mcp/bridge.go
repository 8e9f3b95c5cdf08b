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

// together is the time that the gateway waits, after the first flush of a response, for its end. If
// the response ends in this time, the gateway sends it as one body. Most responses are one event,
// and a stream costs more.
const together = time.Millisecond

// mayEnd is how long the gateway waits for the end of a response whose stream the quota refused.
// Such a response is often a refusal of one event, and a busy machine may take longer than together
// to write it.
const mayEnd = time.Second

// bridge handles c with a net/http handler. The handler gets request and never sees c. Flushed
// bytes are sent at once. The request's context ends when the client disconnects, or with ctx.
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
		cancel() // a handler that still runs is canceled; its response is discarded
		end()
		if !whole {
			return refused
		}
		a.sendWhole(s, c)
		return nil
	}
	release := r.Quota.Keep()
	a.tell(c)
	c.Set("X-Accel-Buffering", "no") // so that nginx does not buffer the events
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer release()
		defer end()
		defer unwatch()
		defer cancel()
		a.stream(w)
	})
	return nil
}

// recoverBridged recovers a panic of the handler, logs it, and sets the status to 500.
func (s *door) recoverBridged(a *bridged, r *gateway.Request) {
	if p := recover(); p != nil {
		s.core.Log.Error("panic", slog.String("request_id", r.ID), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		a.WriteHeader(http.StatusInternalServerError)
	}
}

// bridged is the http.ResponseWriter of a bridged handler. It buffers what the handler writes until
// the response is complete, or until stream begins.
type bridged struct {
	header  http.Header
	conn    net.Conn
	cancel  func()
	flushed chan struct{} // closed at the first flush
	done    chan struct{} // closed when the handler has returned
	// set when the response becomes a stream
	mu     sync.Mutex
	status int // 0 until the handler sets it
	held   bytes.Buffer
	isSSE  bool
	out    *bufio.Writer // nil until the response becomes a stream
	err    error         // first error of writing to out
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

// Flush implements http.Flusher. It only records the flush, because a stream flushes each write
// anyway.
func (a *bridged) Flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.flushed:
	default:
		close(a.flushed)
	}
}

// isWhole waits for the end of the response, or for its first flush and then for together. It
// reports whether the response is complete.
func (a *bridged) isWhole() bool {
	select {
	case <-a.done:
		return true
	case <-a.flushed:
	}
	return a.endsIn(together)
}

// endsIn waits at most d for the end of the response, and reports whether it is complete.
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

// sendWhole sends the complete response to c. It replaces a plain-text error with the gateway's
// error envelope.
func (a *bridged) sendWhole(s *door, c *fiber.Ctx) {
	a.tell(c)
	c.Response().SetBodyRaw(a.held.Bytes())
	if f := a.refusal(); f != nil {
		_ = c.JSON(s.core.Failure(c.UserContext(), f)) // an error envelope always encodes
	}
}

// refusal returns the handler's plain-text error as a fault, or nil for any other response. So all
// errors have the same envelope.
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

// tell copies the status and the headers to c.
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

// stream sends the buffered bytes, and lets Write send all later ones. An event stream gets a
// heartbeat every sse.Heartbeat. stream returns when the handler has returned.
func (a *bridged) stream(w *bufio.Writer) {
	a.mu.Lock()
	a.out = w
	_ = a.send(a.held.Bytes()) // send stores the error
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

// send writes p to the client and flushes. At the first error it cancels the handler's request;
// later calls return that error. a.mu is locked.
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
