package gateway

import (
	"context"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway/sockets"
	"github.com/windieos/windie/sdkapi"
)

// Socket adds a WebSocket at a path. serve speaks with each client on a goroutine of its own, until the connection or ctx
// ends: with the server, or when the token that opened it is revoked. What check returns, if it is there, refuses a request.
func (s *Server) Socket(path string, check func() error, serve SocketFunc) {
	s.App.Server().KeepHijackedConns = true // they are closed by whoever has them; see sockets.Upgrade
	s.App.Get(path, func(c *fiber.Ctx) error {
		r := RequestOf(c.UserContext())
		if check != nil {
			if err := check(); err != nil {
				return err
			}
		}
		return s.upgrade(c, r, serve)
	})
}

// SocketAt is Socket for requests for a WebSocket at a path with one parameter; the next route of the path gets all
// others. open gets the parameter, and returns what speaks with the client, or an error that refuses the request.
func (s *Server) SocketAt(path, param string, open func(ctx context.Context, value string) (serve SocketFunc, err error)) {
	s.App.Server().KeepHijackedConns = true
	s.App.Get(fiberParams.Replace(path), func(c *fiber.Ctx) error {
		if !websocket.FastHTTPIsWebSocketUpgrade(c.Context()) {
			return c.Next()
		}
		serve, err := open(c.UserContext(), strings.Clone(c.Params(param))) // Fiber uses its memory again
		if err != nil {
			return err
		}
		return s.upgrade(c, RequestOf(c.UserContext()), serve)
	})
}

// SocketFunc speaks with a client, as Socket says.
type SocketFunc func(ctx context.Context, socket *sockets.Conn, r *Request)

// upgrade makes a request a WebSocket, unless its caller has too many.
func (s *Server) upgrade(c *fiber.Ctx, r *Request, serve SocketFunc) error {
	if err := r.Quota.Hold(); err != nil {
		return err
	}
	return sockets.Upgrade(c, s.Log, r.ID, func(socket *sockets.Conn) { s.runSocket(socket, r, serve) }, r.Quota.Keep)
}

// runSocket serves a WebSocket until it ends, and closes it.
func (s *Server) runSocket(socket *sockets.Conn, r *Request, serve SocketFunc) {
	defer socket.Abort(websocket.CloseNormalClosure, "")
	if !s.Sockets.Add(socket) {
		socket.Abort(websocket.CloseGoingAway, "the gateway stops; connect again and resume")
		return
	}
	defer s.Sockets.Remove(socket)
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic", slog.String("request_id", r.ID), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			socket.Abort(websocket.CloseInternalServerErr, "")
		}
	}()
	ctx, end := s.Access.Begin(s.Requests, r, func() { go socket.Abort(sdkapi.WSCloseRevoked, "the token was revoked") })
	defer end()
	ctx, cancel := context.WithCancel(context.WithValue(ctx, RequestKey{}, r))
	defer cancel()
	serve(ctx, socket, r)
}
