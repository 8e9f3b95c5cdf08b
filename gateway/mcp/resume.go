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

// The SDK has sessions in memory alone, and most clients do not begin another one when theirs is unknown. So the database
// keeps the message that began a session. A process that does not have the session hands that message to the SDK once
// more, and gives the new session the id of the old one: its client goes on, with all that it said it can do.

// keptPart is the part of a session's age after which the database hears that the session goes on.
const keptPart = 16

// keptAge returns how long the database keeps a session after it has heard of the session.
func (m *server) keptAge() time.Duration {
	return m.sessionTTL + m.sessionTTL/keptPart
}

// persist keeps a session that the message of a caller has begun. A session that cannot be kept ends with this process.
func (m *server) persist(caller *caller, id string) {
	if m.identity == nil || caller.start == nil {
		return
	}
	s := identity.MCPSession{ID: id, User: caller.user, Install: caller.request.Install, Start: caller.start}
	caller.start = nil // the caller is in the session's context for as long as the session is there
	if err := m.identity.KeepMCPSession(caller.of, s, m.keptAge()); err != nil {
		m.core.Log.Warn("cannot store the session of an MCP client; it ends when this gateway stops", slog.Any("err", err))
		return
	}
	m.sessions.kept(id)
}

// forget ends what is kept of a session.
func (m *server) forget(ctx context.Context, id, user string) error {
	if m.identity == nil {
		return nil
	}
	return m.identity.EndMCPSession(ctx, id, user)
}

// goOn makes sure that this process has a session of a user, which it may begin again. It fails with SESSION_NOT_FOUND if
// there is no such session of the user, or it has ended.
func (m *server) goOn(ctx context.Context, id, user string) error {
	if m.identity != nil && m.sessions.due(id, m.sessionTTL/keptPart) {
		there, err := m.identity.UsedMCPSession(ctx, id, user, m.keptAge())
		if err == nil && !there && m.sessions.has(id, user) { // it was ended at another gateway
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

// resume begins a session again that the database has for a user.
func (m *server) resume(ctx context.Context, id, user string) error {
	if m.sessions.knows(id) { // another request was faster, or it ends just now
		return nil
	}
	kept, err := m.identity.FindMCPSession(ctx, id, user)
	if err != nil || kept == nil {
		return err
	}
	r := *gateway.RequestOf(ctx)
	r.Conn, r.Install = nil, kept.Install // whose session it is
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

// resumedKey is the key, in the context of a request that begins a session, of the id that the session had.
type resumedKey struct{}

// starts gives sessions their ids. The SDK asks for an id and does not say for which request: so one request at a time is
// on its way to that question, which nothing waits for. Its zero value is ready.
type starts struct {
	mu   sync.Mutex
	next string // the id of the session that is about to begin
	free func() // lets the next request go
}

// through lets requests without a session go to h one after another, until they have their ids.
func (s *starts) through(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(sdkapi.MCPSessionHeader) == "" {
			s.mu.Lock()
			free := sync.OnceFunc(s.mu.Unlock)
			defer free() // of a request that is refused before it has an id
			s.next, _ = r.Context().Value(resumedKey{}).(string)
			s.free = free
		}
		h.ServeHTTP(w, r)
	})
}

// id returns the id of the session that begins.
func (s *starts) id() string {
	id, free := s.next, s.free
	defer free()
	if id == "" {
		id = rand.Text()
	}
	return id
}
