package gateway

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// allowedHeaders are those that web pages may send.
const allowedHeaders = "Authorization, Content-Type, Range, X-Request-ID, Last-Event-ID, Mcp-Name, " +
	sdkapi.UserHeader + ", " + sdkapi.KeyHeader + ", " + sdkapi.MCPSessionHeader + ", " + sdkapi.MCPVersionHeader + ", " + sdkapi.MCPMethodHeader

// checkOrigin refuses requests made by web pages of other sites. Without it
// any page a person visits could upload to, and read from, a gateway on that
// person's own machine. Programs send no Origin and are not concerned.
func (s *Server) checkOrigin(c *fiber.Ctx) error {
	origin := c.Get(fiber.HeaderOrigin)
	if origin == "" {
		if err := s.checkHost(c); err != nil {
			return err
		}
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

// checkHost refuses what a browser may have been made to ask under a name that
// points here, which it takes for the page's own site and sends without an
// Origin. It is for routes that tell of a user without being told whose data is
// meant. Hosted gateways ask for a token, which a browser does not add.
func (s *Server) checkHost(c *fiber.Ctx) error {
	if s.cfg.Hosted || len(c.Path()) < len(v1Prefix) || !strings.EqualFold(c.Path()[:len(v1Prefix)], v1Prefix) {
		return nil
	}
	host := c.Hostname()
	name := (&url.URL{Host: host}).Hostname()
	if !strings.Contains(name, ".") || net.ParseIP(name) != nil { // localhost, or a name that no other network gives out
		return nil
	}
	for _, known := range append([]string{s.cfg.PublicURL}, s.cfg.AllowedOrigins...) {
		if u, err := url.Parse(known); err == nil && u.Host == host {
			return nil
		}
	}
	return fault.New("gateway.origin", sdkapi.OriginRefused,
		"this gateway does not know that it is called %s; say so in WINDIE_PUBLIC_URL, or ask 127.0.0.1", truncate(host, 100)).
		At("header.Host", "expected this gateway's own address")
}

// v1Prefix begins the routes of the general agent service.
const v1Prefix = "/v1/"

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
