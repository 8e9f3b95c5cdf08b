package gateway

import (
	"context"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/sockets"
	"github.com/windieos/windie/sdkapi"
)

// SocketFunc serves one WebSocket connection on its own goroutine. It returns when the
// connection or ctx ends. The gateway then closes the socket.
type SocketFunc func(ctx context.Context, socket *sockets.Conn, r *Request)

// Socket adds a WebSocket route. If check returns an error, the server refuses the request
// before the upgrade.
func (s *Server) Socket(path string, check func() error, serve SocketFunc) {
	s.SocketAt(path, "", func(context.Context, string) (SocketFunc, error) { return serve, check() })
}

// SocketAt adds a WebSocket route. The server calls the function open with the value of the path
// parameter whose name is param. If param is empty, the value is "". If param is not empty, a
// request without an upgrade goes to the next route with the same path.
func (s *Server) SocketAt(path, param string, open func(ctx context.Context, value string) (SocketFunc, error)) {
	s.App.Server().KeepHijackedConns = true // sockets.Upgrade closes them
	s.Sockets.Paths = append(s.Sockets.Paths, fiberParams.Replace(path))
	s.App.Get(fiberParams.Replace(path), func(c *fiber.Ctx) error {
		if param != "" && !websocket.FastHTTPIsWebSocketUpgrade(c.Context()) {
			return c.Next()
		}
		r := RequestOf(c.UserContext())
		serve, err := open(c.UserContext(), strings.Clone(c.Params(param))) // Fiber reuses the string's memory
		if err == nil {
			err = r.Quota.Hold()
		}
		if err != nil {
			return err
		}
		address, user := peer.AddressKey(peer.Address(c, s.app.TrustedProxies)), OwnerOf(c.UserContext())
		run := func(socket *sockets.Conn) {
			if s.arriving != nil {
				socket.Count(func(cut func(error)) sockets.Arriving {
					return s.arriving.Begin(func() (string, string) { return address, user }, cut)
				})
			}
			s.runSocket(socket, r, serve)
		}
		return sockets.Upgrade(c, s.Log, r.ID, run, r.Quota.Keep)
	})
}

// runSocket serves a WebSocket until it ends and then closes it. It recovers from panics.
func (s *Server) runSocket(socket *sockets.Conn, r *Request, serve SocketFunc) {
	defer socket.Abort(websocket.CloseNormalClosure, "")
	if !s.Sockets.Add(socket) {
		socket.Abort(websocket.CloseGoingAway, "the gateway is stopping; connect again and resume")
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
