package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// BodyPool and CorePool are the names, among Config.Pools, of the pool of memory for large bodies of JSON, and of
// that of cores for what the gateway computes.
const (
	BodyPool = "bodies"
	CorePool = "cores"
)

// MaxImageBody bounds a JSON body that may hold an image: base64 of the largest one, and room for
// everything else. Each route of Post and Get says its own bound.
const MaxImageBody = perception.MaxImageBytes/3*4 + 64<<10

// openBody returns the body of c's request.
func openBody(c *fiber.Ctx, stall time.Duration) *peer.Body {
	return peer.NewBody(c.Context().RequestBodyStream(), c.Context().Conn(), c.Request().Header.ContentLength(), stall)
}

// BodyOf returns the body of c's request, which finishBody opened.
func BodyOf(c *fiber.Ctx) *peer.Body { return RequestOf(c.UserContext()).body }

// humaContext is huma.Context under a name that, embedded, does not hide its method Context.
type humaContext = huma.Context

// boundedContext hands huma a body that is watched.
type boundedContext struct {
	humaContext
	body io.Reader
}

func (c *boundedContext) Unwrap() huma.Context  { return c.humaContext }
func (c *boundedContext) BodyReader() io.Reader { return c.body }

// boundBody is huma middleware that watches the body's arrival.
func boundBody(ctx huma.Context, next func(huma.Context)) {
	next(&boundedContext{humaContext: ctx, body: BodyOf(humafiber.UnwrapV2(ctx))})
}

// holdBody returns what the body b takes. Forms are written to the disk as they arrive; all others are held in memory.
func (s *Server) holdBody(c *fiber.Ctx, b *peer.Body) *quota.Held {
	held := &quota.Held{
		User: func() (context.Context, string) { return c.UserContext(), OwnerOf(c.UserContext()) },
		Open: func() (func(), error) { return RequestOf(c.UserContext()).Quota.Send() },
	}
	kind := c.Request().Header.ContentType()
	if bytes.HasPrefix(kind, []byte(fiber.MIMEMultipartForm)) {
		return held
	}
	held.Arrival = s.arriving.Begin(func() (address, user string) {
		return peer.AddressKey(peer.Address(c, s.app.TrustedProxies)), OwnerOf(c.UserContext())
	}, b.Cut)
	if bytes.HasPrefix(kind, []byte(fiber.MIMEApplicationJSON)) {
		held.Pool = s.app.Pools[BodyPool]
	}
	return held
}

// finishBody leaves the connection after the request's last byte, or closes it.
func (s *Server) finishBody(c *fiber.Ctx) error {
	b := openBody(c, s.app.StallTimeout)
	RequestOf(c.UserContext()).body = b
	if b.Ended() == nil {
		held := s.holdBody(c, b)
		b.Hold(held)
		defer held.Give()
	}
	err := c.Next()
	if code := fault.CodeOf(err); b.Ended() == nil {
		b.Discard(code == sdkapi.AuthRequired || code == sdkapi.RateLimited)
	}
	if !errors.Is(b.Ended(), io.EOF) {
		c.Context().SetConnectionClose()
	}
	return err
}
