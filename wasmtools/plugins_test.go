package wasmtools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// served is a folder of plugins that is being served.
type served struct {
	*wasmtools.Plugins
	t        testing.TB
	dir      string
	registry *agent.Registry
}

// serve serves a folder until the test ends.
func serve(t testing.TB, cfg wasmtools.Config, dir string) served {
	t.Helper()
	registry := agent.NewRegistry()
	grants := filepath.Join(dir, ".grants.json")
	p, err := wasmtools.NewPlugins(newEngine(t, cfg), registry, wasmtools.Folder{Dir: dir, Grants: grants, Every: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		p.Close()
	})
	return served{p, t, dir, registry}
}

// put writes a file of the folder in one step.
func (s served) put(name string, content []byte) {
	s.t.Helper()
	put(s.t, s.dir, name, content)
}

func put(t testing.TB, dir, name string, content []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".part", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		t.Fatal(err)
	}
}

// until waits for a plugin to be as wanted.
func (s served) until(what, name string, wanted func(wasmtools.Status) bool) wasmtools.Status {
	s.t.Helper()
	return testkit.Eventually(s.t, what, func() (wasmtools.Status, bool) {
		status, _ := s.Get(name)
		return status, wanted(status)
	})
}

func ready(status wasmtools.Status) bool { return status.State == wasmtools.Ready }

// invoke calls a tool through the registry.
func (s served) invoke(name, arguments string) (answer, error) {
	s.t.Helper()
	result, err := s.registry.Invoke(s.t.Context(), name, agent.Call{User: "ada", Arguments: json.RawMessage(arguments)})
	var a answer
	if err == nil && result.Structured != nil {
		err = json.Unmarshal(result.Structured, &a)
	}
	return a, err
}

func TestPluginsOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "one.wasm", module(t))
	put(t, dir, "two/two.wasm", module(t))
	put(t, dir, "two/two.json", []byte(`{"name":"second","config":{"greeting":"hello"}}`))
	put(t, dir, "README.md", []byte("not a plugin"))
	put(t, dir, "text.wasm", []byte("not a module"))
	put(t, dir, "cut.wasm", module(t)[:1000])
	put(t, dir, "twin.wasm", module(t))
	put(t, dir, "twin.json", []byte(`{"name":"one"}`))
	put(t, dir, "wrong.wasm", module(t))
	put(t, dir, "wrong.json", []byte(`{"titel":"wrong"}`))
	s := serve(t, wasmtools.Config{}, dir)
	s.until("a plugin", "one", ready)
	s.until("a plugin in a folder", "second", ready)
	if a, err := s.invoke("one.echo", `{"text":"x"}`); err != nil || a.Text != "x" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := s.invoke("second.config", `{"text":"greeting"}`); err != nil || a.Text != "hello" {
		t.Errorf("%+v, %v", a, err)
	}
	for _, tt := range []struct{ file, problem string }{
		{"text.wasm", "not a WebAssembly module"},
		{"cut.wasm", "end too early"},
		{"twin.wasm", `two plugins have the name "one": the gateway uses one.wasm and ignores twin.wasm`},
		{"wrong.wasm", "titel"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			i := slices.IndexFunc(s.List(), func(st wasmtools.Status) bool { return st.File == tt.file })
			if st := s.List()[i]; st.State != wasmtools.Broken || !strings.Contains(st.Problem, tt.problem) {
				t.Errorf("%s: %s %q", tt.file, st.State, st.Problem)
			}
		})
	}
}

func TestPluginsChangeWhileServed(t *testing.T) {
	t.Parallel()
	s := serve(t, wasmtools.Config{}, t.TempDir())
	_, err := s.invoke("guest.echo", `{}`)
	wantCode(t, err, sdkapi.ToolNotFound, "")
	s.put("guest.wasm", module(t))
	s.until("a new plugin", "guest", ready)

	slow := make(chan error, 1)
	go func() {
		_, err := s.invoke("guest.sleep", `{"n":600}`)
		slow <- err
	}()
	time.Sleep(100 * time.Millisecond)
	s.put("guest.json", []byte(`{"version":"2","config":{"greeting":"changed"}}`))
	s.until("a new version", "guest", func(st wasmtools.Status) bool { return ready(st) && st.Admission.Version == "2" })
	if a, err := s.invoke("guest.config", `{"text":"greeting"}`); err != nil || a.Text != "changed" {
		t.Errorf("%+v, %v", a, err)
	}
	if err := <-slow; err != nil {
		t.Errorf("a call on the version before: %v", err)
	}

	s.put("guest.wasm", []byte("\x00asm\x01\x00\x00\x00\x01"))
	s.until("the report of a broken version", "guest", func(st wasmtools.Status) bool { return ready(st) && st.Problem != "" })
	if _, err := s.invoke("guest.echo", `{}`); err != nil {
		t.Errorf("the version before: %v", err)
	}

	s.put(".grants.json", []byte(`{"guest":{"disabled":true}}`))
	s.put("guest.wasm", module(t))
	s.until("a disabled plugin", "guest", func(st wasmtools.Status) bool { return st.State == wasmtools.Disabled })
	_, err = s.invoke("guest.echo", `{}`)
	wantCode(t, err, sdkapi.ToolNotFound, "")

	s.put(".grants.json", []byte(`{}`))
	s.until("an enabled plugin", "guest", ready)
	if err := os.Remove(filepath.Join(s.dir, "guest.wasm")); err != nil {
		t.Fatal(err)
	}
	s.until("a removed plugin", "guest", func(st wasmtools.Status) bool { return st.Name == "" })
	if tools, _ := s.registry.List(); len(tools) != 0 {
		t.Errorf("%d tools are left", len(tools))
	}
}

// TestKnownPluginsAreListedAtOnce starts a second time from what the first
// start left on disk.
func TestKnownPluginsAreListedAtOnce(t *testing.T) {
	t.Parallel()
	dir, cache := t.TempDir(), t.TempDir()
	put(t, dir, "guest.wasm", wasmtest.Echo())
	engine := func() *wasmtools.Engine { return newEngine(t, wasmtools.Config{CacheDir: cache}) }
	start := func() (*wasmtools.Plugins, *agent.Registry) {
		registry := agent.NewRegistry()
		p, err := wasmtools.NewPlugins(engine(), registry, wasmtools.Folder{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return p, registry
	}
	p, registry := start()
	_, err := registry.Invoke(t.Context(), "guest.echo", agent.Call{})
	wantCode(t, err, sdkapi.ToolStarting, "guest")
	served{Plugins: p, t: t}.until("a plugin", "guest", ready)
	p.Close()

	p, registry = start()
	defer p.Close()
	if _, ok := registry.Get("guest.echo"); !ok {
		t.Fatal("the tools of a known plugin are not listed at once")
	}
	if _, err := registry.Invoke(t.Context(), "guest.echo", agent.Call{}); err != nil {
		t.Error(err)
	}
}
