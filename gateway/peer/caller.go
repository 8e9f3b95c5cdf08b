package peer

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Bearer returns the bearer token of a request, or an empty string if the request has no token.
func Bearer(c *fiber.Ctx) string {
	scheme, token, _ := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// IsLocal reports whether a request comes directly from this machine. It returns false for a
// request through a proxy. It also returns false if the host name is neither localhost nor a
// loopback address, because another name may point here by DNS rebinding.
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

// SameToken compares tokens in constant time.
func SameToken(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
