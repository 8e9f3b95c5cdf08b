package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// The SDK stores sessions only in memory, and most clients do not start a new session when theirs
// is unknown. So the database stores the message that started a session. A process without the
// session sends that message to the SDK again, and gives the new session the old id. The client
// continues with the capabilities that it had declared.

// keptPart is the fraction of the session TTL, as its divisor, after which a session in use is
// renewed in the database.
const keptPart = 16

// keptAge returns how long the database stores a session after the last renewal.
func (m *server) keptAge() time.Duration {
	return m.sessionTTL + m.sessionTTL/keptPart
}

// persist stores the new session id of a caller in the database. If that fails, the session ends
// with this process.
func (m *server) persist(caller *caller, id string) {
	if m.identity == nil || caller.start == nil {
		return
	}
	s := identity.MCPSession{ID: id, User: caller.user, Install: caller.request.Install, Start: caller.start}
	caller.start = nil // the session's context references caller for the session's lifetime
	if err := m.identity.KeepMCPSession(caller.of, s, m.keptAge()); err != nil {
		m.core.Log.Warn("cannot store the session of an MCP client; it ends when this gateway stops", slog.Any("err", err))
		return
	}
	m.sessions.kept(id)
}

// forget deletes a session of a user from the database.
func (m *server) forget(ctx context.Context, id, user string) error {
	if m.identity == nil {
		return nil
	}
	return m.identity.EndMCPSession(ctx, id, user)
}

// goOn ensures that this process has a session of a user. If needed, it restores the session from
// the database. It fails with SESSION_NOT_FOUND if the user has no such session or the session has
// ended.
func (m *server) goOn(ctx context.Context, id, user string) error {
	if m.identity != nil && m.sessions.due(id, m.sessionTTL/keptPart) {
		there, err := m.identity.UsedMCPSession(ctx, id, user, m.keptAge())
		if err == nil && !there && m.sessions.has(id, user) { // it ended at another gateway
			m.sessions.close(id)
		}
	}
	if m.sessions.has(id, user) {
		return nil
	}
	if m.identity != nil {
		_, err, _ := m.resuming.Do(user+"\n"+id, func() (any, error) { return nil, m.resume(ctx, id, user) })
		if err != nil {
			return err
		}
	}
	if m.sessions.has(id, user) {
		return nil
	}
	return fault.New("gateway.mcp", sdkapi.SessionNotFound, "unknown or expired session; initialize a new one").
		At("header."+sdkapi.MCPSessionHeader, "expected the id of a session that has not ended")
}

// resume restores a user's session from the database. It does nothing if the database has no such
// session.
func (m *server) resume(ctx context.Context, id, user string) error {
	if m.sessions.knows(id) { // another request restored it, or it is ending
		return nil
	}
	kept, err := m.identity.FindMCPSession(ctx, id, user)
	if err != nil || kept == nil {
		return err
	}
	r := *gateway.RequestOf(ctx)
	r.Conn, r.Install = nil, kept.Install // the install that owns the session
	within := context.WithValue(m.core.Requests, callerKey{}, &caller{user: user, request: &r, of: ctx})
	request := (&http.Request{
		Method: http.MethodPost, URL: &url.URL{Path: sdkapi.MCPPath}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			fiber.HeaderAuthorization: {"Bearer " + knownCaller}, fiber.HeaderContentType: {fiber.MIMEApplicationJSON},
			fiber.HeaderAccept: {fiber.MIMEApplicationJSON + ", text/event-stream"},
		},
		Body: io.NopCloser(bytes.NewReader(kept.Start)), ContentLength: int64(len(kept.Start)),
	}).WithContext(context.WithValue(within, resumedKey{}, id))
	m.stateful.ServeHTTP(&bridged{header: http.Header{}, flushed: make(chan struct{})}, request)
	m.sessions.kept(id)
	return nil
}

// resumedKey is the context key for the old id of a session that is restored.
type resumedKey struct{}

// starts assigns the ids of new sessions. The SDK asks for an id without naming the request. So
// only one request at a time may be between its start and that call; nothing blocks in between. The
// zero value is ready.
type starts struct {
	mu   sync.Mutex
	next string // id of the session that is starting; empty for a random one
	free func() // lets the next request start
}

// through lets requests without a session reach h one by one, each until its session has an id.
func (s *starts) through(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(sdkapi.MCPSessionHeader) == "" {
			s.mu.Lock()
			free := sync.OnceFunc(s.mu.Unlock)
			defer free() // for a request that is rejected before its session has an id
			s.next, _ = r.Context().Value(resumedKey{}).(string)
			s.free = free
		}
		h.ServeHTTP(w, r)
	})
}

// id returns the id of the session that is starting.
func (s *starts) id() string {
	id, free := s.next, s.free
	defer free()
	if id == "" {
		id = rand.Text()
	}
	return id
}
