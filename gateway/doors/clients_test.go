package doors_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/ledger"
	"github.com/windieos/windie/memory"
	"github.com/windieos/windie/runs"
)

// testOperator is the operator's token of the gateways of clients.
const testOperator = "a token that only operators have"

// clientsGateways runs the gateways that the tests of clients in other languages talk to, and returns how
// these find them, in their environment: a local and a hosted one, each with all its parts and with the
// secretary for a model, behind a proxy that breaks what it is told to.
//
// Pages of origins may ask them.
func clientsGateways(t *testing.T, origins ...string) []string {
	t.Helper()
	var ran atomic.Int64
	env := os.Environ()
	for _, hosted := range []bool{false, true} {
		cfg := documentedConfig(t, hosted, &ran)
		cfg.Identity = gatewaytest.Identity(t)
		cfg.Once, cfg.Memory, cfg.Audit = gatewaytest.Once(t), gatewaytest.Memory(t, memory.Options{}), gatewaytest.Audit(t)
		cfg.Embeddings, cfg.Digests = countingService(), new(digest.Digester)
		cfg.Plugins, cfg.Ledger = withPlugins(t).Plugins, ledger.Open(stateOf(t), ledger.Options{})
		cfg.OperatorToken, cfg.AllowedOrigins = testOperator, origins
		operated(t, &cfg)
		cfg.Runs, cfg.RunsKey, cfg.ApprovalKey = gatewaytest.Runs(t, runs.Options{}), testRunsKey, localKey
		url := gatewaytest.Start(t, cfg)
		if resp, body := get(t, url+"/ready"); resp.StatusCode != http.StatusOK { // or it might not have begun when the test ends
			t.Fatal(body)
		}
		at, control := gatewaytest.Behind(t, url)
		name := map[bool]string{false: "WINDIE_TEST_LOCAL", true: "WINDIE_TEST_HOSTED"}[hosted]
		env = append(env, name+"="+at, name+"_CONTROL="+control)
	}
	card := filepath.Join(t.TempDir(), "card.png")
	if err := os.WriteFile(card, gatewaytest.Card(), 0o600); err != nil {
		t.Fatal(err)
	}
	return append(env, "WINDIE_TEST_CARD="+card, "WINDIE_TEST_RUNS_KEY="+testRunsKey, "WINDIE_TEST_APPROVAL_KEY="+localKey)
}

// sdkTools is where `make deps` puts what the TypeScript client is built and tested with.
func sdkTools(t *testing.T) string {
	t.Helper()
	at := filepath.Join(testkit.RepoRoot(t), ".tools", "typescript", "node_modules", ".bin")
	for _, program := range []string{"tsc", "redocly", "openapi-typescript", "publint", "attw"} {
		if _, err := os.Stat(filepath.Join(at, program)); err != nil {
			testkit.Skip(t, "what the TypeScript client is built with", "make deps")
		}
	}
	return at
}

// newNode returns a Node.js that the TypeScript client supports: the one of `make deps`, where the system's is older.
func newNode(t *testing.T) string {
	t.Helper()
	const check = "const [a, b] = process.versions.node.split('.').map(Number); process.exit(a > 22 || a === 22 && b >= 12 ? 0 : 1)"
	for _, at := range []string{filepath.Join(testkit.RepoRoot(t), ".tools", "node", "node_modules", ".bin", "node"), "node"} {
		if exec.CommandContext(t.Context(), at, "-e", check).Run() == nil {
			return at
		}
	}
	testkit.Skip(t, "Node.js 22.12 or newer", "make deps, or nodejs.org")
	return ""
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

// builtOnce is where programs are that several tests run. TestMain removes it.
var builtOnce = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "windie-doors-") })

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
