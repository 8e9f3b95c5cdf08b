package peer

import (
	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// Install returns the install that sends a request. The token of the request identifies the
// install. A WebSocket without a token uses the ticket in the query. Install fails with
// AUTH_REQUIRED if neither the token nor the ticket is valid.
func (d Door) Install(c *fiber.Ctx, token string) (identity.Install, error) {
	if ticket := c.Query(sdkapi.TicketParam); ticket != "" && c.Get(fiber.HeaderAuthorization) == "" && websocket.FastHTTPIsWebSocketUpgrade(c.Context()) {
		install, err := d.Identity.UseTicket(c.UserContext(), ticket, c.Path())
		if fault.CodeOf(err) == sdkapi.AuthRequired {
			err = fault.At(err, "query."+sdkapi.TicketParam, "expected an unused ticket from POST "+sdkapi.SocketTicketsPath)
		}
		return install, err
	}
	install, err := d.Identity.Authenticate(c.UserContext(), token)
	if fault.CodeOf(err) == sdkapi.AuthRequired {
		err = fault.At(err, "header.Authorization", "expected Bearer and the token from registration")
	}
	return install, err
}
