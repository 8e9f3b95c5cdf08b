package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools/author"
)

// quickjs returns the runtime that `make deps` fetched.
func quickjs(t *testing.T) string {
	t.Helper()
	path := filepath.Join(testkit.RepoRoot(t), ".tools", "quickjs.wasm")
	if _, err := os.Stat(path); err != nil {
		testkit.Skip(t, "the JavaScript runtime", "make deps")
	}
	return path
}

// writer uses the tool commands, in a folder of its own.
type writer struct {
	t       *testing.T
	dir     string
	environ []string
}

func newWriter(t *testing.T, environ ...string) writer {
	t.Helper()
	dir := t.TempDir()
	return writer{t, dir, append([]string{"WINDIE_DATA_DIR=" + filepath.Join(dir, "data"), "PATH=" + os.Getenv("PATH")}, environ...)}
}

// newScripter is one that can run JavaScript.
func newScripter(t *testing.T) writer {
	t.Helper()
	return newWriter(t, "WINDIE_SCRIPT_RUNTIME="+quickjs(t))
}

// put writes a file of the author's folder, and returns its path.
func (a writer) put(name, content string) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o700)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return path
}

// tool runs a tool command.
func (a writer) tool(args ...string) (code int, stdout, stderr string) {
	a.t.Helper()
	var out, complaint output
	code = run(a.t.Context(), append([]string{"tool"}, args...), a.environ, nil, &out, &complaint)
	return code, out.String(), complaint.String()
}

// want runs a tool command, which must end with a code and print texts, be it
// to standard output or error.
func (a writer) want(code int, texts []string, args ...string) string {
	a.t.Helper()
	got, out, complaint := a.tool(args...)
	if got != code {
		a.t.Fatalf("%v: %d, want %d\n%s%s", args, got, code, out, complaint)
	}
	for _, text := range texts {
		if !strings.Contains(out+complaint, text) {
			a.t.Errorf("%v: without %q:\n%s%s", args, text, out, complaint)
		}
	}
	return out
}

// sample is a plugin with a tool for each thing that the commands report.
const sample = `globalThis.tools = [
  { name: "say", description: "Says it again.", annotations: { readOnlyHint: true },
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
    outputSchema: { type: "object" },
    call: ({ text }) => ({ text, list: [1, { two: 2 }] }) },
  { name: "word", call: () => "a <word>\n" },
  { name: "refuse", call: () => { throw new Error("not today"); } },
  { name: "lie", outputSchema: { type: "object", required: ["truth"] }, call: () => ({}) },
  { name: "count", call: () => { const n = 1 + Number(windie.kv.get("n") ?? 0); windie.kv.set("n", n); return { n }; } },
  { name: "get", call: ({ url }) => ({ body: windie.http({ url }).body, greeting: windie.config("greeting"), at: Date.now(), drawn: Math.random() }) },
];`

func TestToolCall(t *testing.T) {
	t.Parallel()
	a := newScripter(t)
	file := a.put("sample.js", sample)
	arguments := a.put("arguments.json", `{"text":"from a file"}`)
	out := a.want(0, []string{" fuel, ", " of memory, ", " host calls"}, "call", file, "say", `{"text":"<hello>"}`)
	if out != "{\n  \"text\": \"<hello>\",\n  \"list\": [\n    1,\n    {\n      \"two\": 2\n    }\n  ]\n}\n" {
		t.Errorf("the answer is %q", out)
	}
	a.want(0, []string{`"from a file"`}, "call", file, "sample.say", "@"+arguments, "--user", "ada")
	if out := a.want(0, nil, "call", file, "word"); out != "a <word>\n" {
		t.Errorf("a text is %q", out)
	}
	a.want(exitFailed, []string{"not today\n", "windie: the tool returned an error"}, "call", file, "refuse")
	a.want(exitFailed, []string{"the arguments do not match the schema of the tool \"sample.say\"\n  arguments.text: expected this field, which is required"}, "call", file, "say")
	a.want(exitFailed, []string{"arguments: expected valid JSON"}, "call", file, "say", "{")
	a.want(exitFailed, []string{"its output does not match its schema", "truth"}, "call", file, "lie")
	a.want(exitFailed, []string{`has no tool "sing"; it has: sample.count, sample.get, sample.lie, sample.refuse, sample.say, sample.word`}, "call", file, "sing")
	a.want(exitFailed, []string{"no such file"}, "call", filepath.Join(a.dir, "none.js"), "say")
	a.want(exitFailed, []string{"no such file"}, "call", file, "say", "@none.json")
	a.want(exitFailed, []string{"expected a .wasm or a .js file"}, "call", arguments, "say")
	a.want(exitFailed, []string{"--out: the answer has no image"}, "call", file, "word", "--out", filepath.Join(a.dir, "x.png"))
}

