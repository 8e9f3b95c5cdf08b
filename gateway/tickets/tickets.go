// Package tickets serves tickets for WebSockets of a hosted gateway. A web page cannot send its
// token with a WebSocket. It exchanges the token for a ticket, which opens one WebSocket.
//
//	POST /api/socket-tickets {"path":"/ws"}   → {"ticket":"ZKX4…"}
//	GET  /ws?ticket=ZKX4…                     a WebSocket, once, within 30 seconds
package tickets

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// maxTicketBody is the maximum size of a ticket request, in bytes.
const maxTicketBody = 4 << 10

// Parts returns the part that issues tickets, or no part if app.Identity is nil.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Identity == nil {
		return nil
	}
	d := &door{core: core, identity: app.Identity}
	return []gateway.Part{gateway.PartOf("", d.add)}
}

// door holds the services that the handlers of this package use.
type door struct {
	core     *gateway.Server
	identity *identity.Identity
}

// add adds the route that issues tickets.
func (s *door) add() {
	gateway.Register(s.core, huma.Operation{
		OperationID: "socket-ticket", Method: http.MethodPost, Path: sdkapi.SocketTicketsPath, Tags: []string{"install"},
		Summary: "Create a WebSocket ticket",
		Description: "A web page cannot send headers with a WebSocket. Instead, it sends its token here to get a ticket. It opens the socket at `path` with the " +
			"parameter `ticket`. A ticket opens one socket, within 30 seconds. The socket ends when the token is revoked. A local gateway " +
			"requires no token: it returns tickets, but does not check them.",
		MaxBodyBytes: maxTicketBody + 1, BodyReadTimeout: -1, // see gateway.Post
		Errors: []int{400, 408, 413, 415, 422, 503, 507},
	}, s.give)
}

// given is the response with a ticket. A ticket is a secret, so caches must not store the response.
type given struct {
	CacheControl string `header:"Cache-Control"`
	Body         sdkapi.SocketTicket
}

// give issues a ticket for the user of the request. It fails if no WebSocket is at the path in the body.
func (s *door) give(ctx context.Context, in *gateway.Body[sdkapi.SocketTicketRequest]) (*given, error) {
	path := in.Body.Path
	if !slices.ContainsFunc(s.core.Sockets.Paths, func(known string) bool { return fiber.RoutePatternMatch(path, known) }) {
		return nil, fault.New("gateway.tickets", sdkapi.ValidationError, "there is no WebSocket at this path; give the path of a WebSocket on the gateway, without host and query").
			At("body.path", "expected the path of a WebSocket, for example %s", sdkapi.WSPath)
	}
	r := gateway.RequestOf(ctx)
	ticket, expires, err := s.identity.MakeTicket(ctx, r.Owner, r.Install, path)
	if err != nil {
		return nil, err
	}
	return &given{CacheControl: "no-store", Body: sdkapi.SocketTicket{Ticket: ticket, Path: path, ExpiresIn: sdkapi.SocketTicketSeconds, ExpiresAt: expires}}, nil
}
