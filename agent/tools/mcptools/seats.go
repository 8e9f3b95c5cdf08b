package mcptools

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/upstream"
)

// Limits of the users' sessions with one server.
const (
	maxSeats = 256              // sessions at a time; a further one ends the one that is idle the longest
	idleSeat = 10 * time.Minute // after which an idle session ends
)

// Connections has the access of users to servers that they sign in to. *upstream.Store implements it.
// Its methods are safe for concurrent use.
type Connections interface {
	// Token returns a user's valid access token, other than stale if that is set. It fails with
	// CONNECTION_REQUIRED if the user must sign in.
	Token(ctx context.Context, server upstream.Server, user, stale string) (upstream.Token, error)
	// Reject records that the server refuses even a new token of a connection.
	Reject(ctx context.Context, connection string) error
}

var _ Connections = (*upstream.Store)(nil)

// seats are the users' own sessions with a server that users sign in to. No two users share a session.
// The zero value is empty.
type seats struct {
	mu sync.Mutex
	by map[string]*seat // by user
}

// seat is one user's session.
type seat struct {
	connection string // id of the user's connection; another sign-in gets another session
	opened     chan struct{}
	session    *session // nil if it failed; valid once opened is closed
	err        error
	calls      int // running calls
	used       time.Time
}

// over reports whether a seat cannot be used any longer. The caller holds mu.
func (s *seat) over() bool {
	select {
	case <-s.opened:
		return s.session == nil || s.session.over()
	default:
		return false
	}
}

// end ends the session of a seat once it is open.
func (s *seat) end() {
	<-s.opened
	if s.session != nil {
		s.session.end()
	}
}

// signsIn reports whether users sign in to the server.
func (s *server) signsIn() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.perUser
}

// challenged makes the server one that users sign in to, if it asked for that in a session without a
// user. It reports whether it did.
func (s *server) challenged(l link) bool {
	r, ok := l.(*remote)
	if !ok || !r.challenged.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signIn()
	return true
}

// signIn makes the server one that users sign in to. The caller holds mu.
func (s *server) signIn() {
	if !s.perUser {
		s.perUser, s.problem, s.failures, s.next = true, "", 0, time.Time{}
		s.log.Info("the MCP server wants each user to sign in")
	}
}

// target returns the server for sign-ins.
func (s *server) target() upstream.Server {
	return upstream.Server{Name: s.spec.Name, URL: s.spec.URL, ClientID: s.spec.ClientID, ClientSecret: s.spec.ClientSecret, Issuer: s.spec.Issuer, Scopes: s.spec.Scopes}
}

// sessionFor returns the session for a call of a user, and a function to call when the call has ended.
// If users sign in to the server, the session is the user's own.
func (s *server) sessionFor(ctx context.Context, user string) (*session, func(), error) {
	if !s.signsIn() {
		session, err := s.session(ctx)
		if err == nil || !s.signsIn() {
			return session, func() {}, err
		}
	}
	return s.seat(ctx, user)
}

// seat returns a user's own session, which it opens if necessary.
func (s *server) seat(ctx context.Context, user string) (*session, func(), error) {
	if s.in.cfg.Connections == nil {
		return nil, nil, fault.New("mcptools.seat", sdkapi.FeatureUnavailable, "users sign in to the MCP server %q, which works only in a gateway with users", s.spec.Name)
	}
	user = cmp.Or(user, sdkapi.LocalUser)
	token, err := s.in.cfg.Connections.Token(ctx, s.target(), user, "")
	if err != nil {
		return nil, nil, err
	}
	at, err := s.take(user, token.Connection)
	if err != nil {
		return nil, nil, err
	}
	leave := func() {
		s.seats.mu.Lock()
		defer s.seats.mu.Unlock()
		at.calls--
		at.used = time.Now()
	}
	select {
	case <-ctx.Done():
		leave()
		return nil, nil, ctx.Err()
	case <-at.opened:
	}
	if at.err != nil {
		leave()
		return nil, nil, at.err
	}
	return at.session, leave, nil
}

// take returns the seat of a user's connection, with one more call. It opens the session of a new seat
// in the background, and ends the session of an earlier connection.
func (s *server) take(user, connection string) (*seat, error) {
	s.seats.mu.Lock()
	defer s.seats.mu.Unlock()
	at := s.seats.by[user]
	if at != nil && (at.connection != connection || at.over()) {
		s.remove(user)
		at = nil
	}
	if at == nil {
		if len(s.seats.by) >= maxSeats && !s.evict() {
			return nil, fault.New("mcptools.seat", sdkapi.Overloaded, "%d users use the MCP server %q, the limit; try again in a minute", maxSeats, s.spec.Name)
		}
		at = &seat{connection: connection, opened: make(chan struct{})}
		if !s.in.begin(func() { s.openSeat(at, user) }) {
			return nil, context.Canceled
		}
		if s.seats.by == nil {
			s.seats.by = map[string]*seat{}
		}
		s.seats.by[user] = at
	}
	at.calls++
	at.used = time.Now()
	return at, nil
}

