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

// Names of pools in App.Pools: BodyPool holds the memory for large JSON bodies, CorePool the
// CPU cores for computations.
const (
	BodyPool = "bodies"
	CorePool = "cores"
)

// MaxImageBody is the maximum size, in bytes, of a JSON body that may contain an image: the
// largest image in base64, and 64 KiB for the other fields.
const MaxImageBody = perception.MaxImageBytes/3*4 + 64<<10

// openBody returns a reader of the body of c's request. It fails a read that waits longer
// than stall.
func openBody(c *fiber.Ctx, stall time.Duration) *peer.Body {
	return peer.NewBody(c.Context().RequestBodyStream(), c.Context().Conn(), c.Request().Header.ContentLength(), stall)
}

// BodyOf returns the body of c's request. It returns nil while the middleware has not opened the
// body.
func BodyOf(c *fiber.Ctx) *peer.Body { return RequestOf(c.UserContext()).body }

// humaContext renames huma.Context: embedded under its own name it would hide the method Context.
type humaContext = huma.Context

// boundedContext replaces the body that huma reads with body.
type boundedContext struct {
	humaContext
	body io.Reader
}

// Unwrap returns the context that c wraps. humafiber.UnwrapV2 calls Unwrap to find Fiber's context.
func (c *boundedContext) Unwrap() huma.Context { return c.humaContext }

// BodyReader returns c.body. Without this method, huma would read the original body.
func (c *boundedContext) BodyReader() io.Reader { return c.body }

// boundBody is huma middleware that gives handlers the request's peer.Body, which limits how
// long a body may stall.
func boundBody(ctx huma.Context, next func(huma.Context)) {
	next(&boundedContext{humaContext: ctx, body: BodyOf(humafiber.UnwrapV2(ctx))})
}

// holdBody returns the quotas that body b uses while it arrives. Forms are written to the disk
// as they arrive and use no memory quota; other bodies stay in memory.
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

// finishBody is middleware that opens the request's body and discards its unread rest after
// the handler returned. If the body did not end, finishBody closes the connection.
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
