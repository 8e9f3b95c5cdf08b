package sockets

import (
	"io"
	"log/slog"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// upgradeRequest asks for a WebSocket.
const upgradeRequest = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"

// upgrading serves one connection, at which sent arrives in one piece. heard gets the first message, and released is closed
// when the request no longer counts.
func upgrading(t *testing.T, sent string, through func(net.Conn) net.Conn) (heard chan string, released chan struct{}) {
	t.Helper()
	client, conn := net.Pipe()
	t.Cleanup(func() { _ = client.Close() })
	heard, released = make(chan string, 1), make(chan struct{})
	app := fiber.New()
	app.Get("/", func(c *fiber.Ctx) error {
		return Upgrade(c, slog.New(slog.DiscardHandler), "1", func(socket *Conn) {
			text, err := socket.Receive(time.Minute)
			if err != nil {
				t.Error(err)
			}
			heard <- string(text)
			socket.Abort(1000, "")
		}, func() func() { return func() { close(released) } })
	})
	server := fasthttp.Server{Handler: app.Handler(), KeepHijackedConns: true}
	go func() { _ = server.ServeConn(through(conn)) }()
	if _, err := io.WriteString(client, sent); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, client) }()
	return heard, released
}

// A client may send its first message with its request.
func TestUpgradeWithFirstMessage(t *testing.T) {
	t.Parallel()
	const hello = "\x81\x85\x00\x00\x00\x00hello" // masked with zeros
	heard, released := upgrading(t, upgradeRequest+hello, func(conn net.Conn) net.Conn { return conn })
	if text := <-heard; text != "hello" {
		t.Errorf("the gateway heard %q", text)
	}
	<-released
}

// resetConn is a connection that its client has reset.
type resetConn struct{ net.Conn }

func (resetConn) Write([]byte) (int, error) { return 0, syscall.ECONNRESET }

// A client that has left before the answer is not served, and its request no longer counts.
func TestUpgradeOfAClientThatLeft(t *testing.T) {
	t.Parallel()
	heard, released := upgrading(t, upgradeRequest, func(conn net.Conn) net.Conn { return resetConn{conn} })
	<-released
	select {
	case <-heard:
		t.Error("it is served")
	default:
	}
}
