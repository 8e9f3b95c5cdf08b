package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/conformance"
	"github.com/windieos/windie/internal/testkit"
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
		code, stdout, stderr := windie(t, nil, "conformance", driver, "--only", "prompt-*")
		if code != 0 || !strings.Contains(stdout, "dialogue prompt-stream") {
			t.Errorf("%d\n%s%s", code, stdout, stderr)
		}
	})
	t.Run("json", func(t *testing.T) {
		t.Parallel()
		code, stdout, stderr := windie(t, nil, "conformance", "--only", "503-*", "--json", "--", driver, "--", driver)
		var report conformance.Report
		if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 || len(report.Cases) != 4 {
			t.Errorf("%d %v\n%s%s", code, err, stdout, stderr)
		}
	})
	t.Run("no driver", func(t *testing.T) {
		t.Parallel()
		if code, _, stderr := windie(t, nil, "conformance", "echo", "--only", "503-*"); code != exitFailed || !strings.Contains(stderr, "driver") {
			t.Errorf("%d %s", code, stderr)
		}
	})
}

// Commands of drivers are separated by "--", wherever the first one is.
func TestDriverCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		args   []string
		dashAt int
		want   string
	}{
		{"one", []string{"node", "driver.mjs"}, -1, "node driver.mjs"},
		{"one behind a dash", []string{"node", "--flag"}, 0, "node --flag"},
		{"two", []string{"node", "driver.mjs", "python3", "driver.py"}, 2, "node driver.mjs | python3 driver.py"},
		{"three", []string{"a", "b", "--", "c"}, 1, "a | b | c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, command := range driverCommands(tt.args, tt.dashAt) {
				got = append(got, strings.Join(command, " "))
			}
			if strings.Join(got, " | ") != tt.want {
				t.Errorf("%q are %q", tt.args, got)
			}
		})
	}
}
