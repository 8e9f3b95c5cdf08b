package health

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// maxRegistration is the maximum size of a registration's body, in bytes.
const maxRegistration = 4 << 10

// addInstall registers the route by which a client gets a token.
func (s *door) addInstall() {
	gateway.Register(s.core, huma.Operation{
		OperationID: "register-install", Method: http.MethodPost, Path: sdkapi.InstallRegisterPath, Tags: []string{"install"},
		Summary: "Register a client",
		Description: "Creates a user with a token. The response shows the token once: send it as `Authorization: Bearer` with each request. A local " +
			"gateway requires no token, but also accepts registrations.",
		MaxBodyBytes: maxRegistration + 1, BodyReadTimeout: -1, // see gateway.Post
		Errors: []int{400, 408, 413, 415, 422, 503, 507},
	}, s.registerInstall)
}

// registration is the response to a registration. It contains a token, so caches must not store it.
type registration struct {
	CacheControl string `header:"Cache-Control"`
	Body         sdkapi.InstallRegistration
}

// registerInstall creates a user with an install. Nobody needs to be signed in.
func (s *door) registerInstall(ctx context.Context, in *gateway.Body[sdkapi.InstallRequest]) (*registration, error) {
	install, token, err := s.identity.Register(ctx, in.Body.OperatingSystem)
	if err != nil {
		return nil, err
	}
	return &registration{CacheControl: "no-store", Body: sdkapi.InstallRegistration{
		Success: true, UserID: install.User, InstallID: install.ID, InstallToken: token,
	}}, nil
}
