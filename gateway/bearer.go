package gateway

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// MCP clients may send access tokens of OAuth, in place of an install's token. These are valid only at
// the MCP server. A response without a valid one says where the client gets it (RFC 9728).

// offersOAuth reports whether MCP clients can get access tokens.
func (s *Server) offersOAuth() bool {
	return s.app.Hosted && (s.app.OAuth != nil || s.app.Issuer != nil)
}

// atMCP reports whether a request is for the MCP server.
func atMCP(c *fiber.Ctx) bool {
	return strings.TrimRight(strings.ToLower(c.Path()), "/") == sdkapi.MCPPath
}

// takesAccess reports whether a request's token is an access token, and the path takes it.
func (s *Server) takesAccess(c *fiber.Ctx, token string) bool {
	switch {
	case !s.offersOAuth() || !atMCP(c):
		return false
	case s.app.Issuer != nil:
		return token != "" && !strings.HasPrefix(token, "wnd_")
	}
	return strings.HasPrefix(token, oauth.AccessPrefix)
}

// admitClient identifies the user for whom an MCP client acts, and counts the request.
func (s *Server) admitClient(c *fiber.Ctx, r *Request, token string) error {
	access, err := s.accessOf(c, token)
	if err != nil {
		return err
	}
	r.Owner, r.Install, r.Access = access.User, access.Install, &access
	return r.Quota.TakeUserRequest(r.Owner)
}

// accessOf returns what an access token allows.
func (s *Server) accessOf(c *fiber.Ctx, token string) (oauth.Access, error) {
	ctx := c.UserContext()
	if s.app.Issuer == nil {
		return s.app.OAuth.Authenticate(ctx, token)
	}
	said, err := s.app.Issuer.Verify(ctx, token)
	if err != nil {
		return oauth.Access{}, err
	}
	gone, err := s.app.Identity.Revoked(ctx, said.User, "")
	if err == nil && gone {
		err = fault.New("gateway.bearer", sdkapi.AuthRequired, "the access token names a user that this gateway does not have; ask the operator to create the user, or to change the claim")
	}
	return oauth.Access{User: said.User, Scopes: oauth.ParsedScopes(said.Scopes), Expires: said.Expires}, err
}

// challenge adds the WWW-Authenticate header that HTTP requires of responses with status 401.
func (s *Server) challenge(c *fiber.Ctx) {
	if c.Response().StatusCode() != http.StatusUnauthorized {
		return
	}
	if !s.offersOAuth() || !atMCP(c) {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
		return
	}
	failure := ""
	if c.Get(fiber.HeaderAuthorization) != "" {
		failure = "invalid_token"
	}
	s.askForScopes(c, failure, oauth.DefaultScopes())
}

// askForScopes adds a WWW-Authenticate header that names the scopes to request.
func (s *Server) askForScopes(c *fiber.Ctx, failure string, scopes oauth.Scopes) {
	value := "Bearer "
	if failure != "" {
		value += `error="` + failure + `", `
	}
	value += `resource_metadata="` + RequestOf(c.UserContext()).Base + sdkapi.OAuthResourcePath + sdkapi.MCPPath + `", scope="` + scopes.String() + `"`
	c.Set(fiber.HeaderWWWAuthenticate, value)
}

// CheckScopes refuses a request whose access token lacks scopes, and adds the header by which a client
// asks its user for them. Callers without an access token have all scopes.
func (s *Server) CheckScopes(c *fiber.Ctx, needed ...string) error {
	access := RequestOf(c.UserContext()).Access
	err := MissingScopes(access, needed...)
	if err != nil {
		s.askForScopes(c, "insufficient_scope", access.Scopes.With(needed...))
	}
	return err
}

// MissingScopes returns PERMISSION_DENIED if an access token lacks scopes. It returns nil for a nil
// access.
func MissingScopes(access *oauth.Access, needed ...string) error {
	if access == nil || access.Scopes.Has(needed...) {
		return nil
	}
	return fault.New("gateway.bearer", sdkapi.PermissionDenied, "the user has not allowed this client to do this: it needs the scopes %s; connect the client again with them", strings.Join(needed, " "))
}
