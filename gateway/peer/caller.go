package peer

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Bearer returns the token that a request brings; empty if it brings no token.
func Bearer(c *fiber.Ctx) string {
	scheme, token, _ := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// IsLocal reports whether a request comes from this machine for itself: not by
// way of a proxy here, and not under a name that was made to point here.
func IsLocal(c *fiber.Ctx) bool {
	for _, header := range []string{fiber.HeaderXForwardedFor, fiber.HeaderForwarded, "X-Real-IP", fiber.HeaderVia} {
		if c.Get(header) != "" {
			return false
		}
	}
	host := c.Hostname()
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return c.Context().RemoteIP().IsLoopback() && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// SameToken compares tokens in a time that reveals nothing of either.
func SameToken(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
