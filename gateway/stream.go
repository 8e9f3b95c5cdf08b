package gateway

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/sdkapi"
)

// Stream answers c with server-sent events. It returns at once. Fiber then runs the function
// produce until it returns, the client disconnects, the token is revoked or the drain timeout has
// passed. produce's context carries the Request. produce must not use c, because Fiber reuses it
// for another request.
func (s *Server) Stream(c *fiber.Ctx, produce sse.ProduceFunc) {
	r := RequestOf(c.UserContext())
	if err := r.Quota.Hold(); err != nil {
		_ = s.fail(c, err) // an envelope can be written as JSON
		return
	}
	release := r.Quota.Keep()
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("X-Accel-Buffering", "no") // nginx would buffer the events
	life, end := s.Access.Begin(context.WithValue(s.Requests, RequestKey{}, r), r, Hurry(r.Conn))
	ctx, cancel := context.WithCancel(life)
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer release()
		defer end()
		defer cancel()
		defer peer.Watch(r.Conn, cancel)()
		defer func() { _ = r.Conn.SetWriteDeadline(time.Time{}) }()
		if err := sse.Pump(ctx, cancel, s.app.Heartbeat, sse.Writer{Writer: w, Conn: r.Conn}, s.guarded(r, produce)); err != nil {
			s.Log.Warn("a stream ended early", slog.String("request_id", r.ID), slog.Any("err", err))
		}
		if isRevoked(ctx) {
			sse.Writer{Writer: w, Conn: r.Conn}.Last(sse.Event{Event: sdkapi.EventError, Data: sdkapi.PromptError{
				Code: errRevoked.Code, Message: errRevoked.Message, Reason: string(session.EndRevoked), // both streaming protocols use this shape
			}}, lastWords)
		}
	})
}

// guarded returns a produce that turns a panic into an error and sends nil lists as [].
func (s *Server) guarded(r *Request, produce sse.ProduceFunc) sse.ProduceFunc {
	return func(ctx context.Context, send func(sse.Event) error) (err error) {
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("panic", slog.String("request_id", r.ID), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		return produce(ctx, func(e sse.Event) error { e.Data = strictbody.Lists(e.Data); return send(e) })
	}
}
