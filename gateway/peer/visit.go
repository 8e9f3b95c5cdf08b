package peer

import (
	"net"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// A browser at the console authenticates with a cookie. A browser sends cookies with requests of
// any page, so the cookie counts only together with the console's own header. A page of another
// origin needs the gateway's permission to send that header, and the gateway refuses it.

// Door authenticates the clients of a gateway. It recognizes installs by their tokens, and browsers
// at the console by their visit cookies. A visit is a browser's sign-in. There is a secret for each
// kind of visit. When the secret changes, the cookies of this kind become invalid.
type Door struct {
	Identity *identity.Identity // the users and their tokens; nil if nobody can sign in
	// Person is the secret for visits by a sign-in link: the approval key. If it is empty, sign-in
	// links are disabled.
	Person string
	// Operator is the secret for visits of operators: the operator token. If it is empty, these
	// visits are disabled.
	Operator string
	// OpenID is the secret for visits that begin with a sign-in by OpenID: the result of
	// openid.Provider.Proof, a hash of the OpenID settings. If OpenID is empty, sign-in by OpenID
	// is disabled.
	OpenID string
}

// Secret returns the secret for a kind of visit, for example identity.VisitOperator. It is empty if
// nobody can sign in that way.
func (d Door) Secret(kind string) string {
	return map[string]string{
		identity.VisitPerson: d.Person, identity.VisitOperator: d.Operator,
		identity.VisitOpenIDOperator: d.OpenID, identity.VisitOpenIDUser: d.OpenID,
	}[kind]
}

// Recognize returns the visit of the browser that sends a request, or nil if the request has no
// valid visit cookie. An invalid cookie is not an error.
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

// VisitCookie returns the name of the visit cookie. It includes the port, because browsers share
// cookies between the ports of a host.
func VisitCookie(c *fiber.Ctx) string {
	if _, port, err := net.SplitHostPort(c.Hostname()); err == nil && port != "" {
		return "windie_console_" + port
	}
	return "windie_console"
}

// VisitPath returns the Path attribute of the visit cookie: the path of the gateway's base URL,
// with a slash at the end.
func VisitPath(base string) string {
	at, err := url.Parse(base)
	if err != nil {
		return "/"
	}
	return strings.TrimSuffix(at.Path, "/") + "/"
}

// IsVisit reports whether v is a visit of the given kind. It returns false if v is nil.
func IsVisit(v *identity.Visit, kind string) bool { return v != nil && v.Kind == kind }
