package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/state/identity"
)

// How many sessions there may be. Sessions of clients that left without a word stay
// until their time is up.
const (
	maxMCPSessions     = 4096
	maxMCPSessionsEach = identity.MaxMCPSessions // of one user; another one ends the oldest
)

// sessions knows whose sessions are. Its zero value is ready.
type sessions struct {
	mu   sync.Mutex
	open map[string]*clientSession // by id
}

type clientSession struct {
	*mcp.ServerSession
	user    string
	install string // by whose token it began; empty in local mode
	since   time.Time
	ending  bool      // it waits for what runs
	kept    time.Time // when the database heard last that it goes on; zero if it is not there

	called  time.Time                     // when the SDK took a call last; zero if it never did
	version string                        // what that call said the version is
	plain   map[string]context.CancelFunc // calls that the SDK does not know of, by id
}

var errTooManySessions = errors.New("too many MCP sessions; try again later, or use a protocol version without sessions")

// has reports whether a session is there for a user.
func (s *sessions) has(id, user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.open[id]
	return ok && session.user == user && !session.ending
}

// knows reports whether a session is there, which may be ending.
func (s *sessions) knows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id] != nil
}

// kept says that the database has a session, or has heard that it goes on.
func (s *sessions) kept(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session, ok := s.open[id]; ok {
		session.kept = time.Now()
	}
}

// due reports whether the database has a session, and has not heard of it for at least every. Then it is about to.
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

// add takes in a session of a user, until it has ended.
func (s *sessions) add(user, install string, session *mcp.ServerSession) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var own int
	var oldest *clientSession
	for _, known := range s.open {
		if known.user == user && !known.ending {
			own++
			if oldest == nil || known.since.Before(oldest.since) {
				oldest = known
			}
		}
	}
	switch {
	case own >= maxMCPSessionsEach:
		oldest.ending = true
		go oldest.Close() // it waits for what runs
	case len(s.open) >= maxMCPSessions:
		return errTooManySessions
	}
	if s.open == nil {
		s.open = map[string]*clientSession{}
	}
	added := &clientSession{ServerSession: session, user: user, install: install, since: time.Now()}
	s.open[session.ID()] = added
	go func() {
		_ = session.Wait()
		_ = session.Close() // the SDK has forgotten it then, and another may have its id
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[session.ID()] == added {
			delete(s.open, session.ID())
		}
	}()
	return nil
}

// called notes that the SDK has taken a call of a session.
func (s *sessions) called(id, version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session, ok := s.open[id]; ok {
		session.called, session.version = time.Now(), version
	}
}

// begin begins a plain call in a session, until end is called. It reports false,
// so that the SDK gets the call, if the SDK might refuse the call, or has had none
// for longer than fresh and might soon end the session as idle.
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

// cancel ends a plain call of a session.
func (s *sessions) cancel(id, call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session, ok := s.open[id]; ok && session.plain[call] != nil {
		session.plain[call]()
	}
}

// end forgets a session, and ends its plain calls.
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

// close ends a session. It does not wait for what runs in it.
func (s *sessions) close(id string) {
	s.mu.Lock()
	session := s.open[id]
	s.mu.Unlock()
	s.end(id)
	if session != nil {
		go session.Close()
	}
}

// revoke ends the sessions of an install of a user's; of all the user's installs
// where install is empty. It does not wait for what runs in them.
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
