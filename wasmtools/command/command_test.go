package command_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/command"
)

// tool reads a tool of a manifest.
func tool(t *testing.T, text string) *command.Tool {
	t.Helper()
	var out command.Tool
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return &out
}

// words returns an error with what it says of fields.
func words(err error) string {
	if err == nil {
		return ""
	}
	f := fault.From(err)
	return fmt.Sprint(f.Code, " ", f.Message, f.Details.Fields)
}

func TestCommandLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, args, arguments, want string }{
		{"fixed", `["-c", "--"]`, `{}`, `["-c" "--"]`},
		{"a text", `[{"from":"a"}]`, `{"a":"x y"}`, `["x y"]`},
		{"a large number", `[{"from":"a"}]`, `{"a":12345678901234567890}`, `["12345678901234567890"]`},
		{"null", `[{"from":"a","flag":"-a"}]`, `{"a":null}`, `[]`},
		{"true", `[{"from":"a","flag":"-a"}]`, `{"a":true}`, `["-a"]`},
		{"false", `[{"from":"a","flag":"-a"}]`, `{"a":false}`, `[]`},
		{"true without a flag", `[{"from":"a"}]`, `{"a":true}`, `["true"]`},
		{"true as JSON", `[{"from":"a","flag":"-a","json":true}]`, `{"a":true}`, `["-a" "true"]`},
		{"a flag and its value", `[{"from":"a","flag":"-a"}]`, `{"a":"-x"}`, `["-a" "-x"]`},
		{"joined", `[{"from":"a","flag":"--a=","join":true}]`, `{"a":-2}`, `["--a=-2"]`},
		{"a list", `[{"from":"a","flag":"-a"}]`, `{"a":["x",1]}`, `["-a" "x" "-a" "1"]`},
		{"an empty list", `[{"from":"a","flag":"-a","else":["-n"]}]`, `{"a":[]}`, `[]`},
		{"a list as JSON", `[{"from":"a","json":true}]`, `{"a":["<",1]}`, `["[\"<\",1]"]`},
		{"keys", `[{"from":"a","keys":true,"flag":"-v"}]`, `{"a":{"y":"2","x":{"z":1}}}`, `["-v" "x" "{\"z\":1}" "-v" "y" "2"]`},
		{"keys as JSON", `[{"from":"a","keys":true,"json":true}]`, `{"a":{"x":"1"}}`, `["x" "\"1\""]`},
		{"names", `[{"from":"a","names":true}]`, `{"a":{"y":1,"x":2}}`, `["x" "y"]`},
		{"mapped", `[{"from":"a","map":{"fast":["-f","1"],"slow":[]}}]`, `{"a":"fast"}`, `["-f" "1"]`},
		{"mapped to nothing", `[{"from":"a","map":{"slow":[]}}]`, `{"a":"slow"}`, `[]`},
		{"an empty map", `[{"from":"a","map":{},"else":["-n"]}]`, `{"a":{"b":1}}`, `[]`},
		{"absent", `[{"from":"a","map":{},"else":["-n"]}]`, `{}`, `["-n"]`},
		{"a dash", `[{"from":"a"}]`, `{"a":"-"}`, `["-"]`},
		{"after --", `["--",{"from":"a"}]`, `{"a":"-rf"}`, `["--" "-rf"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run, err := tool(t, `{"args":`+tt.args+`}`).Plan(json.RawMessage(tt.arguments), 1<<20, nil)
			if err != nil {
				t.Fatal(words(err))
			}
			if got := fmt.Sprintf("%q", run.Args); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestCommandLinesThatAreRefused(t *testing.T) {
	t.Parallel()
	const invalid = "VALIDATION_ERROR invalid arguments for the program; details.fields lists the problems"
	for _, tt := range []struct{ name, tool, arguments, want string }{
		{"a flag", `{"args":[{"from":"a"}]}`, `{"a":"-x"}`, invalid + "[{arguments.a expected a text that does not begin with -, because the program would read it as a flag}]"},
		{"a flag in a list", `{"args":[{"from":"a"}]}`, `{"a":["x","--y"]}`, "because the program would read it as a flag"},
		{"a flag as a name", `{"args":[{"from":"a","names":true}]}`, `{"a":{"--y":1}}`, "because the program would read it as a flag"},
		{"a flag as a key", `{"args":[{"from":"a","keys":true}]}`, `{"a":{"--y":1}}`, "because the program would read it as a flag"},
		{"a value of -- from a caller", `{"args":[{"from":"a"},{"from":"b"}]}`, `{"a":"--","b":"-x"}`, "arguments.a expected a text that does not begin with -"},
		{"NUL", `{"args":["--",{"from":"a"}]}`, `{"a":"x\u0000y"}`, invalid + "[{arguments.a expected a text without NUL}]"},
		{"a value without an entry", `{"args":[{"from":"a","map":{"x":[]}}]}`, `{"a":"y"}`, `expected one of ["x"]`},
		{"too long", `{"args":["--",{"from":"a"}]}`, `{"a":"` + strings.Repeat("x", command.MaxArgBytes-3) + `"}`, "PAYLOAD_TOO_LARGE the command line has 2 arguments with 131073 bytes; at most 4096 with 131072 bytes are allowed"},
		{"too many", `{"args":[{"from":"a"}]}`, `{"a":[` + strings.Repeat("1,", command.MaxArgs) + `1]}`, "PAYLOAD_TOO_LARGE the command line has 4097 arguments"},
		{"no object", `{}`, `[]`, "arguments expected a JSON object"},
		{"no folder", `{"files":[{"path":"x","each":true,"from":"a"}]}`, `{"a":"x"}`, "expected an object: the content of each file by its name"},
		{"no artifacts", `{"stdin":{"from":"a","artifact":true}}`, `{"a":"x.bin"}`, "this program has no artifacts"},
		{"no id", `{"stdin":{"from":"a","artifact":true}}`, `{"a":1}`, "arguments.a expected the id of an artifact"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tool(t, tt.tool).Plan(json.RawMessage(tt.arguments), 1<<20, nil)
			if got := words(err); !strings.Contains(got, tt.want) {
				t.Errorf("got %s, without %s", got, tt.want)
			}
		})
	}
}

// Bounds are taken to their edge.
func TestPlansAtTheirEdge(t *testing.T) {
	t.Parallel()
	files := func(n int) json.RawMessage {
		many := map[string]string{}
		for i := range n {
			many[fmt.Sprintf("%d.txt", i)] = "x"
		}
		raw, _ := json.Marshal(map[string]any{"a": many})
		return raw
	}
	each := tool(t, `{"files":[{"path":"in","each":true,"from":"a"}]}`)
	for _, tt := range []struct {
		name      string
		tool      *command.Tool
		arguments json.RawMessage
		most      int64
		want      string
	}{
		{"as many files as there may be", each, files(command.MaxFiles), 1 << 20, ""},
		{"a file more", each, files(command.MaxFiles + 1), 1 << 20, "more than 256 files"},
		{"as much as there may be", tool(t, `{"args":["12"],"stdin":{"from":"a"}}`), json.RawMessage(`{"a":"4567"}`), 7, ""},
		{"a byte more", tool(t, `{"args":["12"],"stdin":{"from":"a"}}`), json.RawMessage(`{"a":"4567"}`), 6, "input_bytes of 6"},
		{"a command line as long as it may be", tool(t, `{"args":["--",{"from":"a"}]}`), json.RawMessage(`{"a":"` + strings.Repeat("x", command.MaxArgBytes-4) + `"}`), 1 << 20, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := tt.tool.Plan(tt.arguments, tt.most, nil); !strings.Contains(words(err), tt.want) || tt.want == "" && err != nil {
				t.Errorf("got %q, without %q", words(err), tt.want)
			}
		})
	}
}

func TestInputs(t *testing.T) {
	t.Parallel()
	load := func(id string, most int64) ([]byte, error) {
		if id != "x.bin" {
			return nil, fault.New("test", sdkapi.ArtifactNotFound, "there is no artifact %q", id)
		}
		return []byte("artifact"), nil
	}
	x := tool(t, `{"stdin":{"from":"s","json":true},"files":[{"path":"in/a.txt","from":"a"},{"path":"b.bin","from":"b","artifact":true},{"path":".","each":true,"from":"c"}]}`)
	run, err := x.Plan(json.RawMessage(`{"s":"t","a":"A","b":"x.bin","c":{"d/e.json":[1],"f":""}}`), 1000, load)
	if err != nil {
		t.Fatal(words(err))
	}
	if got := fmt.Sprintf("%q %q", run.Stdin, run.Files); got != `"\"t\"" map["b.bin":"artifact" "d/e.json":"[1]" "f":"" "in/a.txt":"A"]` {
		t.Errorf("got %s", got)
	}
	dir := t.TempDir()
	if err := run.Write(dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "d", "e.json")); err != nil || string(text) != "[1]" {
		t.Errorf("the file has %q, %v", text, err)
	}
	_, err = x.Plan(json.RawMessage(`{"b":"y.bin"}`), 1000, load)
	if got := words(err); !strings.Contains(got, `ARTIFACT_NOT_FOUND there is no artifact "y.bin"[{arguments.b`) {
		t.Errorf("another artifact: %s", got)
	}
}

func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	each := tool(t, `{"files":[{"path":"in","each":true,"from":"a"}]}`)
	for name, ok := range map[string]bool{
		"a.txt": true, "a/b c.txt": true, ".hidden": true, "ä.txt": true, strings.Repeat("a", 1024): true,
		"": false, ".": false, "..": false, "../a": false, "a/../b": false, "/a": false, "a/": false, "a//b": false, `a\b`: false, "c:a": false, "a\x00": false, strings.Repeat("a", 1025): false,
	} {
		t.Run(fmt.Sprintf("%.20q", name), func(t *testing.T) {
			raw, _ := json.Marshal(map[string]any{"a": map[string]string{name: "x"}})
			if _, err := each.Plan(raw, 1<<20, nil); (err == nil) != ok {
				t.Errorf("taken: %v, want %v", err, ok)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	text := func(text string) string { return `{"content":[{"text":` + text + `,"type":"text"}]}` }
	for _, tt := range []struct {
		name, tool string
		outcome    command.Outcome
		want       string
	}{
		{"text", `{}`, command.Outcome{Stdout: []byte("a\n\xff")}, text(`"a\n�"`)},
		{"nothing", `{}`, command.Outcome{}, text(`""`)},
		{"JSON", `{"output":{"as":"json"}}`, command.Outcome{Stdout: []byte(" {\"a\": 1.50}\n")}, `{"structuredContent":{"a":1.50}}`},
		{"two values as JSON", `{"output":{"as":"json"}}`, command.Outcome{Stdout: []byte("1 2")}, "TOOL_ERROR the program did not print one JSON value[]"},
		{"no JSON", `{"output":{"as":"json"}}`, command.Outcome{Stdout: []byte("no")}, "TOOL_ERROR the program did not print one JSON value[]"},
		{"nothing as JSON", `{"output":{"as":"json"}}`, command.Outcome{}, "TOOL_ERROR the program did not print one JSON value[]"},
		{"values", `{"output":{"as":"json_lines"}}`, command.Outcome{Stdout: []byte("1\n{\"a\":[]}\n")}, `{"structuredContent":{"values":[1,{"a":[]}]}}`},
		{"no values", `{"output":{"as":"json_lines"}}`, command.Outcome{}, `{"structuredContent":{"values":[]}}`},
		{"lines", `{"output":{"as":"lines"}}`, command.Outcome{Stdout: []byte("a\n\nb\n")}, `{"structuredContent":{"lines":["a","","b"]}}`},
		{"no lines", `{"output":{"as":"lines"}}`, command.Outcome{}, `{"structuredContent":{"lines":[]}}`},
		{"an image", `{"output":{"as":"artifact","media_type":"image/png"}}`, command.Outcome{Stdout: []byte("x")}, `{"content":[{"type":"image","data":"eA==","mimeType":"image/png"}]}`},
		{"an exit code", `{}`, command.Outcome{Code: 3, Said: "why"}, "TOOL_ERROR the program exited with code 3: why[]"},
		{"an exit code and what was printed", `{}`, command.Outcome{Code: 3, Stdout: []byte("out\n")}, "TOOL_ERROR the program exited with code 3: out[]"},
		{"an exit code that is an answer", `{"exit":{"3":{"ok":true}}}`, command.Outcome{Code: 3, Stdout: []byte("out")}, text(`"out"`)},
		{"one that is not quiet", `{"exit":{"3":{"ok":true,"quiet":true}}}`, command.Outcome{Code: 3, Said: "why"}, `{"content":[{"text":"the program exited with code 3: why","type":"text"}],"isError":true}`},
		{"the rule for all", `{"exit":{"3":{"ok":true},"*":{"code":"NOT_FOUND","message":"no"}}}`, command.Outcome{Code: 4}, "NOT_FOUND no[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := tool(t, tt.tool).Answer(tt.outcome, 1000, nil)
			got := words(err)
			if err == nil {
				raw, _ := json.Marshal(a)
				got = string(raw)
			}
			if got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
	full := func([]byte) (string, error) { return "", fault.New("test", sdkapi.QuotaExceeded, "no room") }
	if _, err := tool(t, `{"output":{"as":"artifact"}}`).Answer(command.Outcome{}, 1000, full); fault.CodeOf(err) != sdkapi.QuotaExceeded {
		t.Errorf("without room: %v", err)
	}
}

func TestSpecsAreChecked(t *testing.T) {
	t.Parallel()
	many := strings.TrimSuffix(strings.Repeat(`"x",`, command.MaxTemplates+1), ",")
	for _, tt := range []struct{ name, spec, want string }{
		{"good", `{"tools":[{"name":"a","inputSchema":{"properties":{"x":{}}},"args":["b",{"from":"x"}]}]}`, ""},
		{"no tools", `{"tools":[]}`, "command.tools expected at least one tool"},
		{"two of a name", `{"tools":[{"name":"a"},{"name":"a"}]}`, "command.tools[1].name expected a name that no other tool has"},
		{"a property that is not there", `{"tools":[{"name":"a","args":[{"from":"x"}]}]}`, `command.tools[0].args[0].from expected a property of the inputSchema, not "x"`},
		{"standard input of one", `{"tools":[{"name":"a","stdin":{"from":"x"}}]}`, "command.tools[0].stdin.from"},
		{"a file outside", `{"tools":[{"name":"a","inputSchema":{"properties":{"x":{}}},"files":[{"path":"../x","from":"x"}]}]}`, "command.tools[0].files[0].path"},
		{"an output outside", `{"tools":[{"name":"a","output":{"file":"/etc/passwd"}}]}`, "command.tools[0].output.file"},
		{"a form that nobody knows", `{"tools":[{"name":"a","output":{"as":"xml"}}]}`, "command.tools[0].output.as expected text, json, json_lines, lines or artifact"},
		{"no exit code", `{"tools":[{"name":"a","exit":{"0":{"ok":true}}}]}`, "command.tools[0].exit.0 expected an exit code"},
		{"an exit code with zeros", `{"tools":[{"name":"a","exit":{"01":{"ok":true}}}]}`, "command.tools[0].exit.01 expected an exit code"},
		{"a code that is not for tools", `{"tools":[{"name":"a","exit":{"1":{"code":"INTERNAL_ERROR"}}}]}`, "command.tools[0].exit.1.code"},
		{"both", `{"tools":[{"name":"a","exit":{"1":{"ok":true,"code":"NOT_FOUND"}}}]}`, "expected either ok or a code"},
		{"join without a flag", `{"tools":[{"name":"a","inputSchema":{"properties":{"x":{}}},"args":[{"from":"x","join":true}]}]}`, "a flag together with join"},
		{"NUL", `{"tools":[{"name":"a","args":["\u0000"]}]}`, "expected texts without NUL"},
		{"too many arguments", `{"tools":[{"name":"a","args":[` + many + `]}]}`, "command.tools[0].args expected at most 256"},
		{"a variable", `{"env":{"A=B":""},"tools":[{"name":"a"}]}`, "command.env.A=B"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s command.Spec
			if err := json.Unmarshal([]byte(tt.spec), &s); err != nil {
				t.Fatal(err)
			}
			f := s.Check(fault.New("test", sdkapi.ValidationError, ""), "command")
			got := fmt.Sprint(f.Details.Fields)
			if !strings.Contains(got, tt.want) || tt.want == "" && len(f.Details.Fields) > 0 {
				t.Errorf("got %s, without %s", got, tt.want)
			}
		})
	}
	var a command.Arg
	if err := json.Unmarshal([]byte(`{"from":"x","flags":"-x"}`), &a); err == nil {
		t.Error("a field that nobody knows is taken")
	}
}

// An argument is the same after it was written and read.
func TestArgsRoundTrip(t *testing.T) {
	t.Parallel()
	const text = `["-c",{"from":"a","flag":"-a","map":{}},{"from":"b","join":true,"flag":"--b=","map":null}]`
	var args, again []command.Arg
	raw, err := []byte(nil), json.Unmarshal([]byte(text), &args)
	if err == nil {
		raw, err = json.Marshal(args)
		err = errors.Join(err, json.Unmarshal(raw, &again))
	}
	if err != nil || fmt.Sprint(args) != fmt.Sprint(again) || again[1].Map == nil {
		t.Errorf("%v, then %v: %s, %v", args, again, raw, err)
	}
}