func TestToolGrants(t *testing.T) {
	t.Parallel()
	a := newScripter(t)
	file := a.put("sample.js", sample)
	grants := a.put("grants.json", `{"other":{"disabled":true},"sample":{"permissions":{"kv":{"bytes":1000}}}}`)
	grant := a.put("grant.json", `{"permissions":{"kv":{"bytes":1000}}}`)
	a.want(exitFailed, []string{"was not granted a store"}, "call", file, "count")
	for range 2 { // each call has an empty store
		a.want(0, []string{`"n": 1`}, "call", file, "count", "--grants", grants)
	}
	a.want(0, []string{`"n": 1`}, "call", file, "count", "--grant", "@"+grant)
	a.want(exitFailed, []string{"host_calls of 1"}, "call", file, "count", "--grants", grants, "--grant", `{"limits":{"host_calls":1}}`)
	a.want(exitFailed, []string{"sample.permissions.kv.bytes: expected 1 to"}, "call", file, "count", "--grant", `{"permissions":{"kv":{"bytes":-1}}}`)
	a.want(exitFailed, []string{`unknown field "permission"`}, "call", file, "count", "--grant", `{"permission":{}}`)
	a.want(exitFailed, []string{"--grant: ", "is not valid JSON"}, "call", file, "count", "--grant", "{")
	a.want(exitFailed, []string{"--grants: ", "no such file"}, "call", file, "count", "--grants", "none.json")
}

// A call under a grant reaches what that names, and one without a grant does not.
func TestToolCallReachesWhatIsGranted(t *testing.T) {
	t.Parallel()
	a := newScripter(t)
	file := a.put("sample.js", sample)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the page") }))
	defer server.Close()
	grant := fmt.Sprintf(`{"config":{"greeting":"hello"},"permissions":{"http":[{"host":%q,"schemes":["http"],"private":true}]}}`, strings.TrimPrefix(server.URL, "http://"))
	arguments := fmt.Sprintf(`{"url":%q}`, server.URL)
	a.want(0, []string{"the page", "hello"}, "call", file, "get", arguments, "--grant", grant)
	a.want(exitFailed, []string{"the grant has no rule for"}, "call", file, "get", arguments)
}

// What would be granted by the JSON that inspect prints is no longer denied.
func TestToolInspect(t *testing.T) {
	t.Parallel()
	a := newScripter(t)
	file := a.put("sample.js", sample)
	a.put("sample.json", `{"version":"1.2.3","description":"A sample.","limits":{"wall_ms":90000},
		"permissions":{"http":[{"host":"api.example.com","methods":["GET","POST"]}],"env":["LANG"],"tools":["a.b","a.c"],"kv":{"bytes":1000}}}`)
	texts := []string{
		"sample 1.2.3", "A sample.", "script", "snapshot", "64.0 MiB at most", "imports    env: host_", "limits     the defaults",
		"nothing but the clock and random numbers", `http {"host":"api.example.com","methods":["GET","POST"]}`, `env "LANG"`, `kv {"bytes":1000}`,
		"it requests a higher wall_ms; a grant can raise it", "sample.say (safe): Says it again.", `takes {"type":"object","properties":{"text"`, "gives {",
	}
	out := a.want(0, texts, "inspect", file)
	allow := regexp.MustCompile(`--grant '(.*)'`).FindStringSubmatch(out)
	if allow == nil {
		t.Fatalf("nothing says what to grant:\n%s", out)
	}
	out = a.want(0, []string{"sample.say (risky)", "sample.word (risky)", `put "risk": {"say":"safe"} into its grant`}, "inspect", file, "--grant", allow[1])
	if strings.Contains(out, "denied") {
		t.Errorf("all was granted, and some is denied:\n%s", out)
	}
	believing := strings.TrimSuffix(allow[1], "}") + `,"risk":{"say":"safe"}}`
	out = a.want(0, []string{"sample.say (safe)", "sample.word (risky)"}, "inspect", file, "--grant", believing)
	if strings.Contains(out, "claims") {
		t.Errorf("it is believed, and inspect goes on about it:\n%s", out)
	}
	out = a.want(0, nil, "inspect", file, "--json", "--grant", `{"limits":{"wall_ms":90000}}`)
	var i author.Inspection
	if err := json.Unmarshal([]byte(out), &i); err != nil {
		t.Fatal(err)
	}
	if i.Admission.Limits.WallMS != 90000 || len(i.Admission.Denied) != 5 || len(i.Tools) != 6 || i.Tools[4].Name != "sample.say" || i.Tools[4].Input == nil || i.Problem != "" {
		t.Errorf("%+v", i)
	}
}

