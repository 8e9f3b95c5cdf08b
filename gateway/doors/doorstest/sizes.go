//go:build !race

package doorstest

import (
	"github.com/fasthttp/websocket"
)

// WantClosed fails the test unless the gateway closes the connection with the given close code.
func (p *Peer) WantClosed(code int) {
	p.T.Helper()
	for {
		_, _, err := p.Conn.ReadMessage()
		if err == nil {
			continue
		}
		if !websocket.IsCloseError(err, code) {
			p.T.Errorf("the connection ended with %v, want %d", err, code)
		}
		return
	}
}
