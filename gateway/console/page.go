package console

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/console/pages"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// policy is the Content-Security-Policy of the page. The page may load only its own files, connect
// only to its own gateway, and not turn text into markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// addPage adds the routes of the page and its files, which need no sign-in.
func (s *door) addPage() {
	s.core.App.Get("/", s.root)
	s.core.App.Get(sdkapi.ConsolePath, s.index)
	s.core.App.Get("/favicon.ico", s.icon)
	s.core.App.Get(sdkapi.ConsolePath+"/:version/:folder/:name", s.file)
}

// root redirects people to the console, and lists the main paths for programs.
func (s *door) root(c *fiber.Ctx) error {
	at := peer.VisitPath(gateway.RequestOf(c.UserContext()).Base)
	c.Vary(fiber.HeaderAccept)
	if c.Accepts(fiber.MIMEApplicationJSON, fiber.MIMETextHTML) == fiber.MIMETextHTML {
		return c.Redirect(at+"console/", http.StatusSeeOther)
	}
	return c.JSON(sdkapi.Root{
		Name: "windie", Version: s.version,
		Console: at + "console/", Docs: at + "docs", OpenAPI: at + "openapi.json", Health: at + sdkapi.HealthPath[1:],
	})
}

// index serves the page. The page has relative links to its files, so its path must end with a
// slash.
func (s *door) index(c *fiber.Ctx) error {
	where, _, _ := strings.Cut(c.OriginalURL(), "?")
	if !strings.HasSuffix(where, "/") {
		return c.Redirect(peer.VisitPath(gateway.RequestOf(c.UserContext()).Base)+"console/", http.StatusPermanentRedirect)
	}
	secure(c)
	c.Set(fiber.HeaderCacheControl, "no-cache")
	c.Set(fiber.HeaderETag, `"`+s.page.Version+`"`)
	if c.Get(fiber.HeaderIfNoneMatch) == `"`+s.page.Version+`"` {
		return c.SendStatus(http.StatusNotModified)
	}
	return send(c, s.page.Index)
}

// file serves a file of the page. The path contains the version, so browsers may cache it for a
// year.
func (s *door) file(c *fiber.Ctx) error {
	name := c.Params("folder") + "/" + c.Params("name")
	f, there := s.page.Files[name]
	if !there || c.Params("version") != s.page.Version {
		return fault.New("gateway.console", sdkapi.NotFound, "the console has no file %s: reload the page", plain.Cut(name, 100))
	}
	secure(c)
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	return send(c, f)
}

// icon serves the icon that browsers request for every page of the site.
func (s *door) icon(c *fiber.Ctx) error {
	secure(c)
	c.Set(fiber.HeaderCacheControl, "public, max-age=86400")
	return send(c, s.page.Files["app/icon.svg"])
}

// secure sets the security headers of the page. They let the page load only its own files.
func secure(c *fiber.Ctx) {
	c.Set(fiber.HeaderContentSecurityPolicy, policy)
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	c.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// send sends a file, with gzip if the client accepts it.
func send(c *fiber.Ctx, f pages.File) error {
	c.Set(fiber.HeaderContentType, f.Type)
	c.Vary(fiber.HeaderAcceptEncoding)
	// AcceptsEncodings accepts anything if the header is missing.
	if c.Get(fiber.HeaderAcceptEncoding) != "" && c.AcceptsEncodings("gzip") == "gzip" {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(f.Packed)
	}
	return c.Send(f.Plain)
}