// remove removes a user's seat and ends its session. The caller holds the mutex of the seats.
func (s *server) remove(user string) {
	if at := s.seats.by[user]; at != nil {
		delete(s.seats.by, user)
		if !s.in.begin(at.end) {
			go at.end() // Close waits for the session itself
		}
	}
}

// evict removes the seat that is idle the longest. It reports false if all have calls. The caller holds
// the mutex of the seats.
func (s *server) evict() bool {
	oldest := ""
	for user, at := range s.seats.by {
		if at.calls == 0 && (oldest == "" || at.used.Before(s.seats.by[oldest].used)) {
			oldest = user
		}
	}
	s.remove(oldest)
	return oldest != ""
}

// sweep removes seats that are idle for idleSeat or have ended.
func (s *server) sweep() {
	s.seats.mu.Lock()
	defer s.seats.mu.Unlock()
	for user, at := range s.seats.by {
		if at.over() || at.calls == 0 && time.Since(at.used) >= idleSeat {
			s.remove(user)
		}
	}
}

// openSeat opens the session of a seat, adds the tools that the server lists for the user, and ends the
// session with the gateway.
func (s *server) openSeat(at *seat, user string) {
	ctx, cancel := context.WithTimeout(s.in.ctx, s.in.cfg.StartTimeout)
	defer cancel()
	w := &wallet{from: s.in.cfg.Connections, server: s.target(), user: user, connection: at.connection}
	session, err := openSession(ctx, &s.spec, s.in.cfg.Version, s.printed, w)
	var l *listing
	if err == nil {
		if l, err = fetch(ctx, session.ClientSession); err != nil {
			session.end()
		}
	}
	switch refused := w.refusal(); {
	case err == nil:
		s.merge(l.without(w))
		at.session = session
	case refused != nil:
		at.err = refused
	default:
		err = errors.New(w.hide(s.shown(err)))
		s.log.Warn("cannot open a user's session with the MCP server", slog.String("problem", err.Error()))
		at.err = s.unusable(err, 0)
	}
	close(at.opened)
	if at.session == nil {
		return
	}
	select {
	case <-s.in.ctx.Done():
		at.session.end()
	case <-at.session.ended:
	}
}

// merge adds the tools that a server lists for one user to the tools that are known. A tool of another
// user stays, so that the registry does not change with each session. A changed tool is refused until
// the operator accepts it.
func (s *server) merge(l *listing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listing != nil && s.offered != nil {
		all := &listing{Tools: slices.Clone(s.listing.Tools), Short: l.Short}
		changed := false
		for _, t := range l.Tools {
			i := slices.IndexFunc(all.Tools, func(o listed) bool { return o.Name == t.Name })
			switch {
			case i < 0 && len(all.Tools) < agent.MaxToolsPerOwner:
				all.Tools, changed = append(all.Tools, t), true
			case i >= 0 && all.Tools[i].hash() != t.hash():
				all.Tools[i], changed = t, true
			}
		}
		if !changed {
			return
		}
		l = all
	}
	s.apply(l)
}

// SignIns returns the servers that users sign in to, sorted by name.
func (s *Servers) SignIns() (list []upstream.Server) {
	for _, v := range s.list {
		if v.asked() && v.signsIn() {
			list = append(list, v.target())
		}
	}
	return list
}

// Connected opens the session of a user who has signed in to a server, and registers the server's
// tools. It returns at once. An unknown server is ignored.
func (s *Servers) Connected(server, user string) {
	v, err := s.find(server)
	if err != nil {
		return
	}
	s.begin(func() {
		ctx, cancel := context.WithTimeout(s.ctx, s.cfg.StartTimeout)
		defer cancel()
		if _, leave, err := v.seat(ctx, user); err == nil {
			leave()
		}
	})
}

// Disconnected ends the session of a user who has disconnected from a server. The user's calls fail.
func (s *Servers) Disconnected(server, user string) {
	v, err := s.find(server)
	if err != nil {
		return
	}
	v.seats.mu.Lock()
	defer v.seats.mu.Unlock()
	v.remove(user)
}
