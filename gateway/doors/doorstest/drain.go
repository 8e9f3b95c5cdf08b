package doorstest

import (
	"context"
	"iter"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Gated is a model that streams half of its response. It streams the rest once the channel Rest has a value or is
// closed.
type Gated struct{ Rest <-chan struct{} }

// Stream ends with the error of ctx if ctx ends before the channel Rest has a value.
func (g Gated) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return models.Scripted(ctx, "gated", req, func(ctx context.Context, answer *models.Answer) error {
		if err := answer.Text("Well, "); err != nil {
			return err
		}
		select {
		case <-g.Rest:
		case <-ctx.Done():
			return ctx.Err()
		}
		answer.End(models.Stop)
		return answer.Text("done.")
	})
}

// ClosedForNow reads messages until the socket is closed, and returns the types of the messages. The test fails
// unless the gateway closed the socket with the code "going away".
func (p *Peer) ClosedForNow() (types []string) {
	p.T.Helper()
	_ = p.Conn.SetReadDeadline(time.Now().Add(Patience))
	for {
		var m sdkapi.WSMessage
		err := p.Conn.ReadJSON(&m)
		if err == nil {
			types = append(types, m.Type)
			continue
		}
		if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
			p.T.Errorf("a socket ended with %v", err)
		}
		return types
	}
}
