// Package tickets is the protocol by which a page gets the ticket that opens one WebSocket of a hosted gateway: a
// page cannot send its token with a WebSocket.
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

// maxTicketBody bounds a request for a ticket, in bytes.
const maxTicketBody = 4 << 10

// Parts returns the part that gives tickets, where users have tokens.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Identity == nil {
		return nil
	}
	d := &door{core: core, identity: app.Identity}
	return []gateway.Part{gateway.PartOf("", d.add)}
}

// door is the protocol at a gateway.
type door struct {
	core     *gateway.Server
	identity *identity.Identity
}

func (s *door) add() {
	gateway.Register(s.core, huma.Operation{
		OperationID: "socket-ticket", Method: http.MethodPost, Path: sdkapi.SocketTicketsPath, Tags: []string{"install"},
		Summary: "Get a ticket for a WebSocket",
		Description: "A page cannot send headers with a WebSocket. It asks here with its token, and opens the socket at `path` with the parameter `ticket` in " +
			"place of the token. A ticket opens one socket, at that path, within 30 seconds; the socket is the token's, and ends with it. " +
			"A gateway in local mode asks for no token; it gives tickets all the same, and does not look at them.",
		MaxBodyBytes: maxTicketBody + 1, BodyReadTimeout: -1, // as in gateway.Post
		Errors: []int{400, 408, 413, 415, 422, 503, 507},
	}, s.give)
}

// given is the answer with a ticket: a secret, which no cache may keep.
type given struct {
	CacheControl string `header:"Cache-Control"`
	Body         sdkapi.SocketTicket
}

func (s *door) give(ctx context.Context, in *gateway.Body[sdkapi.SocketTicketRequest]) (*given, error) {
	path := in.Body.Path
	if !slices.ContainsFunc(s.core.Sockets.Paths, func(known string) bool { return fiber.RoutePatternMatch(path, known) }) {
		return nil, fault.New("gateway.tickets", sdkapi.ValidationError, "there is no WebSocket at this path; give its path on the gateway, without host and query").
			At("body.path", "expected the path of a WebSocket, for example %s", sdkapi.WSPath)
	}
	r := gateway.RequestOf(ctx)
	ticket, expires, err := s.identity.MakeTicket(ctx, r.Owner, r.Install, path)
	if err != nil {
		return nil, err
	}
	return &given{CacheControl: "no-store", Body: sdkapi.SocketTicket{Ticket: ticket, Path: path, ExpiresIn: sdkapi.SocketTicketSeconds, ExpiresAt: expires}}, nil
}
