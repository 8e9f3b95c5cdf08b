package doorstest

import (
	"errors"
	"time"

	"github.com/fasthttp/websocket"
)

// Closed waits until the gateway closes the connection, and returns the error that contains the close code.
func (p *Peer) Closed() *websocket.CloseError {
	p.T.Helper()
	_ = p.Conn.SetReadDeadline(time.Now().Add(Patience))
	for {
		_, _, err := p.Conn.ReadMessage()
		var closed *websocket.CloseError
		switch {
		case errors.As(err, &closed):
			return closed
		case err != nil:
			p.T.Fatal(err)
		}
	}
}
