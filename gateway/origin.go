package gateway

import (
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// allowedHeaders are those that web pages may send.
const allowedHeaders = "Authorization, Content-Type, Range, X-Request-ID, Last-Event-ID, Mcp-Name, " +
	sdkapi.UserHeader + ", " + sdkapi.MCPSessionHeader + ", " + sdkapi.MCPVersionHeader + ", " + sdkapi.MCPMethodHeader

// checkOrigin refuses requests made by web pages of other sites. Without it
// any page a person visits could upload to, and read from, a gateway on that
// person's own machine. Programs send no Origin and are not concerned.
func (s *Server) checkOrigin(c *fiber.Ctx) error {
	origin := c.Get(fiber.HeaderOrigin)
	if origin == "" {
		return c.Next()
	}
	c.Vary(fiber.HeaderOrigin)
	if !s.sameSite(origin, c.Hostname()) && !slices.Contains(s.cfg.AllowedOrigins, origin) {
		return fault.New("gateway.origin", sdkapi.OriginRefused,
			"web pages of %s may not use this gateway; list the origin in WINDIE_ALLOWED_ORIGINS to allow it", origin).
			At("header.Origin", "expected this gateway's own origin or an allowed one")
	}
	c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
	c.Set(fiber.HeaderAccessControlExposeHeaders, "ETag, X-Request-ID, Content-Range, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "+sdkapi.MCPSessionHeader)
	if c.Method() == http.MethodOptions && c.Get(fiber.HeaderAccessControlRequestMethod) != "" {
		c.Set(fiber.HeaderAccessControlAllowMethods, "GET, HEAD, POST, PUT, DELETE")
		c.Set(fiber.HeaderAccessControlAllowHeaders, allowedHeaders)
		c.Set(fiber.HeaderAccessControlMaxAge, "600")
		return c.SendStatus(http.StatusNoContent)
	}
	return c.Next()
}

// sameSite reports whether origin is the gateway itself, reached as host. A
// name that is neither an address, nor localhost, nor the public URL's may be
// a foreign one made to point here (DNS rebinding), so being equal to the
// Host header is not enough.
func (s *Server) sameSite(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	if public, err := url.Parse(s.cfg.PublicURL); err == nil && public.Host != "" && public.Host == u.Host {
		return true
	}
	name := u.Hostname()
	return u.Host == host && (name == "localhost" || net.ParseIP(name) != nil)
}
