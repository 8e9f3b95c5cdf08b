package sdk

import (
	"context"

	"github.com/windieos/windie/sdkapi"
)

// WithToken has a Client bring a token, which a hosted gateway asks for: that of
// an install, as Register gives it, or the operator's.
func WithToken(token string) Option { return WithHeader("Authorization", "Bearer "+token) }

// Install holds the route by which a client program becomes known.
type Install struct{ client *Client }

// Register makes a user, and an install of theirs with a token. It is for a
// program that has none yet: it keeps the answer, and from then on calls with
// WithToken and, for Tools, WithUser. operatingSystem is for lists that people
// read. A registration that fails may still have made a user, who has no use.
func (i *Install) Register(ctx context.Context, operatingSystem string) (*sdkapi.InstallRegistration, error) {
	return post[sdkapi.InstallRegistration](ctx, i.client, sdkapi.InstallRegisterPath, sdkapi.InstallRequest{OperatingSystem: operatingSystem})
}
