package gateway

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// UserScheme is the name, in the API document, of the X-User-Id header that UserOf requires.
const UserScheme = "user"

// AsksForUser is the Security (in the API document) of operations that call UserOf.
var AsksForUser = []map[string][]string{{UserScheme: {}}}

// UserOf returns the id of the user in the header X-User-Id of ctx's request. It fails if the
// header is missing or invalid. In hosted mode, the header must name the user of the request's
// token. In local mode, the gateway trusts the header.
func UserOf(ctx context.Context) (string, error) {
	const op, field = "gateway.user", "header." + sdkapi.UserHeader
	user, owner := RequestOf(ctx).User, OwnerOf(ctx)
	switch {
	case user == "":
		return "", fault.New(op, sdkapi.AuthRequired, "the user is missing: send the user's id in the header %s", sdkapi.UserHeader).
			At(field, "expected the user's id")
	case len(user) > sdkapi.MaxUserLen, strings.IndexFunc(user, Unprintable) >= 0:
		return "", fault.New(op, sdkapi.ValidationError, "the header %s contains no valid user id", sdkapi.UserHeader).
			At(field, "expected at most %d bytes of printable ASCII", sdkapi.MaxUserLen)
	case owner != "" && user != owner:
		return "", fault.New(op, sdkapi.PermissionDenied, "the token belongs to a user other than the user in the header %s; send the token's own user, or leave the header out", sdkapi.UserHeader).
			At(field, "expected the user_id from the registration of this token")
	}
	return user, nil
}

// checkOnce is middleware that refuses requests that repeat a header about identity, credentials
// or origin.
func (s *Server) checkOnce(c *fiber.Ctx) error {
	if name := RequestOf(c.UserContext()).head.Twice; name != "" {
		return fault.New("gateway.user", sdkapi.ValidationError, "the request contains the header %s more than once; send it once", name).
			At("header."+name, "expected this header once")
	}
	return c.Next()
}

// checkUser returns the error of UserOf.
func checkUser(ctx context.Context) error {
	_, err := UserOf(ctx)
	return err
}

// Unprintable reports whether r is not a printable ASCII character. A space is printable.
func Unprintable(r rune) bool { return r < ' ' || r > '~' }

// OwnerOf returns the id of the user who owns ctx's request. The request may see only this user's
// data, and the user owns all data that the request creates. The id is empty in local mode, where
// all callers share the data.
func OwnerOf(ctx context.Context) string { return RequestOf(ctx).Owner }

// CallerOf works like UserOf, but X-User-Id may be missing, because people often omit it. Without
// the header, the caller is the token's user in hosted mode, and sdkapi.LocalUser in local mode.
func CallerOf(ctx context.Context) (string, error) {
	switch r := RequestOf(ctx); {
	case r.User != "":
		return UserOf(ctx)
	case r.Owner != "":
		return r.Owner, nil
	}
	return sdkapi.LocalUser, nil
}
