package sockets

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
)

// Set holds the open WebSockets of a server for its drain: Fiber does not know them.
type Set struct {
	Paths []string      // where sockets are, as patterns of Fiber; complete before the server listens
	Write time.Duration // for one message to leave; default writeTime

	mu       sync.Mutex
	open     map[*Conn]struct{}
	opened   int // ever
	draining bool
}

// Add takes in a socket, unless the server drains.
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

// Remove takes out a socket that has ended.
func (s *Set) Remove(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

// list returns the sockets that keep accepts.
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

// Each client is asked every pingEvery whether it is there: one of pingShares shares of
// the clients at a time, as thousands of pings at once would delay messages.
const (
	pingEvery  = 30 * time.Second
	pingShares = 60
)

// Ping asks all clients in turn whether they are there, until ctx ends.
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

// Shut lets no more sockets in.
func (s *Set) Shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
}

// Finish closes the sockets that which accepts, with a reason that says to come back
// later, and returns the number of open sockets, including those about to end.
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
