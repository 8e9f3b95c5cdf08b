package wasmtools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/command"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// program builds testdata/program, a command that knows nothing of tools.
var program = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "windie-program-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "program.wasm")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, "./testdata/program")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
})

// programManifest makes tools of testdata/program.
const programManifest = `{"name":"program","command":{"env":{"GREETING":"hello"},"tools":[
	{"name":"args","inputSchema":{"properties":{"a":{},"list":{}}},"args":["args","--x",{"from":"a"},{"from":"list","flag":"-l"}]},
	{"name":"stdin","inputSchema":{"properties":{"text":{}}},"args":["stdin"],"stdin":{"from":"text"}},
	{"name":"files","inputSchema":{"properties":{"one":{},"many":{}}},"args":["files","one.txt","/work/many/a/b.txt"],
		"files":[{"path":"one.txt","from":"one"},{"path":"many","each":true,"from":"many"}]},
	{"name":"list","inputSchema":{"properties":{"one":{}}},"args":["list"],"files":[{"path":"one.txt","from":"one"}]},
	{"name":"write","inputSchema":{"properties":{"n":{}}},"args":["write","/work/out.bin",{"from":"n"}],"output":{"as":"artifact","file":"out.bin"}},
	{"name":"outside","inputSchema":{"properties":{"path":{}}},"args":["write",{"from":"path"},"1"],"output":{"file":"out.bin"}},
	{"name":"link","args":["link","/etc/passwd","/work/out.bin"],"output":{"file":"out.bin"}},
	{"name":"exit","inputSchema":{"properties":{"code":{}}},"args":["exit",{"from":"code"}],
		"exit":{"1":{"ok":true},"2":{"code":"NOT_FOUND","message":"it is not there"},"3":{"message":"it could not"},"4":{"ok":true,"quiet":true,"code":"VALIDATION_ERROR"}}},
	{"name":"loop","args":["loop"],"exit":{"*":{"message":"it ended"}}},
	{"name":"memory","args":["memory"],"exit":{"*":{"message":"it ended"}}}]}}`

func openProgram(t testing.TB, cfg wasmtools.Config, grant wasmtools.Grant) *wasmtools.Plugin {
	t.Helper()
	module, err := program()
	if err != nil {
		t.Fatal(err)
	}
	m, err := wasmtools.ParseManifest([]byte(programManifest))
	if err != nil {
		t.Fatal(fault.From(err).Details.Fields, err)
	}
	return openSource(t, cfg, grant, wasmtools.Source{Name: "program", Module: module, Manifest: m})
}

