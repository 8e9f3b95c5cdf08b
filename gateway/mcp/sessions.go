package mcp

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How many sessions there may be. Sessions of clients that left without a word stay
// until their time is up.
const (
	maxMCPSessions     = 4096
	maxMCPSessionsEach = 64 // of one user; another one ends the oldest
)

// sessions knows whose sessions are. Its zero value is ready.
type sessions struct {
	mu   sync.Mutex
	open map[string]*clientSession // by id; some have ended
}

type clientSession struct {
	*mcp.ServerSession
	user    string
	install string // by whose token it began; empty in local mode
	since   time.Time

	called  time.Time                     // when the SDK took a call last; zero if it never did
	version string                        // what that call said the version is
	plain   map[string]context.CancelFunc // calls that the SDK does not know of, by id
}

var errTooManySessions = errors.New("too many sessions; try again later, or speak a version of the protocol without them")

// has reports whether a session is there for a user.
func (s *sessions) has(id, user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.open[id]
	return ok && session.user == user
}

// add takes in a session of a user, one of those that the SDK has.
func (s *sessions) add(user, install string, session *mcp.ServerSession, all iter.Seq[*mcp.ServerSession]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := make(map[string]*clientSession, len(s.open)+1)
	var own int
	var oldest *clientSession
	for other := range all {
		known, ok := s.open[other.ID()]
		if !ok || known.ServerSession != other {
			continue // stateless, or not begun yet
		}
		left[other.ID()] = known
		if known.user == user {
			own++
			if oldest == nil || known.since.Before(oldest.since) {
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
	left[session.ID()] = &clientSession{ServerSession: session, user: user, install: install, since: time.Now()}
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
