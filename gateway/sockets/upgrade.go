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

// Limits of an upgrade.
const (
	upgradeTime = 10 * time.Second // to write the response
	// Bytes of first messages that may arrive with the request: fasthttp's read buffer.
	maxEarly = 16 << 10
)

// upgrader upgrades connections. Middleware has already checked that the caller may connect. The
// library's upgrader for fasthttp is not used: it would keep the request with its buffers, 20 KB,
// for the lifetime of the WebSocket.
var upgrader = websocket.Upgrader{
	HandshakeTimeout: upgradeTime,
	ReadBufferSize:   512,
	WriteBufferPool:  new(sync.Pool), // an idle connection has no write buffer
	WriteBufferSize:  4 << 10,
	CheckOrigin:      func(*http.Request) bool { return true },
	// Upgrade has already checked the request.
	Error: func(http.ResponseWriter, *http.Request, int, error) {},
}

// Upgrade turns the request c into a WebSocket, which stays open after the request's handler has
// returned. id is the id of the request. serve gets the WebSocket on its own goroutine and must
// close it. For a valid request, Upgrade calls acquire, which returns release. Upgrade calls
// release when serve has returned or the upgrade has failed. Upgrade fails with UPGRADE_REQUIRED if
// the request does not ask for a WebSocket, and with MALFORMED_BODY if the request violates RFC
// 6455.
func Upgrade(c *fiber.Ctx, log *slog.Logger, id string, serve func(*Conn), acquire func() (release func())) error {
	const op = "gateway.ws"
	if !websocket.FastHTTPIsWebSocketUpgrade(c.Context()) {
		c.Set(fiber.HeaderUpgrade, "websocket")
		return fault.New(op, sdkapi.UpgradeRequired, "this route is a WebSocket; connect with a WebSocket client")
	}
	key, err := base64.StdEncoding.DecodeString(c.Get(fiber.HeaderSecWebSocketKey))
	if err != nil || len(key) != 16 || c.Get(fiber.HeaderSecWebSocketVersion) != "13" {
		return fault.New(op, sdkapi.MalformedBody, "the request for a WebSocket violates RFC 6455")
	}
	request := c.Context()
	c.Status(http.StatusSwitchingProtocols) // for the log; the upgrader writes the response
	request.HijackSetNoResponse(true)
	release := acquire()
	request.Hijack(func(conn net.Conn) {
		socket, err := upgraded(conn, request)
		if err != nil {
			log.Debug("the upgrade to a WebSocket failed", slog.String("request_id", id), slog.Any("err", err))
			_ = conn.Close()
			release()
			return
		}
		go func() { // fasthttp frees the request when this function returns
			defer release()
			serve(New(socket))
		}()
	})
	return nil
}

// upgraded writes the upgrade response and returns the WebSocket on a connection that fasthttp has
// given up.
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

// unwrapped returns the connection without fasthttp's buffers. The bytes that fasthttp had read
// beyond the request are read first.
func unwrapped(conn net.Conn) (net.Conn, error) {
	wrapped, ok := conn.(interface{ UnsafeConn() net.Conn })
	if !ok {
		return conn, nil
	}
	bare := wrapped.UnsafeConn()
	// Stops further reads from the connection itself.
	if err := bare.SetReadDeadline(time.Unix(1, 0)); err != nil {
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

// earlyConn is a connection whose first bytes were already read.
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

// tailConn records the last bytes that were read from a connection.
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

// halfClose reports whether the last read ended with a masked close frame that has one byte of
// payload. That is half a close code, which RFC 6455 (5.5.1) forbids. The library treats it as an
// empty close frame.
func (c *tailConn) halfClose() bool { return c.tail[0] == 0x88 && c.tail[1] == 0x81 }

// closeWrite closes the sending direction of a connection, so that the client sees its end.
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

// takenOver is the http.ResponseWriter for the upgrader, which only calls Hijack.
type takenOver struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack implements http.Hijacker.
func (t takenOver) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return t.conn, bufio.NewReadWriter(bufio.NewReaderSize(nil, 0), bufio.NewWriterSize(nil, 0)), nil
}
