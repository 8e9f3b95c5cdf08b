//go:build system

package plugins_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools"
)

// TestExamplesInTheGateway puts all examples into a folder that a gateway
// serves, and calls each as an agent would.
func TestExamplesInTheGateway(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&service{status: 200, body: nowThere})
	t.Cleanup(server.Close)
	dir, grants := t.TempDir(), filepath.Join(t.TempDir(), "grants.json")
	for name := range examples {
		write(t, filepath.Join(dir, name+".wasm"), example(t, name))
	}
	root := testkit.RepoRoot(t)
	script, err := os.ReadFile(filepath.Join(root, "examples/plugins/dates/dates.js"))
	if err != nil {
		t.Fatal(err)
	}
	runtime := filepath.Join(root, ".tools/quickjs.wasm")
	if _, err := os.Stat(runtime); err != nil {
		testkit.Skip(t, "the JavaScript runtime", "make deps-system")
	}
	write(t, filepath.Join(dir, "dates.js"), script)
	host := strings.TrimPrefix(server.URL, "http://")
	grant, err := json.Marshal(wasmtools.Grants{"weather": {
		Config:      map[string]string{"base_url": server.URL},
		Permissions: wasmtools.Permissions{HTTP: []egress.Rule{{Host: host, Schemes: []string{"http"}, Private: true}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, grants, grant)

	engine, err := wasmtools.NewEngine(wasmtools.Config{CacheDir: t.TempDir(), ScriptRuntime: runtime})
	if err != nil {
		t.Fatal(err)
	}
	registry := agent.NewRegistry()
	plugins, err := wasmtools.NewPlugins(engine, registry, wasmtools.Folder{Dir: dir, Grants: grants})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plugins.Close)
	untilReady(t, plugins)
	for _, tt := range []struct{ tool, arguments, want string }{
		{"echo.echo", `{"text":"hello"}`, "hello"},
		{"units.convert", `{"value":1,"from":"km","to":"m"}`, "1000"},
		{"colours.name", `{"colour":"#4682b4"}`, "steelblue"},
		{"table.markdown", `{"rows":[["a","b"],["1","2"]]}`, "a |"},
		{"checksum.digest", `{"text":"123456789","algorithm":"crc32"}`, "cbf43926"},
		{"dates.add", `{"date":"2026-11-21","days":10}`, "2026-12-01"},
		{"weather.current", `{"latitude":52.52,"longitude":13.4}`, "light rain"},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			result, err := registry.Invoke(context.Background(), tt.tool, agent.Call{User: "ada", Arguments: json.RawMessage(tt.arguments)})
			said := string(result.Structured)
			for _, part := range result.Content {
				said += part.Text
			}
			if err != nil || result.IsError || !strings.Contains(said, tt.want) {
				t.Errorf("%s: %s, %v", tt.tool, said, err)
			}
			if result.Usage.Fuel == 0 {
				t.Errorf("%s took no fuel", tt.tool)
			}
		})
	}
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// untilReady waits until all plugins can be called.
func untilReady(t testing.TB, plugins *wasmtools.Plugins) {
	t.Helper()
	// Compiling takes minutes under the race detector, on a busy machine.
	testkit.EventuallyWithin(t, 10*time.Minute, "all plugins can be called", func() (starting []string, done bool) {
		for _, status := range plugins.List() {
			switch status.State {
			case wasmtools.Broken:
				t.Fatalf("%s: %s", status.Name, status.Problem)
			case wasmtools.Starting:
				starting = append(starting, status.Name)
			}
		}
		return starting, len(starting) == 0
	})
}
