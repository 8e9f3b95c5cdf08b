package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/state/identity"
)

// The limits on open sessions. A session whose client left without ending it stays until its TTL.
const (
	maxMCPSessions     = 4096
	maxMCPSessionsEach = identity.MaxMCPSessions // per user; if one more starts, the oldest ends
)

// sessions are the open sessions with their users. The zero value is ready.
type sessions struct {
	mu   sync.Mutex
	open map[string]*clientSession // by id
}

type clientSession struct {
	*mcp.ServerSession
	user    string
	install string // install whose token started the session; empty in local mode
	since   time.Time
	ending  bool      // Close was called and waits for running calls
	kept    time.Time // last renewal in the database; zero if it is not stored

	called  time.Time                     // time of the last call through the SDK; zero if none
	version string                        // protocol version header of that call
	plain   map[string]context.CancelFunc // running calls that the SDK does not know, by id
}

var errTooManySessions = errors.New("too many MCP sessions; try again later, or use a protocol version without sessions")

// has reports whether a user has an open session with this id that is not ending.
func (s *sessions) has(id, user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.open[id]
	return ok && session.user == user && !session.ending
}

// knows reports whether there is a session with this id. It may be ending.
func (s *sessions) knows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id] != nil
}

// kept records that a session was just stored or renewed in the database.
func (s *sessions) kept(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session, ok := s.open[id]; ok {
		session.kept = time.Now()
	}
}

// due reports whether a session is stored and its last renewal is at least every ago. If so, it
// counts the session as renewed, and the caller must renew it.
func (s *sessions) due(id string, every time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.open[id]
	if !ok || session.kept.IsZero() || time.Since(session.kept) < every {
		return false
	}
	session.kept = time.Now()
	return true
}

// add adds a user's session until it ends. If the user has maxMCPSessionsEach, add ends the user's
// oldest. An ending session counts until its calls have ended: add fails with errTooManySessions if
// the server has maxMCPSessions, or if maxMCPSessionsEach of the user's are ending.
func (s *sessions) add(user, install string, session *mcp.ServerSession) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var own, ending int
	var oldest *clientSession
	for _, known := range s.open {
		switch {
		case known.user != user:
		case known.ending:
			ending++
		default:
			own++
			if oldest == nil || known.since.Before(oldest.since) {
				oldest = known
			}
		}
	}
	switch {
	case len(s.open) >= maxMCPSessions, ending >= maxMCPSessionsEach:
		return errTooManySessions
	case own >= maxMCPSessionsEach:
		oldest.ending = true
		go oldest.Close() // Close waits for running calls
	}
	if s.open == nil {
		s.open = map[string]*clientSession{}
	}
	added := &clientSession{ServerSession: session, user: user, install: install, since: time.Now()}
	s.open[session.ID()] = added
	go func() {
		_ = session.Wait()
		_ = session.Close() // the SDK has forgotten the session; another one may have its id
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[session.ID()] == added {
			delete(s.open, session.ID())
		}
	}()
	return nil
}

// called records that the SDK handles a call of a session.
func (s *sessions) called(id, version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session, ok := s.open[id]; ok {
		session.called, session.version = time.Now(), version
	}
}

// begin registers a plain call of a session until end is called. ok is false if the SDK must handle
// the call instead: if the SDK might reject it, or if the SDK had no call of the session for longer
// than fresh and might soon end the session as idle.
func (s *sessions) begin(id, version string, call plainCall, cancel context.CancelFunc, fresh time.Duration) (end func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.open[id]
	if !ok || call.meta != nil || session.version != version || time.Since(session.called) > fresh {
		return nil, false
	}
	key := string(call.id)
	if _, twice := session.plain[key]; twice {
		return nil, false
	}
	if session.plain == nil {
		session.plain = map[string]context.CancelFunc{}
	}
	session.plain[key] = cancel
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(session.plain, key)
	}, true
}

// cancel cancels a plain call of a session.
func (s *sessions) cancel(id, call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session, ok := s.open[id]; ok && session.plain[call] != nil {
		session.plain[call]()
	}
}

// end removes a session and cancels its plain calls. It does not close the SDK's session.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session, ok := s.open[id]; ok {
		delete(s.open, id)
		for _, cancel := range session.plain {
			cancel()
		}
	}
}

// close removes and closes a session. It does not wait for running calls.
func (s *sessions) close(id string) {
	s.mu.Lock()
	session := s.open[id]
	s.mu.Unlock()
	s.end(id)
	if session != nil {
		go session.Close()
	}
}

// revoke closes the sessions of a user's install, or of all installs of the user if install is
// empty. It does not wait for running calls.
func (s *sessions) revoke(user, install string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, session := range s.open {
		if session.user != user || install != "" && session.install != install {
			continue
		}
		delete(s.open, id)
		for _, cancel := range session.plain {
			cancel()
		}
		go session.Close()
	}
}