func TestToolInspectRefusals(t *testing.T) {
	t.Parallel()
	a := newScripter(t)
	a.want(exitFailed, []string{"problem", "not today"}, "inspect", a.put("throws.js", `throw new Error("not today")`))
	a.want(exitFailed, []string{"not a WebAssembly module"}, "inspect", a.put("text.wasm", "a text"))
	a.put("named.json", `{"name":"Named","version":5}`)
	a.want(exitFailed, []string{"the manifest is not valid JSON"}, "inspect", a.put("named.js", sample))
	a.put("twice.js", sample)
	a.put("twice.json", `{"name":"sample","description":"A clock.\n\u001b[2Kgranted  all\u202e"}`)
	out := a.want(0, []string{`is         A clock.\n\x1b[2Kgranted  all\u202e`}, "inspect", filepath.Join(a.dir, "twice.js"))
	if strings.Contains(out, "\x1b") || strings.Contains(out, "\ngranted  all") {
		t.Errorf("what a plugin says of itself forges lines:\n%s", out)
	}
}

func TestToolTest(t *testing.T) {
	t.Parallel()
	a := newScripter(t)
	dir := filepath.Dir(a.put("sample/sample.js", sample))
	a.put("sample/sample.test.json", `[{"tool":"say","arguments":{"text":"x"},"want":{"text":"x"}},{"tool":"sample.refuse","error":"not today"}]`)
	out := a.want(0, nil, "test", dir)
	if out != "ok    say {\"text\":\"x\"}\nok    sample.refuse {}\n2 of 2 passed\n" {
		t.Errorf("it prints %q", out)
	}
	a.put("sample/sample.test.json", `[{"tool":"count","want":{"n":1}},{"tool":"word","want":{"n":1}},{"tool":"say","arguments":{"text":"x"},"want":{"text":"y"}},{"tool":"word","want":"a <word>"}]`)
	out = a.want(exitFailed, nil, "test", dir)
	for _, want := range []string{"FAIL  count {}\n      it failed: ", "FAIL  word {}\n      it has no structured answer", "answer.text is \"x\", want \"y\"\nok    word {}\n1 of 4 passed\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("without %q:\n%s", want, out)
		}
	}
	a.want(exitFailed, []string{"2 of 4 passed"}, "test", dir, "--grant", `{"permissions":{"kv":{"bytes":1000}}}`)
	a.put("sample/sample.test.json", `{}`)
	a.want(exitFailed, []string{"sample.test.json"}, "test", dir)
	a.want(exitFailed, []string{"none.test.json", "no such file"}, "test", filepath.Dir(a.put("none/none.js", sample)))
}

func TestToolBench(t *testing.T) {
	t.Parallel()
	a := newScripter(t)
	file := a.put("sample.js", sample)
	out := a.want(0, nil, "bench", file, "say", `{"text":"x"}`, "-n", "3")
	for _, isolation := range []string{"snapshot", "fresh", "reuse"} {
		if !regexp.MustCompile(isolation + ` +3 +\d+ +\d+\.\d{3} +\d+\.\d{3} +\d+ +\d\.\d MiB`).MatchString(out) {
			t.Errorf("no measure in the isolation %s:\n%s", isolation, out)
		}
	}
	a.want(exitFailed, []string{"not today"}, "bench", file, "refuse")
	a.want(exitFailed, []string{"-n: "}, "bench", file, "say", "-n", "0")
}
