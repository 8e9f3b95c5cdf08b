//go:build system

package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// sdkTools is where `make deps-system` puts what the TypeScript client is built and tested with.
func sdkTools(t *testing.T) string {
	t.Helper()
	at := filepath.Join(testkit.RepoRoot(t), ".tools", "typescript", "node_modules", ".bin")
	for _, program := range []string{"tsc", "redocly", "openapi-typescript", "publint", "attw"} {
		if _, err := os.Stat(filepath.Join(at, program)); err != nil {
			testkit.Skip(t, "what the TypeScript client is built with", "make deps-system")
		}
	}
	return at
}

// newNode returns a Node.js that the TypeScript client supports: the one of `make deps-system`, where the system's is older.
func newNode(t *testing.T) string {
	t.Helper()
	const check = "const [a, b] = process.versions.node.split('.').map(Number); process.exit(a > 22 || a === 22 && b >= 12 ? 0 : 1)"
	for _, at := range []string{filepath.Join(testkit.RepoRoot(t), ".tools", "node", "node_modules", ".bin", "node"), "node"} {
		if exec.CommandContext(t.Context(), at, "-e", check).Run() == nil {
			return at
		}
	}
	testkit.Skip(t, "Node.js 22.12 or newer", "make deps-system, or nodejs.org")
	return ""
}

// clonedTypeScript copies the TypeScript client as a clone of the repository has it, and returns its folder.
func clonedTypeScript(t *testing.T, clone string) string {
	t.Helper()
	return cloned(t, clone, "typescript", "src/schema.ts", "dist", "node_modules")
}

// clonedPython copies the Python client likewise.
func clonedPython(t *testing.T, clone string) string {
	t.Helper()
	return cloned(t, clone, "python", "src/windie/types.py", "src/windie/_sync")
}

// cloned copies a client and the document that it is built of, without the paths that git does not have.
func cloned(t *testing.T, clone, language string, ignored ...string) string {
	t.Helper()
	sdk := filepath.Join(testkit.RepoRoot(t), "sdk")
	client := filepath.Join(clone, "sdk", language)
	if err := os.CopyFS(client, os.DirFS(filepath.Join(sdk, language))); err != nil {
		t.Fatal(err)
	}
	for _, path := range ignored {
		if err := os.RemoveAll(filepath.Join(client, path)); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, filepath.Join(sdk, "openapi.json"), filepath.Join(clone, "sdk", "openapi.json"))
	return client
}

// runIn runs in a folder and fails the test with what it says if it fails.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

var windieOnce sync.Once

// windieProgram builds the program as people install it, once for all tests.
func windieProgram(t *testing.T) string {
	t.Helper()
	dir, err := builtOnce()
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "windie")
	windieOnce.Do(func() {
		runIn(t, dir, os.Environ(), "go", "build", "-C", testkit.RepoRoot(t), "-o", at, "./cmd/windie")
	})
	if _, err := os.Stat(at); err != nil {
		t.Fatal("the program was not built, which another test says more of: ", err)
	}
	return at
}

// builtOnce is where programs are that several tests run. TestMain removes it.
var builtOnce = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "windie-doors-") })
