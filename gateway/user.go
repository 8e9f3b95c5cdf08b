package gateway

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// UserScheme names, in the API document, what routes ask for that call UserOf.
const UserScheme = "user"

// AsksForUser is the Security of the operations of such routes.
var AsksForUser = []map[string][]string{{UserScheme: {}}}

// UserOf returns on whose behalf ctx's request is made, for routes that must know. In local mode
// the gateway believes the header. In hosted mode it must name the user of the request's token.
func UserOf(ctx context.Context) (string, error) {
	const op, field = "gateway.user", "header." + sdkapi.UserHeader
	user, owner := RequestOf(ctx).User, OwnerOf(ctx)
	switch {
	case user == "":
		return "", fault.New(op, sdkapi.AuthRequired, "say on whose behalf you ask, in the header %s", sdkapi.UserHeader).
			At(field, "expected the user's id")
	case len(user) > sdkapi.MaxUserLen, strings.IndexFunc(user, Unprintable) >= 0:
		return "", fault.New(op, sdkapi.ValidationError, "the header %s holds no user's id", sdkapi.UserHeader).
			At(field, "expected at most %d bytes of printable ASCII", sdkapi.MaxUserLen)
	case owner != "" && user != owner:
		return "", fault.New(op, sdkapi.PermissionDenied, "the token is not one of the user whom the header %s names", sdkapi.UserHeader).
			At(field, "expected the user_id that came with the token")
	}
	return user, nil
}

// checkOnce refuses a request that has a header twice that says who asks, by what right, or from where.
func (s *Server) checkOnce(c *fiber.Ctx) error {
	if name := RequestOf(c.UserContext()).head.Twice; name != "" {
		return fault.New("gateway.user", sdkapi.ValidationError, "the header %s stands in the request more than once", name).
			At("header."+name, "expected it once")
	}
	return c.Next()
}

// checkUser refuses a request that does not say on whose behalf it is made.
func checkUser(ctx context.Context) error {
	_, err := UserOf(ctx)
	return err
}

// Unprintable reports whether r is not among the printable characters of
// ASCII. Bytes that are not UTF-8 are not.
func Unprintable(r rune) bool { return r < ' ' || r > '~' }

// OwnerOf returns the user whose things ctx's request may see, and who owns what it
// makes. It is empty in local mode, where things are everybody's.
func OwnerOf(ctx context.Context) string { return RequestOf(ctx).Owner }

// CallerOf is UserOf for people, and for clients that do not know the gateway's header:
// without the header, the caller is the token's user, or locally sdkapi.LocalUser.
func CallerOf(ctx context.Context) (string, error) {
	switch r := RequestOf(ctx); {
	case r.User != "":
		return UserOf(ctx)
	case r.Owner != "":
		return r.Owner, nil
	}
	return sdkapi.LocalUser, nil
}
