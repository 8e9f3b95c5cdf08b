package gateway

import (
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How many sessions there may be. Of clients that went without a word some lie
// around until their time is up.
const (
	maxMCPSessions     = 4096
	maxMCPSessionsEach = 64 // of one user; who begins another loses the oldest
)

// mcpSessions knows whose sessions are. Its zero value is ready.
type mcpSessions struct {
	mu   sync.Mutex
	open map[string]mcpSession // by id; some have ended
}

type mcpSession struct {
	*mcp.ServerSession
	user  string
	since time.Time
}

var errTooManySessions = errors.New("too many sessions; try again later, or speak a version of the protocol without them")

// has reports whether a session is there for a user.
func (s *mcpSessions) has(id, user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.open[id]
	return ok && session.user == user
}

// add takes in a session of a user, one of those that the SDK has.
func (s *mcpSessions) add(user string, session *mcp.ServerSession, all iter.Seq[*mcp.ServerSession]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := make(map[string]mcpSession, len(s.open)+1)
	var own int
	var oldest mcpSession
	for other := range all {
		known, ok := s.open[other.ID()]
		if !ok || known.ServerSession != other {
			continue // stateless, or not begun yet
		}
		left[other.ID()] = known
		if known.user == user {
			own++
			if oldest.ServerSession == nil || known.since.Before(oldest.since) {
				oldest = known
			}
		}
	}
	s.open = left
	switch {
	case own >= maxMCPSessionsEach:
		delete(left, oldest.ID())
		go oldest.Close() // it waits for what runs
	case len(left) >= maxMCPSessions:
		return errTooManySessions
	}
	left[session.ID()] = mcpSession{session, user, time.Now()}
	return nil
}
