//go:build system

package clients_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/test/conformance"
	"github.com/windieos/windie/internal/test/conformance/stage"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// sampled are the cases that are run in the gate; `make test-system PART=clients` runs all.
var sampled = []string{
	"ocr-resolve-text", "tools-invoke", "prompt-approval", "runs", "ws-approvals", "ws-query", "ws-hosted", "toolhost-conversation",
	"retry-after", "503-twice", "lost-answer", "unknown-field", "cut-in-character", "event-twice", "cut-after-1", "abort-stream", "agent-cut-after-call", "agent-call-twice",
}

// playing starts the gateways that the dialogues are recorded with.
type playing struct{ t *testing.T }

// Start implements conformance.Stage.
func (p playing) Start(_ context.Context, name string, _ []byte) (url string, stop func(), err error) {
	cfg := doorstest.DialogueConfig(p.t, name, filepath.Join(testkit.RepoRoot(p.t), "gateway", "testdata", name+".txtar"))
	cfg.Once = gatewaytest.Once(p.t)
	return gatewaytest.Start(p.t, cfg), func() {}, nil
}

// drivers starts the drivers of the three clients.
func drivers(t *testing.T) (list []*conformance.Driver) {
	t.Helper()
	root := testkit.RepoRoot(t)
	python, _ := pythonTools(t)
	project := builtTypeScript(t, sdkTools(t))
	goDriver := filepath.Join(t.TempDir(), "driver")
	runIn(t, root, os.Environ(), "go", "build", "-o", goDriver, "./sdk/driver")
	for _, command := range [][]string{
		{goDriver},
		{newNode(t), filepath.Join(project, "test", "driver.mjs")},
		{filepath.Join(python, "python"), filepath.Join(root, "sdk", "python", "tests", "driver.py")},
	} {
		d, err := conformance.Start(t.Context(), command, "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+filepath.Join(pythonSource(t), "src"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		list = append(list, d)
	}
	return list
}

// builtTypeScript compiles the TypeScript client into an empty project with its tests.
func builtTypeScript(t *testing.T, bin string) (project string) {
	t.Helper()
	build := clonedTypeScript(t, t.TempDir())
	project = t.TempDir()
	runIn(t, build, os.Environ(), filepath.Join(bin, "tsc"), "-p", ".", "--noCheck")
	if err := os.CopyFS(filepath.Join(project, "test"), os.DirFS(filepath.Join(build, "test"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(project, "node_modules", "@windie", "sdk"), os.DirFS(build)); err != nil {
		t.Fatal(err)
	}
	return project
}

// The three clients send what the dialogues have, and bear what goes wrong on the way.
// WINDIE_CONFORMANCE=1 runs all cases, and names a pattern runs those.
func TestConformance(t *testing.T) {
	t.Parallel()
	clients := drivers(t)
	skips, err := conformance.OwnSkips()
	if err != nil {
		t.Fatal(err)
	}
	wanted := sampled
	all := os.Getenv("WINDIE_CONFORMANCE") == "1"
	if pattern := os.Getenv("WINDIE_CONFORMANCE"); all {
		wanted = []string{"*"}
	} else if pattern != "" {
		wanted = []string{pattern}
	}
	var mu sync.Mutex
	var cases []conformance.Case
	note := func(c conformance.Case) {
		mu.Lock()
		defer mu.Unlock()
		cases = append(cases, c)
		for _, step := range c.Steps {
			if step.Result == conformance.Failed {
				t.Logf("%s, %s, %s: %s", c.Language, c.Name, step.Step, step.Why)
			}
		}
	}
	t.Run("cases", func(t *testing.T) { runCases(t, wanted, clients, skips, note) })
	report := conformance.NewReport(cases, skips, all)
	if testing.Verbose() || !report.Passed() {
		if err := report.Print(os.Stderr); err != nil {
			t.Fatal(err)
		}
	}
	if !report.Passed() {
		t.Error("clients do not do what the dialogues say")
	}
}

// runCases runs the cases that match patterns with all clients, and ends when all have.
func runCases(t *testing.T, wanted []string, clients []*conformance.Driver, skips conformance.Skips, note func(conformance.Case)) {
	for _, pattern := range wanted {
		dialogues, err := conformance.ReadDialogues(os.DirFS(filepath.Join(testkit.RepoRoot(t), "gateway", "testdata")), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range dialogues {
			t.Run(d.Name, func(t *testing.T) {
				t.Parallel()
				r := conformance.Runner{Stage: playing{t}, Drivers: clients, Dialogues: []*conformance.Dialogue{d}, Files: doorstest.SampleFile, Skips: skips, Progress: note}
				if _, err := r.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
		}
		for _, f := range conformance.OwnFaults(pattern) {
			t.Run(f.Name, func(t *testing.T) {
				t.Parallel()
				r := conformance.Runner{Stage: &stage.Stage{Scenes: gatewaytest.Scenes(t)}, Drivers: clients, Faults: []*conformance.Fault{f}, Skips: skips, Progress: note}
				if _, err := r.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
