package gateway

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// handshakeTime is how long a client may take to introduce itself.
const handshakeTime = 10 * time.Second

// receiveTime is how long it may say nothing after that.
const receiveTime = sdkapi.WSReceiveTimeoutSecs * time.Second

// sockets are the WebSockets of a server: a drain closes them, as Fiber knows
// nothing of them any longer.
type sockets struct {
	mu       sync.Mutex
	open     map[*wsConn]struct{}
	draining bool
	all      sync.WaitGroup
}

// add takes in a socket, unless the server drains.
func (s *sockets) add(c *wsConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return false
	}
	if s.open == nil {
		s.open = map[*wsConn]struct{}{}
	}
	s.open[c] = struct{}{}
	s.all.Add(1)
	return true
}

func (s *sockets) remove(c *wsConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
	s.all.Done()
}

func (s *sockets) list() []*wsConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*wsConn, 0, len(s.open))
	for c := range s.open {
		list = append(list, c)
	}
	return list
}

// ping asks all clients whether they are there, until ctx ends.
func (s *sockets) ping(ctx context.Context) {
	tick := time.NewTicker(wsPingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, c := range s.list() {
			c.ping()
		}
	}
}

// close tells all clients to come back later, and waits for the ends of their
// readers.
func (s *sockets) close() {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	for _, c := range s.list() {
		go c.finish(websocket.CloseGoingAway, "the gateway stops; connect again and resume")
	}
	s.all.Wait()
}

func (s *Server) addWS() {
	if s.cfg.Sessions == nil {
		return
	}
	s.app.Get(sdkapi.WSPath, s.upgrade)
}

// upgrader makes a request a WebSocket. Who may connect, the middleware before
// it has seen to.
var upgrader = websocket.FastHTTPUpgrader{
	HandshakeTimeout: handshakeTime,
	ReadBufferSize:   1 << 10,
	WriteBufferPool:  new(sync.Pool), // an idle connection has none
	WriteBufferSize:  4 << 10,
	CheckOrigin:      func(*fasthttp.RequestCtx) bool { return true },
}

// upgrade makes the request a WebSocket, and serves that until it ends.
func (s *Server) upgrade(c *fiber.Ctx) error {
	if !websocket.FastHTTPIsWebSocketUpgrade(c.Context()) {
		c.Set(fiber.HeaderUpgrade, "websocket")
		return fault.New("gateway.ws", sdkapi.UpgradeRequired, "this is a WebSocket; connect with a client for those")
	}
	r := requestOf(c.UserContext()) // c is no longer ours once it is upgraded
	err := upgrader.Upgrade(c.Context(), func(conn *websocket.Conn) {
		socket := newWSConn(conn)
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
		s.serveWS(socket, r)
	})
	if err != nil {
		return fault.New("gateway.ws", sdkapi.MalformedBody, "the request for a WebSocket is not as RFC 6455 has it").Because(err)
	}
	return nil
}

// serveWS speaks with one client: its handshake first, then its messages, one
// after the other.
func (s *Server) serveWS(socket *wsConn, r *request) {
	raw, err := socket.receive(handshakeTime)
	if err != nil {
		return
	}
	h, err := readHandshake(raw)
	if err != nil {
		socket.finish(websocket.ClosePolicyViolation, truncate(err.Error(), maxCloseReason))
		return
	}
	user := h.UserID
	if r.owner != "" { // the token says who it is, whatever the handshake claims
		user = r.owner
	}
	ctx, cancel := context.WithCancel(context.WithValue(s.requests, requestKey{}, r))
	defer cancel()
	store, err := s.storeOf(ctx)
	if err != nil {
		socket.finish(websocket.CloseInternalServerErr, truncate(fault.From(err).Message, maxCloseReason))
		return
	}
	client := newWSClient(ctx, s, socket, user, store, h)
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
			return
		}
		client.handle(raw)
	}
}

// maxCloseReason is how long the reason of a close frame may be (RFC 6455, 5.5).
const maxCloseReason = 123

// truncate cuts a text to so many bytes, at a character's end.
func truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xc0 == 0x80 {
		most--
	}
	return text[:most]
}
