// Package connections lets users sign in to the MCP servers of others, in the console.
//
//	GET    /console/connections            the servers, with the user's connections
//	POST   /console/connections/tickets    begins a sign-in: the browser goes to the server's issuer
//	GET    /oauth/callback                 leads the browser back to the console
//	POST   /console/connections            the console completes the sign-in
//	DELETE /console/connections/tickets    disconnects, and revokes the tokens
//	GET    /oauth/client-metadata.json     describes the gateway to issuers
//
// The callback itself decides nothing: the issuer's site sends the browser there, so the request has no
// cookie of the console. Only the console's page, in the browser that began, completes a sign-in.
package connections

import (
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/upstream"
)

// Limits of requests.
const (
	maxBody  = 16 << 10 // bytes
	maxQuery = 8 << 10  // bytes of the query with which an issuer sends a browser back
)

// door holds what the handlers of this package need.
type door struct {
	core    *gateway.Server
	store   *upstream.Store
	servers *mcptools.Servers
	hosted  bool
	public  string // the gateway's public URL; empty if there is none
}

// Parts returns the part that lets users sign in, or no part if they cannot.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Connections == nil || app.Identity == nil {
		return nil
	}
	d := &door{core: core, store: app.Connections, servers: app.MCPServers, hosted: app.Hosted, public: app.PublicURL}
	return []gateway.Part{gateway.PartOf("connections", d.add)}
}

// add adds the routes.
func (d *door) add() {
	d.core.App.Get(sdkapi.ConsoleConnectionsPath, d.list)
	d.core.App.Post(sdkapi.ConsoleConnectionsPath, d.finish)
	d.core.App.Post(sdkapi.ConsoleConnectionsPath+"/:server", d.begin)
	d.core.App.Delete(sdkapi.ConsoleConnectionsPath+"/:server", d.end)
	d.core.App.Get(sdkapi.ConnectionCallbackPath, d.comeBack)
	d.core.App.Get(sdkapi.ConnectionClientPath, d.describe)
}

// noStore forbids caches to store a response.
func noStore(c *fiber.Ctx) {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
}
