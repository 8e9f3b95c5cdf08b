package health_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A gateway whose database is away refuses a registration. The answer has no token.
func TestRegistrationWithoutDatabase(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	cfg := doorstest.Working()
	cfg.Identity = identity.Open(db)
	gateway := gatewaytest.Start(t, cfg)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = doorstest.Asks(t.Context(), http.MethodPost, gateway+sdkapi.InstallRegisterPath, `{"operating_system":"Windows"}`)
	if err == nil || !strings.HasPrefix(err.Error(), "503 ") || !strings.Contains(err.Error(), string(sdkapi.StateUnavailable)) || strings.Contains(err.Error(), "install_token") {
		t.Errorf("the answer is %v", err)
	}
}
