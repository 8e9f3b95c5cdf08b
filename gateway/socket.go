package gateway

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway/sockets"
	"github.com/windieos/windie/sdkapi"
)

// Socket adds a WebSocket at a path. serve speaks with each client on a goroutine of its own, until the connection or ctx
// ends: with the server, or when the token that opened it is revoked. What check returns, if it is there, refuses a request.
func (s *Server) Socket(path string, check func() error, serve func(ctx context.Context, socket *sockets.Conn, r *Request)) {
	s.App.Server().KeepHijackedConns = true // they are closed by whoever has them; see sockets.Upgrade
	s.App.Get(path, func(c *fiber.Ctx) error {
		r := RequestOf(c.UserContext())
		if check != nil {
			if err := check(); err != nil {
				return err
			}
		}
		if err := r.Quota.Hold(); err != nil {
			return err
		}
		return sockets.Upgrade(c, s.Log, r.ID, func(socket *sockets.Conn) { s.runSocket(socket, r, serve) }, r.Quota.Keep)
	})
}

// runSocket serves a WebSocket until it ends, and closes it.
func (s *Server) runSocket(socket *sockets.Conn, r *Request, serve func(context.Context, *sockets.Conn, *Request)) {
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
