package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/sdkapi"
)

const (
	heartbeat  = 15 * time.Second // between two signs of life of a stream
	writeStall = 10 * time.Second // how long a client may take nothing of what it is sent
)

// sse is a server-sent event.
type sse struct {
	id    string // its cursor
	event string
	data  any // written as JSON

	written chan struct{} // closed once all of it was handed to the client; nil where nobody asks
}

// produceFunc sends events until all are sent, or ctx ends.
type produceFunc func(ctx context.Context, send func(sse) error) error

// stream answers c with server-sent events. It returns at once, as Fiber wants;
// produce goes on until it is done, the client has left, or the server has
// drained, with what ctx knows of the request.
//
// Nothing here may touch c later: Fiber uses it for another request then.
func (s *Server) stream(c *fiber.Ctx, produce produceFunc) {
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("X-Accel-Buffering", "no") // nginx would keep the events for itself
	r := requestOf(c.UserContext())
	life, end := s.access.begin(context.WithValue(s.requests, requestKey{}, r), r, hurry(r.conn))
	ctx, cancel := context.WithCancel(life)
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer end()
		defer cancel()
		defer watch(r.conn, cancel)()
		defer func() { _ = r.conn.SetWriteDeadline(time.Time{}) }()
		if err := pump(ctx, cancel, s.cfg.Heartbeat, eventWriter{w, r.conn}, s.guarded(r, produce)); err != nil {
			s.log.Warn("a stream ended early", slog.String("request_id", r.id), slog.Any("err", err))
		}
		if isRevoked(ctx) {
			eventWriter{w, r.conn}.revoked()
		}
	})
}

// guarded makes an error of a panic of produce.
func (s *Server) guarded(r *request, produce produceFunc) produceFunc {
	return func(ctx context.Context, send func(sse) error) (err error) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic", slog.String("request_id", r.id), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		return produce(ctx, send)
	}
}

// pump writes what produce sends, and a sign of life every so often while it
// sends nothing. It returns when produce has, with its error, unless the client left
// first.
func pump(ctx context.Context, cancel func(), every time.Duration, w eventWriter, produce produceFunc) error {
	events, done := make(chan sse), make(chan error, 1)
	go func() {
		done <- produce(ctx, func(e sse) error {
			select {
			case events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	beat := time.NewTicker(every)
	defer beat.Stop()
	err := w.comment("stream")
	for err == nil {
		select {
		case e := <-events:
			beat.Reset(every)
			if err = w.event(e); err == nil && e.written != nil {
				close(e.written)
			}
		case <-beat.C:
			err = w.comment("heartbeat")
		case <-ctx.Done():
			<-done
			return nil
		case err := <-done:
			return err
		}
	}
	cancel()
	<-done // what it sends is for nobody
	return nil
}

// eventWriter writes events to a client.
type eventWriter struct {
	*bufio.Writer
	conn net.Conn
}

// event writes an event. JSON has no line breaks, so one line of data is enough.
func (w eventWriter) event(e sse) error {
	data, err := json.Marshal(e.data)
	if err != nil {
		return err
	}
	if e.id != "" {
		fmt.Fprintf(w, "id: %s\n", e.id)
	}
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.event, data)
	return w.send()
}

// revoked tells the client, in a moment, why there are no more events. Both
// protocols with streams have an error of these fields.
func (w eventWriter) revoked() {
	data, err := json.Marshal(sdkapi.PromptError{Code: errRevoked.Code, Message: errRevoked.Message, Reason: string(session.EndRevoked)})
	if err == nil && w.conn.SetWriteDeadline(time.Now().Add(lastWords)) == nil {
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", sdkapi.EventError, data)
		_ = w.Flush() // the stream ends in any case
	}
}

// comment writes what clients pass over.
func (w eventWriter) comment(text string) error {
	fmt.Fprintf(w, ": %s\n\n", text)
	return w.send()
}

// send hands what was written to the client.
func (w eventWriter) send() error {
	if err := w.conn.SetWriteDeadline(time.Now().Add(writeStall)); err != nil {
		return err
	}
	return w.Flush()
}
