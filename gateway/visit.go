package gateway

import (
	"net"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/identity"
	"github.com/windieos/windie/sdkapi"
)

// A browser at the console shows by a cookie who its person is. A cookie goes with each request
// that any page makes a browser send, so it counts only beside the console's own header: a page
// of another origin has to ask before it may send that, and checkOrigin says no.

// VisitCookie returns the name of the cookie. Browsers share cookies between ports of a host, so
// the name has the port.
func VisitCookie(c *fiber.Ctx) string {
	if _, port, err := net.SplitHostPort(c.Hostname()); err == nil && port != "" {
		return "windie_console_" + port
	}
	return "windie_console"
}

// VisitPath returns the path of the cookie, and of the gateway as its clients see it, with a slash
// at its end.
func (r *Request) VisitPath() string {
	base, err := url.Parse(r.Base)
	if err != nil {
		return "/"
	}
	return strings.TrimSuffix(base.Path, "/") + "/"
}

// recognizeVisitor notes who a request comes from if it comes from the console. A cookie that lets
// nobody in is as none: the route says what it asks for.
func (s *Server) recognizeVisitor(c *fiber.Ctx, r *Request) error {
	cookie := c.Cookies(VisitCookie(c))
	if s.Config.Identity == nil || cookie == "" || c.Get(sdkapi.ConsoleHeader) == "" || c.Get(fiber.HeaderAuthorization) != "" {
		return nil
	}
	visit, err := s.Config.Identity.FindVisit(c.UserContext(), cookie, s.VisitSecret)
	r.Visit = visit
	return err
}

// VisitSecret returns the secret that lets in visitors of a kind; empty for none.
func (s *Server) VisitSecret(kind string) string {
	switch {
	case kind == identity.VisitPerson && !s.Config.Hosted:
		return s.Config.ApprovalKey
	case kind == identity.VisitOperator:
		return s.Config.OperatorToken
	}
	return ""
}

// visits reports whether the request comes from a visitor of a kind.
func (r *Request) visits(kind string) bool { return r.Visit != nil && r.Visit.Kind == kind }

// IsOperatorToken reports whether a token is the operator's.
func (s *Server) IsOperatorToken(token string) bool {
	return s.Config.OperatorToken != "" && sameToken(token, s.Config.OperatorToken)
}
