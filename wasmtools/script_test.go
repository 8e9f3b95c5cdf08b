package wasmtools_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
)

// scriptRuntime returns where the JavaScript runtime is.
func scriptRuntime(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs("../.tools/quickjs.wasm")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		testkit.Skip(t, "the JavaScript runtime", "make deps")
	}
	return path
}

const script = `
let left = 0;
globalThis.tools = [
  { name: "echo", description: "Says what it is told.",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    call: ({ text }) => ({ text, n: text.length }) },
  { name: "leave", call: () => ({ text: "", n: ++left }) },
  { name: "later", call: async ({ text }) => { await null; return { text: text + " later", n: 0 }; } },
  { name: "never", call: () => new Promise(() => {}) },
  { name: "refuse", call: ({ text }) => { throw new Error(text); } },
  { name: "word", call: () => "a word" },
  { name: "config", call: ({ text }) => ({ text: windie.config(text), n: 0 }) },
  { name: "fetch", call: ({ text }) => ({ text: windie.http({ url: text }).body, n: 0 }) },
  { name: "spin", call: () => { for (;;) left++; } },
  { name: "recurse", call: () => { const f = () => f() + 1; return f(); } },
  { name: "hold", call: () => { const all = []; for (;;) all.push(new Uint8Array(1 << 20)); } },
  { name: "log", call: () => { console.log("a", { b: 1 }); return { text: "", n: 0 }; } },
  { name: "when", call: () => ({ text: new Date(2024, 0, 31, 12).toISOString(), n: 0 }) },
];`

func TestScripts(t *testing.T) {
	t.Parallel()
	cfg := wasmtools.Config{ScriptRuntime: scriptRuntime(t)}
	grant := wasmtools.Grant{Config: map[string]string{"greeting": "hello"}, Limits: wasmtools.Limits{WallMS: 1500, Fuel: 1e15}}
	p := openSource(t, cfg, grant, wasmtools.Source{Name: "script", Script: []byte(script)})
	if p.ABI != "script" || p.Isolation != wasmtools.Snapshot || len(p.Description.Tools) != 13 {
		t.Fatalf("%+v", p.Admission)
	}
	for _, tt := range []struct{ tool, text, want string }{
		{"echo", "grüße 𝄞", "grüße 𝄞"},
		{"later", "now", "now later"},
		{"config", "greeting", "hello"},
		{"when", "", "2024-01-31T12:00:00.000Z"},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			a, _, err := call(t.Context(), t, p, tt.tool, `{"text":"`+tt.text+`"}`)
			if err != nil || a.Text != tt.want {
				t.Errorf("%s: %+v, %v", tt.tool, a, err)
			}
		})
	}
	for range 3 {
		if a, _, err := call(t.Context(), t, p, "leave", `{}`); err != nil || a.N != 1 {
			t.Errorf("a call finds what another left: %+v, %v", a, err)
		}
	}
	for _, tt := range []struct{ tool, text, want string }{{"refuse", "not this", "not this"}, {"fetch", "https://example.com/", "example.com"}} {
		t.Run(tt.tool, func(t *testing.T) {
			_, result, err := call(t.Context(), t, p, tt.tool, `{"text":"`+tt.text+`"}`)
			if err != nil || !result.IsError || !strings.Contains(result.Content[0].Text, tt.want) {
				t.Errorf("%s: %+v, %v", tt.tool, result, err)
			}
		})
	}
	_, _, err := call(t.Context(), t, p, "recurse", `{}`)
	wantCode(t, err, sdkapi.ToolError, "stack_depth")
	_, _, err = call(t.Context(), t, p, "never", `{}`)
	wantCode(t, err, sdkapi.ToolError, "never settles")
	_, _, err = call(t.Context(), t, p, "spin", `{}`)
	wantCode(t, err, sdkapi.Timeout, "wall_ms")
	_, result, err := call(t.Context(), t, p, "hold", `{}`)
	if err == nil && !result.IsError {
		t.Error("a script holds all memory there is")
	}
	if a, _, err := call(t.Context(), t, p, "echo", `{"text":"x"}`); err != nil || a.Text != "x" {
		t.Errorf("after all: %+v, %v", a, err)
	}
}

// What a script throws has its place in the log, for the author; the model reads the message alone.
func TestScriptsLogWhereTheyThrew(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	text := "globalThis.tools = [{ name: \"fails\", call: (args) => {\n  const missing = undefined;\n  return missing.here;\n} }];"
	p := openSource(t, wasmtools.Config{ScriptRuntime: scriptRuntime(t), Log: slog.New(slog.NewTextHandler(&log, nil))}, wasmtools.Grant{}, wasmtools.Source{Name: "script", Script: []byte(text)})
	_, result, err := call(t.Context(), t, p, "fails", `{}`)
	if err != nil || !result.IsError || strings.Contains(result.Content[0].Text, "script:") {
		t.Errorf("%+v, %v", result, err)
	}
	if !strings.Contains(log.String(), "TypeError") || !strings.Contains(log.String(), "script:3") {
		t.Errorf("the log does not say where it failed: %s", log.String())
	}
}

func TestScriptsAreRefused(t *testing.T) {
	t.Parallel()
	runtime := scriptRuntime(t)
	for _, tt := range []struct{ name, runtime, script, text string }{
		{"without the runtime", filepath.Join(t.TempDir(), "none"), script, "windie tool runtime add"},
		{"with another runtime", filepath.Join("testdata", "guest", "main.go"), script, "not a WebAssembly module"},
		{"that is no JavaScript", runtime, "let = ;", "SyntaxError"},
		{"that is no JavaScript, and where", runtime, "let a;\nlet = ;", "script:2"},
		{"that throws, and where", runtime, "let a;\nlet b;\nthrow new Error('not today')", "script:3"},
		{"that throws", runtime, "throw new Error('not today')", "not today"},
		{"without tools", runtime, "", "globalThis.tools"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newEngine(t, wasmtools.Config{ScriptRuntime: tt.runtime}).Open(t.Context(), wasmtools.Source{Name: "script", Script: []byte(tt.script)}, wasmtools.Grant{})
			if err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s: %v", tt.name, err)
			}
		})
	}
}

func BenchmarkScript(b *testing.B) {
	p := openSource(b, wasmtools.Config{ScriptRuntime: scriptRuntime(b)}, wasmtools.Grant{}, wasmtools.Source{Name: "script", Script: []byte(script)})
	for b.Loop() {
		if _, _, err := call(b.Context(), b, p, "echo", `{"text":"hello"}`); err != nil {
			b.Fatal(err)
		}
	}
}
