package peer

import (
	"net"
	"net/netip"
	"sync"

	"github.com/valyala/fasthttp"
)

// Limit bounds how many connections an address has. Each Connect that returns true is followed
// by a Disconnect.
type Limit interface {
	Connect(address string) bool
	Disconnect(address string)
}

// Connections closes the connections of an address beyond a limit, before anything is read of
// them. Trusted proxies, whose connections are those of many clients, have any number: whom they
// speak for is only known from the head of a request.
type Connections struct {
	limit   Limit
	trusted []netip.Prefix

	mu     sync.Mutex
	closed map[net.Conn]bool // that were not counted, until fasthttp notices
}

// NewConnections returns the connections of a server, none yet.
func NewConnections(limit Limit, trusted []netip.Prefix) *Connections {
	return &Connections{limit: limit, trusted: trusted, closed: map[net.Conn]bool{}}
}

// Note is called for each change of a connection's state.
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
