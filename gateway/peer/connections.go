package peer

import (
	"net"
	"net/netip"
	"sync"

	"github.com/valyala/fasthttp"
)

// Limit limits the number of open connections from one address. Connect returns false if the address
// has reached the limit. Each Connect that returns true needs one call of Disconnect.
type Limit interface {
	Connect(address string) bool
	Disconnect(address string)
}

// Connections limits the number of connections from one address. It closes connections beyond the
// limit before it reads from them. Trusted proxies have no limit: their connections serve many
// clients, and only the headers of each request identify the client.
type Connections struct {
	limit   Limit
	trusted []netip.Prefix

	mu     sync.Mutex
	closed map[net.Conn]bool // closed connections that were not counted, until fasthttp reports their end
}

// NewConnections returns Connections with no open connection.
func NewConnections(limit Limit, trusted []netip.Prefix) *Connections {
	return &Connections{limit: limit, trusted: trusted, closed: map[net.Conn]bool{}}
}

// Note handles a change of a connection's state. The server calls it for each change.
func (c *Connections) Note(conn net.Conn, state fasthttp.ConnState) {
	if state != fasthttp.StateNew && state != fasthttp.StateClosed && state != fasthttp.StateHijacked {
		return
	}
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	address := at.Addr().Unmap()
	if err != nil || contains(c.trusted, address) {
		return
	}
	key := AddressKey(address)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case state == fasthttp.StateNew && c.limit.Connect(key):
	case state == fasthttp.StateNew:
		c.closed[conn] = true
		_ = conn.Close()
	case c.closed[conn]:
		delete(c.closed, conn)
	default:
		c.limit.Disconnect(key)
	}
}
