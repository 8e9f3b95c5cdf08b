package sdk_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// TestInstall checks that a registered client can use the gateway, uploads included, until its
// token is revoked. Its requests for another user must be refused.
func TestInstall(t *testing.T) {
	t.Parallel()
	ids := gatewaytest.Identity(t)
	url := gatewaytest.Start(t, gateway.App{Identity: ids, Hosted: true})
	stranger := clientOf(t, url)
	if _, err := stranger.Tools.List(t.Context()); !errors.Is(err, &sdkapi.Error{Code: sdkapi.AuthRequired}) {
		t.Errorf("without a token: %v", err)
	}
	if _, err := stranger.Health(t.Context()); err != nil {
		t.Errorf("health without a token: %v", err)
	}
	me, err := stranger.Install.Register(t.Context(), "Windows")
	if err != nil || !me.Success {
		t.Fatalf("%+v, %v", me, err)
	}
	client := clientOf(t, url, sdk.WithToken(me.InstallToken), sdk.WithUser(me.UserID))
	if _, err := client.Tools.List(t.Context()); err != nil {
		t.Error(err)
	}
	stored, err := client.UploadArtifact(t.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.StatArtifact(t.Context(), stored.ArtifactID); err != nil {
		t.Error(err)
	}
	another := clientOf(t, url, sdk.WithToken(me.InstallToken), sdk.WithUser("ada"))
	if _, err := another.Tools.List(t.Context()); !errors.Is(err, &sdkapi.Error{Code: sdkapi.PermissionDenied}) {
		t.Errorf("for another user: %v", err)
	}
	if err := ids.Revoke(t.Context(), me.InstallID); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Tools.List(t.Context()); !errors.Is(err, &sdkapi.Error{Code: sdkapi.AuthRequired}) {
		t.Errorf("once it is revoked: %v", err)
	}
}
