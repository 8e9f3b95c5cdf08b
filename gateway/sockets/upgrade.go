package sockets

import (
	"bufio"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of an upgrade.
const (
	upgradeTime = 10 * time.Second // for the answer to leave
	maxEarly    = 16 << 10         // bytes of the first messages that may have come with the request: what fasthttp reads at once
)

// upgrader makes a connection a WebSocket. Middleware has checked whether the
// caller may connect. The library's own for fasthttp is not used: it keeps the
// request, its buffers and its readers, 20 KB, for as long as the WebSocket lives.
var upgrader = websocket.Upgrader{
	HandshakeTimeout: upgradeTime,
	ReadBufferSize:   512,
	WriteBufferPool:  new(sync.Pool), // an idle connection has none
	WriteBufferSize:  4 << 10,
	CheckOrigin:      func(*http.Request) bool { return true },
	Error:            func(http.ResponseWriter, *http.Request, int, error) {}, // upgrade has looked before
}

// Upgrade makes the request with an id a WebSocket, which outlives the request: serve
// gets it on a goroutine of its own, and closes it. keep is called once the request is
// sure to become one or to fail at it, and what it returns at the end of either.
func Upgrade(c *fiber.Ctx, log *slog.Logger, id string, serve func(*Conn), keep func() (release func())) error {
	const op = "gateway.ws"
	if !websocket.FastHTTPIsWebSocketUpgrade(c.Context()) {
		c.Set(fiber.HeaderUpgrade, "websocket")
		return fault.New(op, sdkapi.UpgradeRequired, "this route is a WebSocket; connect with a WebSocket client")
	}
	key, err := base64.StdEncoding.DecodeString(c.Get(fiber.HeaderSecWebSocketKey))
	if err != nil || len(key) != 16 || c.Get(fiber.HeaderSecWebSocketVersion) != "13" {
		return fault.New(op, sdkapi.MalformedBody, "the request for a WebSocket breaks RFC 6455")
	}
	request := c.Context()
	c.Status(http.StatusSwitchingProtocols) // for the log; the upgrader writes the answer
	request.HijackSetNoResponse(true)
	release := keep()
	request.Hijack(func(conn net.Conn) {
		socket, err := upgraded(conn, request)
		if err != nil {
			log.Debug("the upgrade to a WebSocket failed", slog.String("request_id", id), slog.Any("err", err))
			_ = conn.Close()
			release()
			return
		}
		go func() { // what fasthttp has of the request ends with the function around it
			defer release()
			serve(New(socket))
		}()
	})
	return nil
}

// upgraded answers a request and makes its connection, which fasthttp has left, a WebSocket.
func upgraded(conn net.Conn, of *fasthttp.RequestCtx) (*websocket.Conn, error) {
	request := &http.Request{Method: http.MethodGet, Header: http.Header{}}
	for key, value := range of.Request.Header.All() {
		request.Header.Add(string(key), string(value))
	}
	told := http.Header{}
	for _, key := range []string{fiber.HeaderXRequestID, "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"} {
		if value := of.Response.Header.Peek(key); len(value) > 0 {
			told.Set(key, string(value))
		}
	}
	bare, err := unwrapped(conn)
	if err != nil {
		return nil, err
	}
	return upgrader.Upgrade(takenOver{conn: &tailConn{Conn: bare}}, request, told)
}

// unwrapped returns a connection without fasthttp's buffers, but with the bytes that
// fasthttp had read beyond the request.
func unwrapped(conn net.Conn) (net.Conn, error) {
	wrapped, ok := conn.(interface{ UnsafeConn() net.Conn })
	if !ok {
		return conn, nil
	}
	bare := wrapped.UnsafeConn()
	if err := bare.SetReadDeadline(time.Unix(1, 0)); err != nil { // nothing more is read of it
		return nil, err
	}
	early, err := io.ReadAll(io.LimitReader(conn, maxEarly))
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, err
	}
	if len(early) > 0 {
		return &earlyConn{bare, early}, bare.SetDeadline(time.Time{})
	}
	return bare, bare.SetDeadline(time.Time{})
}

// earlyConn is a connection of which something was read already.
type earlyConn struct {
	net.Conn
	early []byte
}

// Read implements net.Conn.
func (c *earlyConn) Read(p []byte) (int, error) {
	if len(c.early) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.early)
	c.early = c.early[n:]
	return n, nil
}

// tailConn knows the last bytes that were read of a connection.
type tailConn struct {
	net.Conn
	tail [7]byte
}

// Read implements net.Conn.
func (c *tailConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	last := p[max(0, n-len(c.tail)):n]
	copy(c.tail[:], c.tail[len(last):])
	copy(c.tail[len(c.tail)-len(last):], last)
	return n, err
}

// halfClose reports whether what was read last is a masked close frame of one byte,
// which is half a close code (RFC 6455, 5.5.1). The library takes it for an empty one.
func (c *tailConn) halfClose() bool { return c.tail[0] == 0x88 && c.tail[1] == 0x81 }

// closeWrite ends what is sent on a connection: the other end sees that nothing more comes.
func closeWrite(conn net.Conn) error {
	switch c := conn.(type) {
	case *tailConn:
		return closeWrite(c.Conn)
	case *earlyConn:
		return closeWrite(c.Conn)
	case interface{ CloseWrite() error }:
		return c.CloseWrite()
	}
	return errors.ErrUnsupported
}

// takenOver hands a connection to the upgrader, which calls no other method of the answer.
type takenOver struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack implements http.Hijacker.
func (t takenOver) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return t.conn, bufio.NewReadWriter(bufio.NewReaderSize(nil, 0), bufio.NewWriterSize(nil, 0)), nil
}
