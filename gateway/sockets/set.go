package sockets

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
)

// Set is the set of open WebSockets of a server. A server that drains needs this set, because Fiber
// does not track WebSockets.
type Set struct {
	Paths []string      // paths of WebSockets, as Fiber patterns; must be complete before the server listens
	Write time.Duration // time to write one message; default 10 s

	mu       sync.Mutex
	open     map[*Conn]struct{}
	opened   int // number of all sockets so far
	draining bool
}

// Add adds a socket. If the server is draining, Add adds nothing and returns false.
func (s *Set) Add(c *Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return false
	}
	if s.open == nil {
		s.open = map[*Conn]struct{}{}
	}
	s.open[c] = struct{}{}
	c.leave = cmp.Or(s.Write, writeTime)
	s.opened++
	c.turn = s.opened % pingShares
	return true
}

// Remove removes a socket that has ended.
func (s *Set) Remove(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

// list returns the sockets for which keep returns true.
func (s *Set) list(keep func(*Conn) bool) []*Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*Conn
	for c := range s.open {
		if keep(c) {
			list = append(list, c)
		}
	}
	return list
}

// Each client gets a ping every pingEvery. The clients are divided into pingShares shares that get
// their pings in turn, because thousands of pings at once would delay messages.
const (
	pingEvery  = 30 * time.Second
	pingShares = 60
)

// Ping pings all clients regularly until ctx ends. It divides the clients into groups. Each tick
// pings only one group.
func (s *Set) Ping(ctx context.Context) {
	tick := time.NewTicker(pingEvery / pingShares)
	defer tick.Stop()
	for turn := 0; ; turn = (turn + 1) % pingShares {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, c := range s.list(func(c *Conn) bool { return c.turn == turn }) {
			c.ping()
		}
	}
}

// Shut makes Add refuse further sockets.
func (s *Set) Shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
}

// Finish closes each socket that the given function accepts, with a reason that asks the client to
// reconnect. Finish does not wait. It returns the number of open sockets, including sockets that
// are closing.
func (s *Set) Finish(which func(*Conn) bool) int {
	for _, c := range s.list(which) {
		if c.finishing.CompareAndSwap(false, true) {
			go c.Finish(websocket.CloseGoingAway, "the gateway is stopping; connect again and resume")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}
