package wasmtools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
)

// The tests here give the plugins that Extism's own tests have to both sides:
// its SDK, and ours.

// foreignDir is where the SDK's module lies.
var foreignDir = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/extism/go-sdk").Output()
	return strings.TrimSpace(string(out)), err
})

// foreign returns the path of a file of the SDK's module.
func foreign(t testing.TB, path ...string) string {
	t.Helper()
	dir, err := foreignDir()
	if err != nil || dir == "" {
		testkit.Skip(t, "the plugins of Extism's tests", fmt.Sprintf("go mod download github.com/extism/go-sdk (%v)", err))
	}
	return filepath.Join(append([]string{dir}, path...)...)
}

// guestOf reads one of the plugins.
func guestOf(t testing.TB, name string) []byte {
	t.Helper()
	module, err := os.ReadFile(foreign(t, "wasm", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// foreignCase is one call of one plugin.
type foreignCase struct {
	plugin, function, input string
	config                  map[string]string
	mount, write            bool   // testdata of the SDK at /mnt, to be read or changed
	http                    bool   // a server, whose URL is %s in the input
	ours                    string // what differs on our side: a part of our error
	why                     string // and the reason
}

var foreignCases = []foreignCase{
	{plugin: "alloc", function: "run_test"},
	{plugin: "config", function: "run_test", config: map[string]string{"thing": "hello"}},
	{plugin: "config", function: "run_test"},
	{plugin: "count_vowels", function: "count_vowels", input: "Hello, world! Ä"},
	{plugin: "count_vowels", function: "count_vowels"},
	{plugin: "count_vowels_std", function: "_start", input: "hello world"},
	{plugin: "exit", function: "_start", config: map[string]string{"code": "500"}, ours: "it exited with code 500", why: "said in words"},
	{plugin: "exit", function: "_start", config: map[string]string{"code": "abc"}, ours: "it exited with code 1", why: "said in words"},
	{plugin: "exit", function: "_start", config: map[string]string{"code": "0"}},
	{plugin: "fail", function: "run_test"},
	{plugin: "fs", function: "run_test", mount: true, write: true},
	{plugin: "fs", function: "run_test", ours: "an error code without a reason", why: "there a code that is not 0 is no error when nobody says why"},
	{plugin: "fs_std", function: "run_test", mount: true, write: true},
	{plugin: "hello", function: "run_test"},
	{plugin: "hello_haskell", function: "testing", input: "John", config: map[string]string{"greeting": "Howdy"}},
	{plugin: "hello_haskell", function: "testing", input: "Zoë"},
	{plugin: "http", function: "run_test", ours: "has no rule", why: "a request that was not granted says how it could be"},
	{plugin: "http_headers", function: "http_get", input: `{"url":"%s"}`, http: true},
	{plugin: "input_offset", function: "input_offset_length", input: "hello world"},
	{plugin: "lib", function: "_start"},
	{plugin: "log", function: "run_test"},
	{plugin: "noop", function: "run_test", input: "x"},
	{plugin: "println", function: "run_test"},
	{plugin: "read_write", function: "try_read", config: map[string]string{"path": "/mnt/test.txt"}, mount: true},
	{plugin: "read_write", function: "try_write", input: "x", config: map[string]string{"path": "/mnt/test.txt"}, mount: true,
		ours: "Read-only file system", why: "a folder that may not be changed says so"},
	{plugin: "read_write", function: "try_write", input: "x", config: map[string]string{"path": "/mnt/test.txt"}, mount: true, write: true},
	{plugin: "replace", function: "run_test", input: "a b c"},
	{plugin: "sleep", function: "run_test", config: map[string]string{"duration": "0"}},
	{plugin: "std_command", function: "_start", input: "hello"},
	{plugin: "var", function: "run_test"},
}

// imports of a host that Extism's tests write by hand, by plugin.
var foreignHosts = map[string]string{
	"host": "run_test", "host_memory": "run_test", "host_multiple": "say_green", "main": "run_test", "nested.c.instr": "_start",
}

// TestForeignPlugins calls each plugin under the SDK and here, and wants the
// same.
func TestForeignPlugins(t *testing.T) {
	t.Parallel()
	port := answerWith(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Date", "today")
		rw.Header()["X-Twice"] = []string{"a", "b"}
		_, _ = rw.Write([]byte("the page"))
	})
	for _, c := range foreignCases {
		if slowness > 1 && (len(guestOf(t, c.plugin)) > 1<<20 || c.plugin == "alloc") {
			continue // with the race detector, compiling or running it takes half a minute
		}
		t.Run(c.plugin+"/"+c.function+"/"+fmt.Sprint(c.config), func(t *testing.T) {
			t.Parallel()
			if c.http {
				c.input = fmt.Sprintf(c.input, "http://localhost:"+port)
			}
			want, wantErr := c.theirs(t)
			got, gotErr := c.call(t, port)
			switch {
			case c.why != "":
				if gotErr == nil || !strings.Contains(gotErr.Error(), c.ours) {
					t.Errorf("%v, and %q wanted because: %s; they have %v", gotErr, c.ours, c.why, wantErr)
				}
			case wantErr != nil:
				first, _, _ := strings.Cut(wantErr.Error(), "\n")
				if gotErr == nil || !strings.Contains(fault.From(gotErr).Message, first) {
					t.Errorf("%q, %v; they have %v", got, gotErr, wantErr)
				}
			case c.http:
				if got, want := header(t, got), header(t, want); gotErr != nil || !maps.Equal(got, want) {
					t.Errorf("%v, %v; they have %v", got, gotErr, want)
				}
			case gotErr != nil || got != want:
				t.Errorf("%q, %v; they have %q", got, gotErr, want)
			}
			t.Logf("%.100q, %v", want, wantErr)
		})
	}
}

// header reads what http_headers answers with. The length is left out here: a
// body may be longer than what came, once it is decompressed.
func header(t *testing.T, text string) (h map[string]string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	delete(h, "content-length")
	return h
}

// folder is a copy of the SDK's testdata.
func (c foreignCase) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(foreign(t, "testdata"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// theirs calls the plugin under the SDK. The engine interprets, which compiles
// nothing.
func (c foreignCase) theirs(t *testing.T) (string, error) {
	t.Helper()
	manifest := extism.Manifest{Wasm: []extism.Wasm{extism.WasmFile{Path: foreign(t, "wasm", c.plugin+".wasm")}}, Config: map[string]string{}}
	maps.Copy(manifest.Config, c.config)
	if c.mount {
		manifest.AllowedPaths = map[string]string{map[bool]string{false: "ro:"}[c.write] + c.folder(t): "/mnt"}
	}
	if c.http {
		manifest.AllowedHosts = []string{"localhost"}
	}
	p, err := extism.NewPlugin(t.Context(), manifest, extism.PluginConfig{
		EnableWasi: true, EnableHttpResponseHeaders: true, RuntimeConfig: wazero.NewRuntimeConfigInterpreter(),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close(context.Background()) }()
	p.SetLogger(func(extism.LogLevel, string) {})
	_, out, err := p.Call(c.function, []byte(c.input))
	return string(out), err
}

// call calls the plugin here.
func (c foreignCase) call(t *testing.T, port string) (string, error) {
	t.Helper()
	grant := wasmtools.Grant{Config: c.config}
	if c.mount {
		grant.Permissions.FS = []wasmtools.Mount{{Path: c.folder(t), At: "/mnt", Write: c.write}}
	}
	if c.http {
		grant.Permissions.HTTP = []egress.Rule{{Host: "localhost:" + port, Schemes: []string{"http"}, Private: true}}
	}
	p := openSource(t, wasmtools.Config{Resolver: local}, grant, foreignSource(t, c.plugin))
	return ours(t, p, c.function, c.input)
}

// foreignSource is one of the plugins, as an operator would set it up who says
// how it talks: a few import nothing that shows it.
func foreignSource(t testing.TB, plugin string) wasmtools.Source {
	t.Helper()
	return wasmtools.Source{Name: "foreign", Module: guestOf(t, plugin), Manifest: wasmtools.Manifest{ABI: abi.Extism}}
}

// ours calls a tool that takes text, and returns the text it answers with.
func ours(t testing.TB, p *wasmtools.Plugin, tool, input string) (string, error) {
	t.Helper()
	result, err := p.Call(t.Context(), tool, agent.Call{Arguments: fmt.Appendf(nil, `{"input":%q}`, input)})
	if err != nil || len(result.Content) != 1 {
		return "", err
	}
	return result.Content[0].Text, nil
}

// TestEveryForeignPluginIsTried opens all that there are, also those whose
// hosts are written by hand: calling what these import ends a call by name.
func TestEveryForeignPluginIsTried(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob(foreign(t, "wasm", "*.wasm"))
	if err != nil || len(all) != 27 {
		t.Fatalf("%d plugins, %v", len(all), err)
	}
	for _, path := range all {
		name := strings.TrimSuffix(filepath.Base(path), ".wasm")
		function, hosted := foreignHosts[name]
		if tried := slices.ContainsFunc(foreignCases, func(c foreignCase) bool { return c.plugin == name }); tried == hosted {
			t.Errorf("%s is tried: %v, and has a host of its own: %v", name, tried, hosted)
		}
		if !hosted {
			continue
		}
		if err := refused(t, foreignSource(t, name), wasmtools.Grant{}); !strings.Contains(err.Message, "does not have") {
			t.Errorf("%s: %v", name, err)
		}
		p := openSource(t, wasmtools.Config{}, wasmtools.Grant{Unmet: "trap"}, foreignSource(t, name))
		if _, err := ours(t, p, function, "x"); err == nil || len(p.Unmet) == 0 || !strings.Contains(err.Error(), "which the gateway does not have") {
			t.Errorf("%s: %v, and unmet are %q", name, err, p.Unmet)
		}
	}
}

// TestForeignVariables keeps them for the length of a call, or in the plugin's
// store.
func TestForeignVariables(t *testing.T) {
	t.Parallel()
	vars := memoryStore{"a": []byte{10, 0, 0, 0}}
	grant := wasmtools.Grant{Permissions: wasmtools.Permissions{KV: &wasmtools.Quota{Bytes: 1 << 20}}}
	p := openSource(t, wasmtools.Config{Store: func(string, string, wasmtools.Quota) abi.Store { return vars }}, grant, foreignSource(t, "var"))
	for _, want := range []byte{20, 40} {
		if _, err := ours(t, p, "run_test", ""); err != nil || vars["a"][0] != want {
			t.Errorf("%v, %v; want %d", vars, err, want)
		}
	}
}

// memoryStore is a store for one call at a time.
type memoryStore map[string][]byte

func (m memoryStore) Get(_ context.Context, key string) ([]byte, bool, error) {
	value, ok := m[key]
	return value, ok, nil
}
func (m memoryStore) Set(_ context.Context, key string, value []byte) error {
	m[key] = value
	return nil
}
func (m memoryStore) Delete(_ context.Context, key string) error { delete(m, key); return nil }
func (m memoryStore) List(context.Context, string, string, int) ([]string, error) {
	return slices.Sorted(maps.Keys(m)), nil
}

// TestForeignLogs go to the operator's log with their level.
func TestForeignLogs(t *testing.T) {
	t.Parallel()
	var log lines
	p := openSource(t, wasmtools.Config{Log: slog.New(slog.NewTextHandler(&log, nil))}, wasmtools.Grant{}, foreignSource(t, "log"))
	if _, err := ours(t, p, "run_test", ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`level=INFO msg="this is an info log"`, `level=WARN msg="this is a warning log"`, `level=ERROR msg="this is an error log"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in\n%s", want, log.String())
		}
	}
}

// TestForeignSleepsEnd in time, which the SDK's do not: it waits for the sleep.
func TestForeignSleepsEnd(t *testing.T) {
	t.Parallel()
	p := openSource(t, wasmtools.Config{}, wasmtools.Grant{Config: map[string]string{"duration": "3"}, Limits: wasmtools.Limits{WallMS: 200}}, foreignSource(t, "sleep"))
	begun := time.Now()
	_, err := ours(t, p, "run_test", "")
	wantCode(t, err, "TIMEOUT", "wall_ms")
	if took := time.Since(begun); clockTells && took > 2*time.Second*slowness {
		t.Errorf("it took %v", took)
	}
}
