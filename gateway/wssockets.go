package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
)

// sockets are the WebSockets of a server: a drain closes them, as Fiber knows
// nothing of them any longer.
type sockets struct {
	mu       sync.Mutex
	open     map[*wsConn]struct{}
	opened   int // ever
	draining bool
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
	s.opened++
	c.turn = s.opened % wsTurns
	return true
}

func (s *sockets) remove(c *wsConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

// list returns the sockets that keep accepts.
func (s *sockets) list(keep func(*wsConn) bool) []*wsConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*wsConn
	for c := range s.open {
		if keep(c) {
			list = append(list, c)
		}
	}
	return list
}

// Each client is asked so often whether it is there: a share of all of them at a
// time, as thousands at once would make those wait who talk.
const (
	wsPingEvery = 30 * time.Second
	wsTurns     = 60
)

// ping asks all clients in turn whether they are there, until ctx ends.
func (s *sockets) ping(ctx context.Context) {
	tick := time.NewTicker(wsPingEvery / wsTurns)
	defer tick.Stop()
	for turn := 0; ; turn = (turn + 1) % wsTurns {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, c := range s.list(func(c *wsConn) bool { return c.turn == turn }) {
			c.ping()
		}
	}
}

// shut lets no more sockets in.
func (s *sockets) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
}

// finish tells the clients that which accepts to come back later, and returns
// how many sockets there are, those included that are about to end.
func (s *sockets) finish(which func(*wsConn) bool) int {
	for _, c := range s.list(which) {
		if c.finishing.CompareAndSwap(false, true) {
			go c.finish(websocket.CloseGoingAway, "the gateway stops; connect again and resume")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}
