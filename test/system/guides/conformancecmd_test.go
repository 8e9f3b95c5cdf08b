//go:build system

package guides_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/conformance"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/test/system/rig"
)

// The command holds a client to the dialogues that a gateway of its own answers, and prints what came of them.
func TestConformanceCommand(t *testing.T) {
	t.Parallel()
	driver := filepath.Join(t.TempDir(), "driver")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", driver, "./sdk/driver")
	build.Dir = testkit.RepoRoot(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Run("table", func(t *testing.T) {
		t.Parallel()
		code, stdout, stderr := rig.Windie(t, nil, "conformance", driver, "--only", "prompt-*")
		if code != 0 || !strings.Contains(stdout, "dialogue prompt-stream") {
			t.Errorf("%d\n%s%s", code, stdout, stderr)
		}
	})
	t.Run("json", func(t *testing.T) {
		t.Parallel()
		code, stdout, stderr := rig.Windie(t, nil, "conformance", "--only", "503-*", "--json", "--", driver, "--", driver)
		var report conformance.Report
		if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 || len(report.Cases) != 4 {
			t.Errorf("%d %v\n%s%s", code, err, stdout, stderr)
		}
	})
	t.Run("no driver", func(t *testing.T) {
		t.Parallel()
		if code, _, stderr := rig.Windie(t, nil, "conformance", "echo", "--only", "503-*"); code != rig.ExitFailed || !strings.Contains(stderr, "driver") {
			t.Errorf("%d %s", code, stderr)
		}
	})
}
