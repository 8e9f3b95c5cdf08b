package oauth

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// list returns the clients that the user has connected.
func (d *door) list(c *fiber.Ctx) error {
	grants, err := d.store.Grants(c.UserContext(), gateway.RequestOf(c.UserContext()).Visit.User)
	if err != nil {
		return err
	}
	out := sdkapi.ConsoleClients{Clients: make([]sdkapi.ConsoleClient, len(grants))}
	for i, g := range grants {
		out.Clients[i] = wire(g)
	}
	return c.JSON(out)
}

// wire returns a grant in the form of the routes.
func wire(g oauth.Grant) sdkapi.ConsoleClient {
	out := sdkapi.ConsoleClient{
		ID: g.Install, Client: g.Client, ClientHost: oauth.Client{ID: g.ClientID}.Host(), Scopes: g.Scopes, CreatedAt: g.Created, ExpiresAt: g.Expires,
	}
	out.RedirectHost, out.RedirectApp = oauth.Target(g.Redirect)
	if !g.Seen.IsZero() {
		out.SeenAt = &g.Seen
	}
	return out
}

// end disconnects a client of the user.
func (d *door) end(c *fiber.Ctx) error {
	if err := d.store.End(c.UserContext(), c.Params("id"), gateway.RequestOf(c.UserContext()).Visit.User); err != nil {
		return err
	}
	return c.SendStatus(http.StatusNoContent)
}
