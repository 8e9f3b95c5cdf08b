// Package oauth serves OAuth for MCP clients of a hosted gateway, so that people add the gateway to a
// client by its URL and a browser alone.
//
//	POST /mcp                                     401, where the resource is described
//	GET  /.well-known/oauth-protected-resource    the resource, and its authorization server
//	GET  /.well-known/oauth-authorization-server  the routes below
//	POST /oauth/register                          the client's name and redirect URIs
//	GET  /oauth/authorize                         leads the browser to the console
//	GET  /console/authorize                       what the client asks for; then the person decides
//	POST /console/authorize                       the browser goes to the client, with a code
//	POST /oauth/token                             the code for tokens, and a refresh token for new ones
//	POST /oauth/revoke                            ends the tokens and all that they opened
//
// If another issuer takes the place of the authorization server, only the resource is described.
package oauth

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// door holds what the handlers of this package need.
type door struct {
	core   *gateway.Server
	store  *oauth.Store
	issuer string // URL of the authorization server
	path   string // path of the gateway's public URL; empty at the root
}

// Parts returns the part that serves OAuth, or no part if clients cannot use OAuth.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	d := &door{core: core, store: app.OAuth, path: pathOf(app.PublicURL)}
	switch {
	case !app.Hosted:
		return nil
	case app.Issuer != nil:
		d.issuer = app.Issuer.Issuer()
		return []gateway.Part{gateway.PartOf("", d.addResource)}
	case app.OAuth == nil:
		return nil
	}
	d.issuer = app.OAuth.Issuer
	return []gateway.Part{gateway.PartOf("oauth", d.addResource, d.addServer, d.addConsent, d.addClients)}
}

// pathOf returns the path of the gateway's public URL.
func pathOf(public string) string {
	at, err := url.Parse(public)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(at.Path, "/")
}

// addServer adds the routes of the authorization server.
func (d *door) addServer() {
	d.core.App.Get(sdkapi.OAuthServerPath, d.describeServer)
	if d.path != "" { // RFC 8414, section 3.1
		d.core.App.Get(sdkapi.OAuthServerPath+d.path, d.describeServer)
	}
	d.core.App.Get(sdkapi.OAuthAuthorizePath, d.authorize)
	d.core.App.Post(sdkapi.OAuthRegisterPath, d.asJSON(d.register))
	d.core.App.Post(sdkapi.OAuthTokenPath, d.asJSON(d.token))
	d.core.App.Post(sdkapi.OAuthRevokePath, d.asJSON(d.revoke))
}

// addConsent adds the routes of the console's page for consent.
func (d *door) addConsent() {
	d.core.App.Get(sdkapi.ConsoleConsentPath, person, d.ask)
	d.core.App.Post(sdkapi.ConsoleConsentPath, person, d.decide)
}

// addClients adds the routes of the console's list of connected clients.
func (d *door) addClients() {
	d.core.App.Get(sdkapi.ConsoleClientsPath, person, d.list)
	d.core.App.Delete(sdkapi.ConsoleClientsPath+"/:id", person, d.end)
}

// noStore forbids caches to store a response.
func noStore(c *fiber.Ctx) {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderPragma, "no-cache")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
}
