package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// handshakeTime is how long a client may take to introduce itself.
const handshakeTime = 10 * time.Second

// receiveTime is how long it may say nothing after that.
const receiveTime = sdkapi.WSReceiveTimeoutSecs * time.Second

func (s *Server) addWS() {
	s.app.Server().KeepHijackedConns = true // they are closed by whoever has them; see upgrade
	s.app.Get(sdkapi.WSPath, func(c *fiber.Ctx) error {
		r := requestOf(c.UserContext())
		return upgrade(c, s.log, r.id, func(socket *wsConn) { s.runWS(socket, r) })
	})
}

// runWS serves a WebSocket until it ends, and closes it.
func (s *Server) runWS(socket *wsConn, r *request) {
	defer socket.abort(websocket.CloseNormalClosure, "")
	if !s.sockets.add(socket) {
		socket.abort(websocket.CloseGoingAway, "the gateway stops; connect again and resume")
		return
	}
	defer s.sockets.remove(socket)
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", slog.String("request_id", r.id), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			socket.abort(websocket.CloseInternalServerErr, "")
		}
	}()
	ctx, end := s.access.begin(s.requests, r, func() { go socket.abort(sdkapi.WSCloseRevoked, "the token was revoked") })
	defer end()
	s.serveWS(ctx, socket, r)
}

// serveWS speaks with one client: its handshake first, then its messages, one
// after the other.
func (s *Server) serveWS(ctx context.Context, socket *wsConn, r *request) {
	raw, err := socket.receive(handshakeTime)
	if err != nil {
		socket.finishSilent(err, websocket.ClosePolicyViolation, fmt.Sprintf("no handshake came within %v", handshakeTime))
		return
	}
	h, rejected, err := readHandshake(raw)
	if err != nil {
		socket.finish(websocket.ClosePolicyViolation, truncate(err.Error(), maxCloseReason))
		return
	}
	user := h.UserID
	if r.owner != "" { // the token says who it is, whatever the handshake claims
		user = r.owner
	}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, requestKey{}, r))
	defer cancel()
	store, err := s.storeOf(ctx)
	if err != nil {
		socket.finish(websocket.CloseInternalServerErr, truncate(fault.From(err).Message, maxCloseReason))
		return
	}
	client := newWSClient(ctx, s, socket, user, store, h, rejected)
	defer client.wait()
	defer cancel()
	client.introduce()
	for {
		raw, err := socket.receive(receiveTime)
		switch {
		case errors.Is(err, websocket.ErrReadLimit):
			socket.finish(websocket.CloseMessageTooBig, "")
			return
		case err != nil:
			socket.finishSilent(err, websocket.CloseNormalClosure, fmt.Sprintf("nothing came for %v; connect again", receiveTime))
			return
		}
		client.handle(raw)
	}
}

// maxCloseReason is how long the reason of a close frame may be (RFC 6455, 5.5).
const maxCloseReason = 123
