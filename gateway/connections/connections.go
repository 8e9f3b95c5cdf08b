package connections

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/upstream"
)

// list returns the servers that users sign in to, with the user's connections.
func (d *door) list(c *fiber.Ctx) error {
	by, err := d.visitor(c)
	if err != nil {
		return err
	}
	all, err := d.store.List(c.UserContext(), by.User)
	if err != nil {
		return err
	}
	out := sdkapi.ConsoleConnections{Connections: make([]sdkapi.ConsoleConnection, len(all))}
	for i, one := range all {
		out.Connections[i] = sdkapi.ConsoleConnection{Server: one.Server, Host: one.Host, Issuer: one.Issuer, State: string(one.State), Scopes: one.Scopes}
		if !one.Created.IsZero() {
			out.Connections[i].CreatedAt = &one.Created
		}
	}
	return c.JSON(out)
}

// end disconnects the user from a server.
func (d *door) end(c *fiber.Ctx) error {
	by, err := d.visitor(c)
	if err != nil {
		return err
	}
	server := strings.Clone(c.Params("server"))
	err = d.store.Disconnect(c.UserContext(), by.User, server)
	if d.servers != nil {
		d.servers.Disconnected(server, by.User)
	}
	if err != nil {
		return err
	}
	d.core.Log.InfoContext(c.UserContext(), "a user disconnected from an MCP server", slog.String("user", by.User), slog.String("mcp_server", server))
	return c.SendStatus(http.StatusNoContent)
}

// describe describes the gateway as a client, for issuers that load such documents.
func (d *door) describe(c *fiber.Ctx) error {
	if !strings.HasPrefix(d.public, "https://") {
		return fault.New("gateway.connections", sdkapi.NotFound, "this gateway has no public HTTPS URL")
	}
	c.Set(fiber.HeaderCacheControl, "no-cache")
	return c.JSON(sdkapi.OAuthClient{
		ClientID: d.public + sdkapi.ConnectionClientPath, ClientName: "Windie", ClientURI: d.public, RedirectURIs: []string{upstream.Redirect(d.public)},
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, AuthMethod: "none",
	})
}
