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
)

// When a token is revoked, all that it opened ends: requests that wait, streams,
// sockets, MCP sessions and turns. Each gateway knows what is open on it, and asks
// the database often which tokens were revoked. In local mode there are no tokens.

// Bounds of following what is revoked.
const (
	revokedEvery = 200 * time.Millisecond // between two looks
	revokedTime  = 5 * time.Second        // that one look may take
	revokedKept  = time.Hour              // that a gateway knows of one, for requests that were let in just before
	lastWords    = 250 * time.Millisecond // that a client may take to hear why its stream ends
)

// errRevoked is why a context ends whose token was revoked.
var errRevoked = fault.New("gateway.access", sdkapi.AuthRequired, "the token that this came by was revoked, or its user deleted").
	At("header.Authorization", "expected Bearer and a token that the gateway knows")

// isRevoked reports whether ctx has ended as its token was revoked.
func isRevoked(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errRevoked) }

// accesses knows what is open in whose name. Its zero value is ready.
type accesses struct {
	mu    sync.Mutex
	open  map[string]map[*access]struct{} // by user
	ended map[string]time.Time            // when users and installs were revoked, by id; the last ones
}

// access is something that a token opened.
type access struct {
	install string
	cancel  context.CancelCauseFunc
	cut     func() // ends what does not heed a context; nil for nothing. It must be quick.
}

// Begin returns a context that ends with parent, or when the token of r is
// revoked: see isRevoked. cut is called then too, unless end was called before.
func (a *accesses) Begin(parent context.Context, r *Request, cut func()) (ctx context.Context, end func()) {
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
	entry := &access{r.Install, cancel, cut}
	a.open[r.Owner][entry] = struct{}{}
	return ctx, func() {
		a.mu.Lock()
		delete(a.open[r.Owner], entry)
		if len(a.open[r.Owner]) == 0 {
			delete(a.open, r.Owner)
		}
		a.mu.Unlock()
		cancel(context.Canceled)
	}
}

// end ends what a revoked user or install has open, and all that it begins later.
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

// followRevoked ends what is open by tokens that are revoked after a number, until ctx
// ends. While the database does not answer, all stays open: nothing can change state then.
func (s *Server) followRevoked(ctx context.Context, after int64) {
	away := false
	background.Every(ctx, revokedEvery, func(ctx context.Context) {
		list, err := s.revokedSince(ctx, after)
		if err != nil && !away && ctx.Err() == nil {
			s.Log.Warn("nobody knows which tokens are revoked while the database does not answer; what is open stays", slog.Any("err", err))
		}
		away = err != nil
		for _, r := range list {
			s.revoke(r)
			after = r.Seq
		}
	})
}

func (s *Server) revokedSince(ctx context.Context, after int64) ([]identity.Revocation, error) {
	ctx, cancel := context.WithTimeout(ctx, revokedTime)
	defer cancel()
	return s.app.Identity.Revocations(ctx, after)
}

// revoke ends all that this gateway has of an install or a user.
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
	s.Log.Info("a token is revoked", slog.String("user", r.User), slog.String("install", r.Install), slog.Int("open", ended))
}

// letIn runs the rest of the chain until the request's token is revoked. The answer
// is then the same as to an unknown token.
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

// Hurry returns a function that gives up a client which reads nothing, lastWords after its call.
func Hurry(conn net.Conn) func() {
	return func() { _ = conn.SetWriteDeadline(time.Now().Add(lastWords)) }
}

// lastingContent is content sent after its request's end, until it is closed or the token
// is revoked. WriteTo sends it by the content's own fastest way: an artifact's, piece by piece.
type lastingContent struct {
	io.ReadCloser

	ctx  context.Context
	conn net.Conn // nil outside a request
	end  func()
}

// Lasting opens content that is sent after the end of ctx's request. open gets a
// context that lasts until the content is closed.
func (s *Server) Lasting(ctx context.Context, open func(context.Context) (io.ReadCloser, error)) (io.ReadCloser, error) {
	end := func() {}
	if r := RequestOf(ctx); r.Owner != "" {
		ctx, end = s.Access.Begin(context.WithValue(s.Requests, RequestKey{}, r), r, func() { _ = r.Conn.SetWriteDeadline(time.Unix(1, 0)) })
	}
	content, err := open(ctx)
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

// may reports, by its error, whether content may still be sent.
func (l *lastingContent) may() error {
	if isRevoked(l.ctx) {
		return errRevoked
	}
	return nil
}
