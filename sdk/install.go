package sdk

import (
	"context"

	"github.com/windieos/windie/sdkapi"
)

// WithToken adds a token to every request. A hosted gateway requires a token: the token that
// Register returned for an install, or the operator's token.
func WithToken(token string) Option { return WithHeader("Authorization", "Bearer "+token) }

// Install holds the routes that register a client program.
type Install struct{ client *Client }

// Register creates a user, and an install with a token for this user. Call Register in a program
// that has no token, store the result, and then use WithToken and, for Tools, WithUser. People see
// operatingSystem in lists of installs. If Register fails, it may leave an unused user.
func (i *Install) Register(ctx context.Context, operatingSystem string) (*sdkapi.InstallRegistration, error) {
	return post[sdkapi.InstallRegistration](ctx, i.client, sdkapi.InstallRegisterPath, sdkapi.InstallRequest{OperatingSystem: operatingSystem})
}

// SocketTicket returns a ticket for a hosted gateway. The ticket opens one WebSocket at path,
// without the token. Web pages need tickets, because they cannot send headers with a WebSocket.
func (i *Install) SocketTicket(ctx context.Context, path string) (*sdkapi.SocketTicket, error) {
	return post[sdkapi.SocketTicket](ctx, i.client, sdkapi.SocketTicketsPath, sdkapi.SocketTicketRequest{Path: path})
}
