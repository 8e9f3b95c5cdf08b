package desktop

import (
	"context"
	"fmt"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sockets"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// receiveTime is how long a client may be silent after its handshake.
const receiveTime = sdkapi.WSReceiveTimeoutSecs * time.Second

// addSocket adds the WebSocket at /ws, and describes its messages in the API document.
func (s *door) addSocket() {
	s.Core.Socket(sdkapi.WSPath, func() error { return nil }, s.serveWS)
	s.describeSocket()
}

// serveWS serves one client: first its handshake, then its messages one by one.
func (s *door) serveWS(ctx context.Context, socket *sockets.Conn, r *gateway.Request) {
	raw, err := socket.Receive(s.times.Hello)
	if err != nil {
		socket.FinishSilent(err, websocket.ClosePolicyViolation, fmt.Sprintf("no handshake arrived within %v; send it as the first message", s.times.Hello))
		return
	}
	h, rejected, err := readHandshake(raw)
	if err != nil {
		socket.Finish(websocket.ClosePolicyViolation, err.Error())
		return
	}
	user := h.UserID
	if r.Owner != "" { // the token's user overrides the handshake's
		user = r.Owner
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	store, err := s.Core.StoreOf(ctx)
	if err != nil {
		socket.Finish(websocket.CloseInternalServerErr, fault.From(err).Message)
		return
	}
	client := newWSClient(ctx, s, socket, user, store, h, rejected)
	defer client.all.Wait()
	defer cancel()
	if client.manifest != nil {
		client.tell(sdkapi.WSClientToolManifest, client.manifest)
	}
	for {
		raw, err := socket.Receive(receiveTime)
		if err != nil {
			socket.FinishSilent(err, websocket.CloseNormalClosure, fmt.Sprintf("the client sent nothing for %v; connect again", receiveTime))
			return
		}
		client.handle(raw)
	}
}
