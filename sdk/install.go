package sdk

import (
	"context"

	"github.com/windieos/windie/sdkapi"
)

// WithToken has a Client bring a token, which a hosted gateway asks for: that of
// an install, as Register gives it, or the operator's.
func WithToken(token string) Option { return WithHeader("Authorization", "Bearer "+token) }

// Install holds the routes by which a client program becomes known.
type Install struct{ client *Client }

// Register makes a user, and an install of theirs with a token. It is for a
// program that has none yet: it keeps the answer, and from then on calls with
// WithToken and, for Tools, WithUser. operatingSystem is for lists that people
// read. A registration that fails may still have made a user, who has no use.
func (i *Install) Register(ctx context.Context, operatingSystem string) (*sdkapi.InstallRegistration, error) {
	return post[sdkapi.InstallRegistration](ctx, i.client, sdkapi.InstallRegisterPath, sdkapi.InstallRequest{OperatingSystem: operatingSystem})
}

// SocketTicket returns a ticket that opens one WebSocket of a hosted gateway, at path, in place of the token: for a
// page, which cannot send headers with a WebSocket.
func (i *Install) SocketTicket(ctx context.Context, path string) (*sdkapi.SocketTicket, error) {
	return post[sdkapi.SocketTicket](ctx, i.client, sdkapi.SocketTicketsPath, sdkapi.SocketTicketRequest{Path: path})
}
