//go:build system

package guides_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/conformance"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
)

// The command holds a client to the dialogues that a gateway of its own answers, and prints what came of them.
func TestConformanceCommand(t *testing.T) {
	t.Parallel()
	driver, command := built(t, "./sdk/driver"), built(t, "./cmd/conformance")
	t.Run("table", func(t *testing.T) {
		t.Parallel()
		code, stdout, stderr := ran(t, command, "-only", "prompt-*", driver)
		if code != 0 || !strings.Contains(stdout, "dialogue prompt-stream") {
			t.Errorf("%d\n%s%s", code, stdout, stderr)
		}
	})
	t.Run("json", func(t *testing.T) {
		t.Parallel()
		code, stdout, stderr := ran(t, command, "-only", "503-*", "-json", driver, "--", driver)
		var report conformance.Report
		if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 || len(report.Cases) != 4 {
			t.Errorf("%d %v\n%s%s", code, err, stdout, stderr)
		}
	})
	t.Run("no driver", func(t *testing.T) {
		t.Parallel()
		if code, _, stderr := ran(t, command, "-only", "503-*", "echo"); code != rig.ExitFailed || !strings.Contains(stderr, "driver") {
			t.Errorf("%d %s", code, stderr)
		}
	})
}

// built returns a program of the package.
func built(t *testing.T, folder string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), filepath.Base(folder))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", file, folder)
	build.Dir = testkit.RepoRoot(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// ran runs a program to its end.
func ran(t *testing.T, program string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}
