package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/oauth"
)

// When a token is revoked, the gateway ends everything that the token opened: waiting
// requests, streams, sockets, MCP sessions and turns. Each gateway tracks its own open work
// and asks the database every revokedEvery for new revocations. Local mode has no tokens.

// Time limits for applying revocations.
const (
	revokedEvery = 200 * time.Millisecond // interval between two queries for revocations
	revokedTime  = 5 * time.Second        // timeout of one such query
	revokedKept  = time.Hour              // how long a revocation is remembered, for requests admitted just before it
	lastWords    = 250 * time.Millisecond // how long a client may take to read why its stream ends
)

// errRevoked is the cancellation cause of contexts whose token was revoked.
var errRevoked = fault.New("gateway.access", sdkapi.AuthRequired, "the token of this request was revoked, or its user was deleted; register the client again or ask the operator for a token").
	At("header.Authorization", "expected Bearer and a valid token")

// isRevoked reports whether ctx was canceled because its token was revoked.
func isRevoked(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errRevoked) }

// accesses tracks the open work of each user. The zero value is ready to use.
type accesses struct {
	mu    sync.Mutex
	open  map[string]map[*access]struct{} // by user id
	ended map[string]time.Time            // revocation times by user or install id, for revokedKept
}

// access is one piece of work that a token opened, such as a request or a socket.
type access struct {
	install string
	cancel  context.CancelCauseFunc
	cut     func() // ends work that ignores its context; may be nil. It must be quick.
}

// Begin returns a context for work that the request r starts. The context ends when parent ends or
// when the token of r is revoked; see isRevoked. A revocation also calls the function interrupt,
// which may be nil. The caller must call release when the work ends. After release, Begin does not
// call interrupt. In local mode a request has no owner, and Begin returns parent itself.
func (a *accesses) Begin(parent context.Context, r *Request, interrupt func()) (ctx context.Context, release func()) {
	if r.Owner == "" {
		return parent, func() {}
	}
	ctx, cancel := context.WithCancelCause(session.WithInstall(parent, r.Install))
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, gone := a.ended[r.Owner]; gone {
		cancel(errRevoked)
	}
	if _, gone := a.ended[r.Install]; gone {
		cancel(errRevoked)
	}
	if a.open == nil {
		a.open = map[string]map[*access]struct{}{}
	}
	if a.open[r.Owner] == nil {
		a.open[r.Owner] = map[*access]struct{}{}
	}
	entry := &access{r.Install, cancel, interrupt}
	a.open[r.Owner][entry] = struct{}{}
	stop := entry.endAt(r.Access)
	return ctx, func() {
		stop()
		a.mu.Lock()
		delete(a.open[r.Owner], entry)
		if len(a.open[r.Owner]) == 0 {
			delete(a.open, r.Owner)
		}
		a.mu.Unlock()
		cancel(context.Canceled)
	}
}

// endAt ends the work when the token of another issuer expires, since nobody can revoke such a token
// here. The caller must call stop when the work ends.
func (a *access) endAt(token *oauth.Access) (stop func()) {
	if token == nil || token.Install != "" {
		return func() {}
	}
	timer := time.AfterFunc(time.Until(token.Expires), func() {
		a.cancel(errRevoked)
		if a.cut != nil {
			a.cut()
		}
	})
	return func() { timer.Stop() }
}

// end cancels all open work of a revoked user or install and returns how much it canceled.
// Work that begins within revokedKept is canceled at once.
func (a *accesses) end(revoked identity.Revocation) (ended int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended == nil {
		a.ended = map[string]time.Time{}
	}
	for id, when := range a.ended {
		if time.Since(when) > revokedKept {
			delete(a.ended, id)
		}
	}
	id := revoked.Install
	if id == "" {
		id = revoked.User
	}
	a.ended[id] = time.Now()
	for entry := range a.open[revoked.User] {
		if revoked.Install != "" && entry.install != revoked.Install {
			continue
		}
		entry.cancel(errRevoked)
		if entry.cut != nil {
			entry.cut()
		}
		ended++
	}
	return ended
}

