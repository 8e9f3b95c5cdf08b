package peer

import (
	"net"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// A browser at the console shows by a cookie who its person is. A cookie goes with each request
// that any page makes a browser send, so it counts only beside the console's own header: a page of
// another origin has to ask before it may send that, and the gateway says no.

// Door knows which visits there are, and what lets visitors in.
type Door struct {
	Identity *identity.Identity // if nil, nobody is let in
	Person   string             // what a link stands for: the approval key; if empty, no link counts
	Operator string             // the operator's token; likewise
	OpenID   string             // the proof of what lets a provider's people in; likewise
}

// Secret returns what lets in visitors of a kind; empty if nothing does.
func (d Door) Secret(kind string) string {
	return map[string]string{
		identity.VisitPerson: d.Person, identity.VisitOperator: d.Operator,
		identity.VisitOpenIDOperator: d.OpenID, identity.VisitOpenIDUser: d.OpenID,
	}[kind]
}

// Recognize returns the visit that a request belongs to, nil if there is none. A cookie that lets
// nobody in is as no cookie: the route says what it asks for.
func (d Door) Recognize(c *fiber.Ctx) (*identity.Visit, error) {
	if d.Identity == nil || c.Get(sdkapi.ConsoleHeader) == "" || c.Get(fiber.HeaderAuthorization) != "" {
		return nil, nil
	}
	cookie := c.Cookies(VisitCookie(c))
	if cookie == "" {
		return nil, nil
	}
	return d.Identity.FindVisit(c.UserContext(), cookie, d.Secret)
}

// VisitCookie returns the name of the cookie. Browsers share cookies between ports of a host, so the
// name has the port.
func VisitCookie(c *fiber.Ctx) string {
	if _, port, err := net.SplitHostPort(c.Hostname()); err == nil && port != "" {
		return "windie_console_" + port
	}
	return "windie_console"
}

// VisitPath returns the path of the cookie, with a slash at its end: that of the gateway as its clients
// see it, by the start of its URLs.
func VisitPath(base string) string {
	at, err := url.Parse(base)
	if err != nil {
		return "/"
	}
	return strings.TrimSuffix(at.Path, "/") + "/"
}

// IsVisit reports whether v is there, and of a kind.
func IsVisit(v *identity.Visit, kind string) bool { return v != nil && v.Kind == kind }