// said returns the answer of a tool as text, or what its failure says.
func said(r agent.Result, err error) string {
	if err != nil {
		f := fault.From(err)
		return fmt.Sprint(f.Code, " ", f.Message, f.Details.Fields)
	}
	text := string(r.Structured)
	for _, part := range r.Content {
		text += part.Text + string(part.JSON)
	}
	if r.IsError {
		text = "failed: " + text
	}
	return text
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	p := openProgram(t, wasmtools.Config{}, wasmtools.Grant{Limits: wasmtools.Limits{FileBytes: 100_000, OutputBytes: 50_000, InputBytes: 1000}})
	if len(p.Description.Tools) != 10 || p.Isolation != wasmtools.Fresh || p.ABI != "wasi" {
		t.Fatalf("it is %+v with %d tools", p.Admission, len(p.Description.Tools))
	}
	for _, tt := range []struct{ name, tool, arguments, want string }{
		{"arguments", "args", `{"a":"b c","list":["1",2,true,{"x":[]}]}`, `["--x" "b c" "-l" "1" "-l" "2" "-l" "-l" "{\"x\":[]}"]` + "\n"},
		{"no arguments", "args", `{}`, `["--x"]` + "\n"},
		{"an argument that looks like a flag", "args", `{"a":"-rf"}`, "VALIDATION_ERROR invalid arguments for the program; details.fields lists the problems[{arguments.a expected a text that does not begin with -, because the program would read it as a flag}]"},
		{"standard input", "stdin", `{"text":"grüße"}`, "grüße"},
		{"standard input of JSON", "stdin", `{"text":{"b":[1.50,"<"]}}`, `{"b":[1.50,"<"]}`},
		{"no standard input", "stdin", `{}`, ""},
		{"too much input", "stdin", `{"text":"` + strings.Repeat("x", 1000) + `"}`, "PAYLOAD_TOO_LARGE the input is larger than the limit input_bytes of 1000; send less, or ask the operator to raise it in the grant[]"},
		{"files", "files", `{"one":"1","many":{"a/b.txt":"2"}}`, "one.txt \"1\" <nil>\n/work/many/a/b.txt \"2\" <nil>\n"},
		{"a file that is not given", "files", `{"many":{"a/b.txt":"2"}}`, "one.txt \"\" open one.txt: No such file or directory\n/work/many/a/b.txt \"2\" <nil>\n"},
		{"a file outside", "files", `{"many":{"../x":"2"}}`, "VALIDATION_ERROR invalid arguments for the program; details.fields lists the problems[{arguments.many expected names of files, such as notes.txt or a/b.txt, not \"../x\"}]"},
		{"a file that is a folder", "files", `{"many":{"a":"1","a/b.txt":"2"}}`, "VALIDATION_ERROR cannot create the file \"many/a/b.txt\": its name is too long, or a folder already has this name[]"},
		{"a folder of its own", "list", `{"one":"1"}`, "1 <nil> /work hello\n"},
		{"the next call's folder", "list", `{}`, "0 <nil> /work hello\n"},
		{"a file as output", "write", `{"n":"3"}`, `{"blob":"eHh4","mimeType":"application/octet-stream","uri":"file:///work/out.bin"}`},
		{"a large file as output", "write", `{"n":"60000"}`, "TOOL_ERROR the file /work/out.bin has 60000 bytes; the limit output_bytes is 50000, which the operator can raise in the grant[]"},
		{"a file that was not made", "outside", `{"path":"/work/other"}`, "TOOL_ERROR the program exited with code 0 but wrote no file /work/out.bin[]"},
		{"an answer of an exit code", "exit", `{"code":"1"}`, "out"},
		{"a code of an exit code", "exit", `{"code":"2"}`, "NOT_FOUND it is not there: why[]"},
		{"a failure of an exit code", "exit", `{"code":"3"}`, "failed: it could not: why"},
		{"an exit code with words", "exit", `{"code":"4"}`, "VALIDATION_ERROR the program exited with code 4: why[]"},
		{"an exit code that nobody names", "exit", `{"code":"5"}`, "TOOL_ERROR the program exited with code 5: why[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := p.Call(t.Context(), tt.tool, agent.Call{Arguments: json.RawMessage(tt.arguments)})
			if got := said(r, err); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// What a limit ends is no exit of the program, whatever the manifest says of exit codes.
func TestProgramsWithinLimits(t *testing.T) {
	t.Parallel()
	p := openProgram(t, wasmtools.Config{}, wasmtools.Grant{Limits: wasmtools.Limits{FileBytes: 20_000, MemoryBytes: 16 << 20, WallMS: 2000, Fuel: 1 << 40}})
	for _, tt := range []struct{ tool, arguments, want string }{
		{"loop", `{}`, "wall_ms (2000"},
		{"memory", `{}`, "bytes of memory that its limit memory_bytes allows"},
		{"write", `{"n":"50000"}`, "file_bytes"},
		{"outside", `{"path":"/etc/out"}`, "TOOL_ERROR the program exited with code 9"},
		{"link", `{}`, "TOOL_ERROR the program exited with code 9"},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			r, err := p.Call(t.Context(), tt.tool, agent.Call{Arguments: json.RawMessage(tt.arguments)})
			if got := said(r, err); err == nil || !strings.Contains(got, tt.want) {
				t.Errorf("got %s, %v, without %q", got, err, tt.want)
			}
		})
	}
}

// Files of a call are gone after it, and artifacts are those of the call's user.
func TestProgramsKeepArtifacts(t *testing.T) {
	if _, err := cacheDir(); err != nil { // which would be in the folder below
		t.Fatal(err)
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	kept := map[string]string{}
	p := openProgram(t, wasmtools.Config{
		KeepFile: func(_ context.Context, call agent.Call, content []byte) (string, error) {
			kept[call.User] = string(content)
			return "id.bin", nil
		},
	}, wasmtools.Grant{})
	r, err := p.Call(t.Context(), "write", agent.Call{User: "ada", Arguments: json.RawMessage(`{"n":"3"}`)})
	if got := said(r, err); got != `{"artifact_id":"id.bin","bytes":3}` || kept["ada"] != "xxx" {
		t.Errorf("got %s, kept %q", got, kept)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("the folder for temporary files has %v, %v", left, err)
	}
}

// The folder of a call is made where the gateway keeps temporary files, and goes with the call.
func TestFoldersOfCallsAreTemporaryFiles(t *testing.T) {
	t.Parallel()
	dir, during := t.TempDir(), []string(nil)
	p := openProgram(t, wasmtools.Config{TempDir: dir, KeepFile: func(context.Context, agent.Call, []byte) (string, error) {
		var err error
		during, err = filepath.Glob(filepath.Join(dir, "windie-call-*"))
		return "art_1", err
	}}, wasmtools.Grant{})
	if _, err := p.Call(t.Context(), "write", agent.Call{Arguments: json.RawMessage(`{"n":10}`)}); err != nil {
		t.Fatal(err)
	}
	if len(during) != 1 {
		t.Errorf("during the call: %q", during)
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) > 0 {
		t.Errorf("after the call: %v, %v", after, err)
	}
}

// A module that is no command has no use for such a manifest.
func TestOnlyCommandsAreWrapped(t *testing.T) {
	t.Parallel()
	err := refused(t, wasmtools.Source{Module: module(t), Manifest: wasmtools.Manifest{Command: &command.Spec{}}}, wasmtools.Grant{})
	wantCode(t, err, sdkapi.ValidationError, "remove the field")
}

// A component is refused with what to do.
func TestComponentsAreRefused(t *testing.T) {
	t.Parallel()
	err := refused(t, wasmtools.Source{Module: []byte("\x00asm\x0d\x00\x01\x00")}, wasmtools.Grant{})
	wantCode(t, err, sdkapi.ValidationError, "docs/plugin-reference.md#components")
}

// Compiling waits for memory that others hold.
func TestCompilingTakesMemory(t *testing.T) {
	t.Parallel()
	code, err := program()
	if err != nil {
		t.Fatal(err)
	}
	pool := fair.New(fair.Options{Name: "bytes", Capacity: 64 << 20, Long: 48 << 20})
	all, err := pool.Take(t.Context(), "other", 48<<20, fair.Long)
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		e, err := wasmtools.NewEngine(wasmtools.Config{Memory: pool})
		if err == nil {
			m, _ := wasmtools.ParseManifest([]byte(programManifest))
			var p *wasmtools.Plugin
			if p, err = e.Open(t.Context(), wasmtools.Source{Name: "program", Module: code, Manifest: m}, wasmtools.Grant{}); err == nil {
				p.Close()
			}
		}
		opened <- err
	}()
	testkit.Eventually(t, "compiling that waits for memory", func() (int64, bool) {
		waiting := pool.Stats().Waiting
		return int64(waiting), waiting > 0
	})
	all.Give()
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "memory that was given back", func() (int64, bool) {
		taken := pool.Stats().Taken
		return taken, taken == 0
	})
}