// followRevoked applies every revocation with a sequence number above after, until ctx ends.
// While the database is unreachable, work stays open: it cannot change state then.
func (s *Server) followRevoked(ctx context.Context, after int64) {
	away := false
	background.Every(ctx, revokedEvery, func(ctx context.Context) {
		list, err := s.revokedSince(ctx, after)
		if err != nil && !away && ctx.Err() == nil {
			s.Log.Warn("cannot read the revoked tokens from the database; open connections continue until it answers", slog.Any("err", err))
		}
		away = err != nil
		for _, r := range list {
			s.revoke(r)
			after = r.Seq
		}
	})
}

// revokedSince returns the revocations with a sequence number above after, oldest first. It waits at most revokedTime.
func (s *Server) revokedSince(ctx context.Context, after int64) ([]identity.Revocation, error) {
	ctx, cancel := context.WithTimeout(ctx, revokedTime)
	defer cancel()
	return s.app.Identity.Revocations(ctx, after)
}

// revoke ends all work of a revoked install or user on this gateway. If the user was
// deleted, revoke also discards the user's in-memory data.
func (s *Server) revoke(r identity.Revocation) {
	if s.app.Sessions != nil {
		s.app.Sessions.Revoke(r.User, r.Install)
	}
	ended := s.Access.end(r)
	for _, p := range s.parts {
		if p.Revoked != nil {
			p.Revoked(r.User, r.Install)
		}
	}
	if r.Install == "" && s.app.Forget != nil {
		s.app.Forget(r.User)
	}
	s.Log.Info("token revoked; its connections were ended", slog.String("user", r.User), slog.String("install", r.Install), slog.Int("open", ended))
}

// letIn runs the rest of the middleware chain and cancels it if the request's token is
// revoked. The response is then the same as for an unknown token.
func (s *Server) letIn(c *fiber.Ctx, r *Request) error {
	if r.Owner == "" {
		return c.Next()
	}
	body := BodyOf(c)
	ctx, end := s.Access.Begin(c.UserContext(), r, func() { body.Cut(errRevoked) })
	defer end()
	c.SetUserContext(ctx)
	err := c.Next()
	if isRevoked(ctx) {
		c.Context().SetConnectionClose()
		return errRevoked
	}
	return err
}

// Hurry returns a function that sets the write deadline of conn to the current time plus 250 ms.
// Until then the client can still receive the last message. Later writes fail.
func Hurry(conn net.Conn) func() {
	return func() { _ = conn.SetWriteDeadline(time.Now().Add(lastWords)) }
}

// lastingContent is content that is still sent after its handler returned. It ends when it is
// closed or when the token is revoked. WriteTo uses the WriteTo of the content itself.
type lastingContent struct {
	io.ReadCloser

	ctx  context.Context
	conn net.Conn // nil outside a request
	end  func()
}

// Lasting opens content for a response that is sent after the request's handler has returned. The
// parameter ctx is the context of the request. Lasting calls opener with a context of its own. That
// context ends when the content is closed or when the request's token is revoked. The content must
// implement io.WriterTo. If opener fails, Lasting returns its error.
func (s *Server) Lasting(ctx context.Context, opener func(context.Context) (io.ReadCloser, error)) (io.ReadCloser, error) {
	end := func() {}
	if r := RequestOf(ctx); r.Owner != "" {
		ctx, end = s.Access.Begin(context.WithValue(s.Requests, RequestKey{}, r), r, func() { _ = r.Conn.SetWriteDeadline(time.Unix(1, 0)) })
	}
	content, err := opener(ctx)
	if err != nil {
		end()
		return nil, err
	}
	return &lastingContent{content, ctx, RequestOf(ctx).Conn, end}, nil
}

// Close implements io.Closer.
func (l *lastingContent) Close() error {
	l.end()
	return l.ReadCloser.Close()
}

// WriteTo implements io.WriterTo.
func (l *lastingContent) WriteTo(w io.Writer) (int64, error) {
	return l.ReadCloser.(io.WriterTo).WriteTo(peer.PacedWriter{Writer: w, Conn: l.conn, May: l.may})
}

// may returns errRevoked once the token is revoked, and nil before.
func (l *lastingContent) may() error {
	if isRevoked(l.ctx) {
		return errRevoked
	}
	return nil
}
