package gateway

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// userScheme names, in the API document, what routes ask for that call userOf.
const userScheme = "user"

// asksForUser is what the operation of such a route has as its Security.
var asksForUser = []map[string][]string{{userScheme: {}}}

// userOf returns on whose behalf ctx's request is made. It is for routes that
// must know; the others work without. In local mode the gateway believes what it
// is told. In hosted mode it must be the user whose token the request brings.
func userOf(ctx context.Context) (string, error) {
	const op, field = "gateway.user", "header." + sdkapi.UserHeader
	user, owner := requestOf(ctx).user, ownerOf(ctx)
	switch {
	case user == "":
		return "", fault.New(op, sdkapi.AuthRequired, "say on whose behalf you ask, in the header %s", sdkapi.UserHeader).
			At(field, "expected the user's id")
	case len(user) > sdkapi.MaxUserLen, strings.IndexFunc(user, unprintable) >= 0:
		return "", fault.New(op, sdkapi.ValidationError, "the header %s holds no user's id", sdkapi.UserHeader).
			At(field, "expected at most %d bytes of printable ASCII", sdkapi.MaxUserLen)
	case owner != "" && user != owner:
		return "", fault.New(op, sdkapi.PermissionDenied, "the token is not one of the user whom the header %s names", sdkapi.UserHeader).
			At(field, "expected the user_id that came with the token")
	}
	return user, nil
}

// saidOnce are the headers that say who asks, by what right, and from where. A proxy before the
// gateway may go by another one of two than the gateway does.
var saidOnce = []string{sdkapi.UserHeader, sdkapi.KeyHeader, fiber.HeaderAuthorization, fiber.HeaderOrigin}

// checkOnce refuses a request that has one of them twice.
func (s *Server) checkOnce(c *fiber.Ctx) error {
	for _, name := range saidOnce {
		if len(c.Request().Header.PeekAll(name)) > 1 {
			return fault.New("gateway.user", sdkapi.ValidationError, "the header %s stands in the request more than once", name).
				At("header."+name, "expected it once")
		}
	}
	return c.Next()
}

// checkUser is the middleware of routes that must know on whose behalf a
// request is made.
func (s *Server) checkUser(ctx huma.Context, next func(huma.Context)) {
	if _, err := userOf(ctx.Context()); err != nil {
		_ = s.fail(humafiber.UnwrapV2(ctx), err) // an envelope can be written as JSON
		return
	}
	next(ctx)
}

// unprintable reports whether r is not among the printable characters of
// ASCII. Bytes that are not UTF-8 are not.
func unprintable(r rune) bool { return r < ' ' || r > '~' }

// ownerOf returns whose things ctx's request may see, and whose those are that
// it makes. It is empty in local mode: everybody's.
func ownerOf(ctx context.Context) string { return requestOf(ctx).owner }

// callerOf is userOf for what a person uses by hand, or a client that knows
// nothing of the gateway's header: the token says who it is, and locally nobody
// has to.
func callerOf(ctx context.Context) (string, error) {
	switch r := requestOf(ctx); {
	case r.user != "":
		return userOf(ctx)
	case r.owner != "":
		return r.owner, nil
	}
	return sdkapi.LocalUser, nil
}