// Compiling has its time.
func TestCompilingHasItsTime(t *testing.T) {
	t.Parallel()
	code, err := program()
	if err != nil {
		t.Fatal(err)
	}
	e, err := wasmtools.NewEngine(wasmtools.Config{})
	if err != nil {
		t.Fatal(err)
	}
	wasmtools.SetCompileTime(e, 10*time.Millisecond)
	_, err = e.Open(t.Context(), wasmtools.Source{Name: "program", Module: code}, wasmtools.Grant{})
	wantCode(t, err, sdkapi.ValidationError, "compiling the plugin took longer than 2m0s")
}

// A plugin for hyper-mcp says how far it is by that host's own function.
func TestExtismGuestsReportProgress(t *testing.T) {
	t.Parallel()
	const block = 4
	for _, tt := range []struct{ notification, want string }{
		{`{"progressToken":"","message":"half","progress":1,"total":2}`, "half"},
		{`{"progressToken":"","progress":3,"total":10}`, "3 of 10"},
		{`{"progress":0.5}`, "0.5"},
		{`no JSON`, ""},
	} {
		t.Run(tt.notification, func(t *testing.T) {
			t.Parallel()
			module := attacker(abi.Extism, 1, 1, []string{"extism:host/user.notify_progress"}, func(g *handmade) []byte {
				body := w.Seq(w.I64(len(tt.notification)), g.host("alloc"), w.Set(block))
				for i := range len(tt.notification) {
					body = w.Seq(body, w.Get(block), w.I64(i), i64Add, w.I32(int(tt.notification[i])), g.host("store_u8"))
				}
				return w.Seq(body, w.Get(block), g.host("notify_progress"))
			})
			p := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "hyper", Module: module})
			var lines []string
			ctx := agent.WithProgress(t.Context(), func(r agent.Report) { lines = append(lines, r.Line) })
			if _, _, err := call(ctx, t, p, "attack", `{}`); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(lines, "|"); got != tt.want {
				t.Errorf("shown: %q, want %q", got, tt.want)
			}
		})
	}
}

// What a guest puts out before its answer is shown as it is, whole.
func TestGuestsShowOutput(t *testing.T) {
	t.Parallel()
	const piece = "one\ttwo\nthree é"
	input, _ := json.Marshal(map[string]string{"output": piece}) // of texts
	p := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "writes", Module: attacker(abi.Bulk, 1, 1, nil, operation("progress", string(input)))})
	var shown []agent.Report
	ctx := agent.WithProgress(t.Context(), func(r agent.Report) { shown = append(shown, r) })
	if _, _, err := call(ctx, t, p, "attack", `{}`); err != nil {
		t.Fatal(err)
	}
	if len(shown) != 1 || shown[0] != (agent.Report{Output: piece}) {
		t.Errorf("shown: %+v", shown)
	}
}

// A guest's line is shown to whoever watches its call, without what a terminal would obey.
func TestGuestsReportProgress(t *testing.T) {
	t.Parallel()
	p := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "copies", Module: attacker(abi.Bulk, 1, 1, nil, operation("progress", `{"message":"3 of 10\u001b[2J"}`))})
	var lines []string
	ctx := agent.WithProgress(t.Context(), func(r agent.Report) { lines = append(lines, r.Line) })
	if _, _, err := call(ctx, t, p, "attack", `{}`); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "3 of 10") || strings.Contains(lines[0], "\x1b") {
		t.Errorf("shown: %q", lines)
	}
}
