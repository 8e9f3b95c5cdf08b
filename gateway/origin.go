package gateway

import (
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// allowedHeaders are the request headers that web pages may send.
const allowedHeaders = "Authorization, Content-Type, Range, If-None-Match, If-Range, X-Request-ID, Last-Event-ID, Mcp-Name, " +
	sdkapi.IdempotencyKeyHeader + ", " +
	sdkapi.UserHeader + ", " + sdkapi.KeyHeader + ", " + sdkapi.RunsKeyHeader + ", " + sdkapi.MCPSessionHeader + ", " + sdkapi.MCPVersionHeader + ", " + sdkapi.MCPMethodHeader

// checkOrigin is middleware that refuses requests from web pages of other sites. Otherwise any
// page that a person visits could use a gateway on the person's machine. Programs, which send
// no Origin, pass.
func (s *Server) checkOrigin(c *fiber.Ctx) error {
	origin := RequestOf(c.UserContext()).head.Origin
	if origin == "" {
		if err := s.checkUnnamed(c); err != nil {
			return err
		}
		return c.Next()
	}
	c.Vary(fiber.HeaderOrigin)
	if !s.sameSite(origin, c.Hostname()) && !slices.Contains(s.app.AllowedOrigins, origin) {
		if from := strings.Clone(plain.Cut(origin, 100)); s.strangers.first(from) {
			s.Log.Warn("a web page of another site was refused; to allow it, add its origin to WINDIE_ALLOWED_ORIGINS", slog.String("origin", from))
		}
		return fault.New("gateway.origin", sdkapi.OriginRefused,
			"web pages from %s may not use this gateway; to allow them, add the origin to WINDIE_ALLOWED_ORIGINS", origin).
			At("header.Origin", "expected this gateway's own origin or an allowed one")
	}
	c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
	c.Set(fiber.HeaderAccessControlExposeHeaders, "ETag, X-Request-ID, Content-Range, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "+sdkapi.ReplayedHeader+", "+sdkapi.MCPSessionHeader)
	if c.Method() == http.MethodOptions && c.Get(fiber.HeaderAccessControlRequestMethod) != "" {
		c.Set(fiber.HeaderAccessControlAllowMethods, "GET, HEAD, POST, PUT, DELETE")
		c.Set(fiber.HeaderAccessControlAllowHeaders, allowedHeaders)
		c.Set(fiber.HeaderAccessControlMaxAge, "600")
		return c.SendStatus(http.StatusNoContent)
	}
	return c.Next()
}

// maxStrangers is the maximum number of origins that a gateway logs.
const maxStrangers = 100

// strangers are the origins of refused pages. A browser shows its user neither the status nor the body
// of a refusal, so the log names the setting, once for each origin. The zero value has none.
type strangers struct {
	mu   sync.Mutex
	seen map[string]bool
}

// first reports whether this is the first refusal of an origin. Beyond maxStrangers it reports false.
func (s *strangers) first(origin string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[origin] || len(s.seen) >= maxStrangers {
		return false
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[origin] = true
	return true
}

// checkUnnamed refuses requests without an Origin that a browser sends for a page of another
// site. Hosted gateways skip the check: they require a token, which a browser does not add.
// Health checks may use any host name.
func (s *Server) checkUnnamed(c *fiber.Ctx) error {
	if s.app.Hosted || asksOf(c.Method(), c.Path()) == asksNobody {
		return nil
	}
	if !s.named.Allowed(c) {
		if err := s.checkHost(c.Hostname()); err != nil {
			return err
		}
		s.named.Allow(c)
	}
	return s.checkSite(c)
}

// checkHost refuses requests whose Host is another site's name that resolves to this gateway
// (DNS rebinding). A browser would treat the gateway as part of that site.
func (s *Server) checkHost(host string) error {
	name := (&url.URL{Host: host}).Hostname()
	if !strings.Contains(name, ".") || net.ParseIP(name) != nil { // localhost, or a name that public DNS cannot resolve
		return nil
	}
	for _, known := range append([]string{s.app.PublicURL}, s.app.AllowedOrigins...) {
		if u, err := url.Parse(known); err == nil && strings.EqualFold(u.Host, host) {
			return nil
		}
	}
	return fault.New("gateway.origin", sdkapi.OriginRefused,
		"the request's Host %s is not an address of this gateway; set WINDIE_PUBLIC_URL to it, or connect to 127.0.0.1", plain.Cut(host, 100)).
		At("header.Host", "expected this gateway's own address")
}

// checkSite refuses requests that a browser sends without an Origin for a page of another site,
// for example to load an image. It reads the headers in which browsers name the site, and often
// the page. A person may follow a link to the pages of isForPeople.
func (s *Server) checkSite(c *fiber.Ctx) error {
	site := RequestOf(c.UserContext()).head.Site
	if site != "cross-site" && site != "same-site" { // sent by the gateway's own pages, by the person or by a program
		return nil
	}
	follows := c.Method() == http.MethodGet && c.Get("Sec-Fetch-Mode") == "navigate" && c.Get("Sec-Fetch-Dest") == "document"
	if follows && isForPeople(c.Path()) {
		return nil
	}
	if from, err := url.Parse(c.Get(fiber.HeaderReferer)); err == nil && slices.Contains(s.app.AllowedOrigins, from.Scheme+"://"+from.Host) {
		return nil
	}
	return fault.New("gateway.origin", sdkapi.OriginRefused,
		"web pages from other sites may not use this gateway; to allow them, add the origin to WINDIE_ALLOWED_ORIGINS, and let the page send a Referer").
		At("header.Sec-Fetch-Site", "expected same-origin or none")
}

// isForPeople reports whether links on other sites may lead to a path: the console, the docs,
// artifacts and other paths without a token.
func isForPeople(path string) bool {
	return asksOf(http.MethodGet, path) == asksNothing || strings.HasPrefix(strings.ToLower(path), sdkapi.ArtifactsPath)
}

// sameSite reports whether origin is the gateway itself, reached as host. Equality with the
// Host header is not enough: unless it is an address, localhost or the public URL's host, the
// name may belong to another site and resolve to this gateway (DNS rebinding).
func (s *Server) sameSite(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	if public, err := url.Parse(s.app.PublicURL); err == nil && public.Host != "" && public.Host == u.Host {
		return true
	}
	name := u.Hostname()
	return u.Host == host && (name == "localhost" || net.ParseIP(name) != nil)
}
