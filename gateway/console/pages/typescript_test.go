//go:build system

package pages_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// compiler returns the compiler of TypeScript.
func compiler(t *testing.T) string {
	t.Helper()
	path := filepath.Join(testkit.RepoRoot(t), ".tools", "typescript", "node_modules", ".bin", "tsc")
	if _, err := os.Stat(path); err != nil {
		testkit.Skip(t, "the compiler of TypeScript", "make deps-system")
	}
	return path
}

// The compiler makes of the TypeScript client what is in sdk.
func TestClientIsBuiltThus(t *testing.T) {
	t.Parallel()
	compiler(t)
	to := filepath.Join(t.TempDir(), "sdk")
	if out, err := exec.CommandContext(t.Context(), filepath.Join(testkit.RepoRoot(t), "scripts", "console-sdk.sh"), to).CombinedOutput(); err != nil {
		t.Fatalf("scripts/console-sdk.sh: %v\n%s", err, out)
	}
	want, err := os.ReadFile("sdk/sums.json")
	if err != nil {
		t.Fatal(err)
	}
	if built, err := os.ReadFile(filepath.Join(to, "sums.json")); err != nil || string(built) != string(want) {
		t.Errorf("the client is built otherwise: %v; run scripts/console-sdk.sh", err)
	}
}

// The types that the comments of our files name are true.
func TestConsoleTypes(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), compiler(t), "-p", "jsconfig.json").CombinedOutput(); err != nil {
		t.Errorf("tsc: %v\n%s", err, out)
	}
}
