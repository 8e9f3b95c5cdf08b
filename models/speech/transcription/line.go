package transcription

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/internal/fault"
)

// Times of a line.
const (
	pingEvery  = 15 * time.Second
	silentTime = 50 * time.Second // maximum time without a message or a pong from the server
	sendTime   = 10 * time.Second // time limit for sending a message
	quickTime  = 5 * time.Second  // a connection that breaks sooner continues the outage
)

// maxAnswer is the maximum size of a message from a server, in bytes.
const maxAnswer = 1 << 20

// line is a WebSocket connection to a server. When the connection breaks, line opens it again and sends the
// backlog again.
type line struct {
	dial  func(context.Context) (*websocket.Conn, error)
	out   *backlog
	begin func() []item           // rewinds the backlog for a new connection, and returns messages to send first
	hear  func(text []byte) error // gets each message; an error breaks the connection
	look  func() error            // called after each sent message or ping; an error breaks the connection
	tell  func(Event)

	patience time.Duration // maximum time for which the server may be unreachable
}

// stay keeps the line connected until ctx ends. It returns an error if the server refuses, or is
// unreachable for longer than patience.
func (l *line) stay(ctx context.Context) error {
	var away outage
	for {
		held, err := l.once(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the caller has ended the line
		}
		if f, final := errors.AsType[*fault.Error](err); final {
			return f
		}
		if held > quickTime {
			away = outage{}
		}
		if err := away.wait(ctx, err, l.patience, l.tell); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // likewise
			}
			return err
		}
	}
}

// once connects, and returns the reason when the connection breaks. held is the duration of the connection, without
// the time for dialling. It is 0 if once could not connect.
func (l *line) once(ctx context.Context) (held time.Duration, err error) {
	conn, err := l.dial(ctx)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer conn.Close()
	first := l.begin()
	written := make(chan struct{})
	go func() {
		defer close(written)
		cancel(l.write(ctx, conn, first))
	}()
	err = l.read(conn)
	cancel(err)
	<-written
	return time.Since(began), context.Cause(ctx)
}

// write sends the messages in first, and then the backlog.
func (l *line) write(ctx context.Context, conn *websocket.Conn, first []item) error {
	for _, i := range first {
		if err := send(conn, i); err != nil {
			return err
		}
	}
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		var err error
		i, ok := l.out.next(ctx, ping.C)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case ok:
			err = send(conn, i)
		default:
			err = conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(sendTime))
		}
		if err == nil {
			err = l.look()
		}
		if err != nil {
			return err
		}
	}
}

// send sends a message. It fails if the server does not take the message within sendTime.
func send(conn *websocket.Conn, i item) error {
	kind := websocket.TextMessage
	if i.binary {
		kind = websocket.BinaryMessage
	}
	if err := conn.SetWriteDeadline(time.Now().Add(sendTime)); err != nil {
		return err
	}
	return conn.WriteMessage(kind, i.data)
}

// read gives the server's text messages to hear, until the connection breaks or hear fails.
func (l *line) read(conn *websocket.Conn) error {
	alive := func() error { return conn.SetReadDeadline(time.Now().Add(silentTime)) }
	conn.SetPongHandler(func(string) error { return alive() })
	for {
		if err := alive(); err != nil {
			return err
		}
		kind, text, err := conn.ReadMessage()
		if err != nil {
			return err
		}
		if kind != websocket.TextMessage {
			continue
		}
		if err := l.hear(text); err != nil {
			return err
		}
	}
}

// dialer returns a function that opens a WebSocket with dial.
func dialer(url string, header http.Header) func(context.Context) (*websocket.Conn, error) {
	return func(ctx context.Context) (*websocket.Conn, error) { return dial(ctx, url, header) }
}

// dial opens a WebSocket. Its error is a fault if a retry would not help.
func dial(ctx context.Context, url string, header http.Header) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	conn, resp, err := (&websocket.Dialer{Proxy: http.ProxyFromEnvironment}).DialContext(ctx, url, header)
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
	}
	switch {
	case err != nil && resp != nil && resp.StatusCode >= 400 && resp.StatusCode < 500 && resp.StatusCode != http.StatusRequestTimeout && resp.StatusCode != http.StatusTooManyRequests:
		return nil, refused(fmt.Errorf("the transcription server responded with %s: %w", resp.Status, err))
	case err != nil:
		return nil, err
	}
	conn.SetReadLimit(maxAnswer)
	return conn, nil
}
