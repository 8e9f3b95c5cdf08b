//go:build system

package hosted_test

import (
	"os"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/system/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }

// token is what `windie token create --json` prints.
type token struct {
	InstallID    string `json:"install_id"`
	UserID       string `json:"user_id"`
	InstallToken string `json:"install_token"`
}

// command runs a command, which must not fail, and says when it returned.
func command(t *testing.T, variables []string, args ...string) (out []byte, returned time.Time) {
	t.Helper()
	cmd := rig.Command(t.Context(), append([]string{"WINDIE_MODE=hosted"}, variables...), args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out, time.Now()
}
