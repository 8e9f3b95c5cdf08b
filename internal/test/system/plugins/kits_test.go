//go:build system

package plugins_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/values"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
)

// kit is one of sdk/plugin. Its probe, in testdata/probe, does what the
// others' do; its README has a program that converts 3 metres to feet.
type kit struct {
	name, file, language string // of the program in the README
	with                 toolchain
	probe, build         string // the commands that make module
	probeModule          string
	loss                 float64 // of a number that comes back, as a part of it
	crash                string  // how what a crash says begins
	where                string  // a pattern of where the crash was, in what it says; empty for a kit that does not say
}

var kits = []kit{
	{name: "go", file: "main.go", language: "go", with: goTools, crash: "panic: boom",
		probe:       "GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o probe.wasm .",
		probeModule: "probe.wasm", build: "GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o units.wasm ."},
	{name: "rust", file: "src/lib.rs", language: "rust", with: rust, crash: "panicked at ", where: `src/lib\.rs:\d+`,
		probe:       "cargo build --release --target wasm32-unknown-unknown",
		probeModule: "target/wasm32-unknown-unknown/release/probe.wasm",
		build: `printf '[package]\nname = "units"\nversion = "1.0.0"\nedition = "2021"\n' > Cargo.toml
			sed -n '/^` + "```toml" + `$/,/^` + "```" + `$/p' ../../../sdk/plugin/rust/README.md | grep -v '^` + "```" + `' | sed 's|"../windie/|"../../../|' >> Cargo.toml
			cargo build --release --target wasm32-unknown-unknown
			cp target/wasm32-unknown-unknown/release/units.wasm .`},
	{name: "assemblyscript", file: "units.ts", language: "ts", with: script, loss: 4e-16, crash: "boom", where: `probe\.ts:\d+`,
		probe:       "npx asc probe.ts -O --exportStart _initialize --use abort=../../../../../../../sdk/plugin/assemblyscript/index/abort -o probe.wasm",
		probeModule: "probe.wasm",
		build: `mkdir windie && cp ../../../sdk/plugin/assemblyscript/*.ts windie/
			npx asc units.ts -O --exportStart _initialize --use abort=windie/index/abort -o units.wasm`},
	{name: "c", file: "units.c", language: "c", with: cTools, loss: 1e-14, crash: "boom",
		probe:       "clang --target=wasm32 -O2 -nostdlib -Wall -Wextra -Werror -Wl,--no-entry,--stack-first,--strip-all -I ../../../../../../../sdk/plugin/c -o probe.wasm probe.c",
		probeModule: "probe.wasm",
		build: `cp ../../../sdk/plugin/c/windie.h .
			clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry,--stack-first,--strip-all -o units.wasm units.c`},
}

// eachKit runs a test with every kit's probe.
func eachKit(t *testing.T, cfg wasmtools.Config, grant wasmtools.Grant, test func(t *testing.T, k kit, p plugin)) {
	t.Parallel()
	for _, k := range kits {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			test(t, k, open(t, "probe", build(t, k.with, probes+"/probe/"+k.name, k.probe, k.probeModule), cfg, grant))
		})
	}
}

// TestFirstFiveMinutes builds the program of each kit's README with the
// command that stands there.
func TestFirstFiveMinutes(t *testing.T) {
	t.Parallel()
	for _, k := range kits {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			readme := filepath.Join("sdk", "plugin", k.name, "README.md")
			text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), readme))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(k.build) {
				if line = strings.TrimSpace(line); strings.Contains(line, "build") || strings.Contains(line, "-o units.wasm") {
					if !strings.Contains(string(text), line) {
						t.Errorf("%s does not say to run %s", readme, line)
					}
				}
			}
			folder := "examples/plugins/readme-" + k.name
			file := filepath.Join(bench(t, folder), k.file)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(block(t, readme, k.language)), 0o600); err != nil {
				t.Fatal(err)
			}
			convertsMetres(t, build(t, k.with, folder, k.build, "units.wasm"))
		})
	}
}

// TestCrates runs the tests of the Rust kit and of the example in Rust.
func TestCrates(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"sdk/plugin/rust", "examples/plugins/colours"} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			dir := bench(t, folder)
			shell(t, dir, append(needRust(t, dir), "CARGO_TARGET_DIR=target/tests"), "cargo test --quiet") // a build may run beside
		})
	}
}

func TestKitsDescribe(t *testing.T) {
	eachKit(t, wasmtools.Config{}, wasmtools.Grant{}, func(t *testing.T, _ kit, p plugin) {
		d := p.Description
		if d.Name != "probe" || d.Version != "1.0.0" || d.Description != "Does what a kit offers." || len(d.Tools) != 5 {
			t.Fatalf("%+v", d)
		}
		if tool := d.Tools[0]; tool.Name != "Echo It" || tool.Description != "Answers with what it gets." || !readsOnly(tool) {
			t.Errorf("%+v", tool)
		}
	})
}

// TestKitsKnowAToolByBothNames: by its own, and by what the gateway makes of
// it.
func TestKitsKnowAToolByBothNames(t *testing.T) {
	eachKit(t, wasmtools.Config{}, wasmtools.Grant{}, func(t *testing.T, _ kit, p plugin) {
		for _, name := range []string{"Echo It", "echo_it"} {
			t.Run(name, func(t *testing.T) {
				if result, err := p.call(t, name, `{"text":"x","number":1}`); err != nil || !strings.Contains(string(result.Structured), `"bytes":1`) {
					t.Errorf("%s, %v", result.Structured, err)
				}
			})
		}
		if result, err := p.call(t, "other", `{}`); err == nil || !strings.Contains(err.Error(), "no such tool") && !strings.Contains(err.Error(), "no tool other") {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// TestKitsTellFailureFromCrash: a tool's failure is an answer for the model,
// a crash fails the call, and what it said is reported. The call after it works.
func TestKitsTellFailureFromCrash(t *testing.T) {
	eachKit(t, wasmtools.Config{}, wasmtools.Grant{}, func(t *testing.T, k kit, p plugin) {
		if a := p.ask(t, "fail", `{}`); !a.IsError || a.text != `it "failed"` {
			t.Errorf("%+v", a)
		}
		_, err := p.registry.Invoke(t.Context(), "probe.crash", agent.Call{User: "ada"})
		told := fault.From(err)
		if told.Code != sdkapi.ToolError || !strings.HasPrefix(told.Message, `the plugin "probe" failed: `+k.crash) || !strings.Contains(told.Message, "boom") {
			t.Errorf("%s: %s", told.Code, told.Message)
		}
		if where := regexp.MustCompile(k.where); !where.MatchString(told.Message) {
			t.Errorf("%s; want where it was, as %s", told.Message, where)
		}
		if a := p.ask(t, "fail", `{}`); a.text != `it "failed"` {
			t.Errorf("after a crash: %+v", a)
		}
	})
}

func TestKitsLog(t *testing.T) {
	var lines lines
	eachKit(t, wasmtools.Config{Log: slog.New(&lines)}, wasmtools.Grant{}, func(t *testing.T, k kit, p plugin) {
		result, err := p.registry.Invoke(t.Context(), "probe.log", agent.Call{ID: k.name, User: "ada"})
		if said := answerOf(t, result); err != nil || said.text != "done" {
			t.Errorf("%+v, %v", said, err)
		}
		if got := lines.of(k.name); !slices.Equal(got, []string{"WARN a line of probe"}) {
			t.Errorf("%q", got)
		}
	})
}

// TestKitsAskTheGateway checks what goes out and what comes back, with texts
// that need escapes, for operations that are done and that are not.
func TestKitsAskTheGateway(t *testing.T) {
	store := values.Open(databasetest.Open(t, databasetest.InFile(t)))
	const quota, key = 1 << 20, "k\n\"é😀"
	if err := store.Plugin("probe", quota).Set(t.Context(), key, []byte("tab\tand \"é😀\"")); err != nil {
		t.Fatal(err)
	}
	cfg := wasmtools.Config{Store: func(plugin, _ string, quota wasmtools.Quota) abi.Store { return store.Plugin(plugin, quota.Bytes) }}
	grant := wasmtools.Grant{Permissions: wasmtools.Permissions{KV: &wasmtools.Quota{Bytes: quota}, Tools: []string{"test.refuse"}}}
	eachKit(t, cfg, grant, func(t *testing.T, k kit, p plugin) {
		if err := p.registry.Register(refusing()); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct{ op, input, want string }{
			{"kv.get", `{"key": "k\n\"\u00e9\ud83d\ude00"}`, "map[code: message: ok:true value:map[value:tab\tand \"é😀\"]]"},
			{"kv.set", `{"key": "` + k.name + `", "value": "\u00e9\n\"\\"}`, "map[code: message: ok:true value:map[]]"},
			{"kv.get", `{"key": "` + k.name + `"}`, "map[code: message: ok:true value:map[value:é\n\"\\]]"},
			{"kv.get", `{"key": "none"}`, "map[code: message: ok:true value:map[value:<nil>]]"},
			{"tools.call", `{"name": "test.refuse", "arguments": {}}`, "map[code:PERMISSION_DENIED message:\"test\"\nis not granted ok:false]"},
			{"tools.call", `{"name": "test.other", "arguments": {}}`, "map[code:PERMISSION_DENIED message:the plugin \"probe\" was not granted that tool; " +
				"the operator can put \"tools\":[\"test.other\"] into the permissions of its grant ok:false]"},
			{"http.request", `{"url": "https://weather.example/"}`, "map[code:PERMISSION_DENIED message:"},
			{"no.such", `{}`, "map[code:NOT_FOUND message:there is no operation \"no.such\" ok:false]"},
		} {
			t.Run(tt.op+" "+tt.input, func(t *testing.T) {
				a := p.ask(t, "host", `{"op": "`+tt.op+`", "input": `+tt.input+`}`)
				if got := fmt.Sprint(a.Structured); !strings.HasPrefix(got, tt.want) {
					t.Errorf("%s\nwant %s", got, tt.want)
				}
			})
		}
		written, _, err := store.Plugin("probe", quota).Get(t.Context(), k.name)
		if err != nil || string(written) != "é\n\"\\" {
			t.Errorf("the store has %q, %v", written, err)
		}
	})
}

// TestKitsAreRefused asks for what was not granted.
func TestKitsAreRefused(t *testing.T) {
	eachKit(t, wasmtools.Config{}, wasmtools.Grant{}, func(t *testing.T, _ kit, p plugin) {
		a := p.ask(t, "host", `{"op": "kv.set", "input": {"key": "k", "value": "v"}}`)
		want := "map[code:PERMISSION_DENIED message:the plugin \"probe\" was not granted a store; the operator can put \"kv\":{\"bytes\":1048576} into the permissions of its grant ok:false]"
		if got := fmt.Sprint(a.Structured); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
}

// refusing returns a tool that may not be called, with a text that needs escapes.
func refusing() agent.Tool {
	return agent.Func(agent.Descriptor{Name: "test.refuse", Risk: agent.Safe}, func(context.Context, agent.Call, struct{}) (struct{}, error) {
		return struct{}{}, fault.New("test.refuse", sdkapi.PermissionDenied, "%s", "\"test\"\nis not granted")
	})
}

// TestKitsKeepTextsAndNumbers sends many and expects them back, of one guest.
func TestKitsKeepTextsAndNumbers(t *testing.T) {
	eachKit(t, wasmtools.Config{}, wasmtools.Grant{Isolation: wasmtools.Reuse}, func(t *testing.T, k kit, p plugin) {
		random := rand.New(rand.NewPCG(1, 2))
		for i := range 250 {
			text, number := someText(random), someNumber(random, i)
			in, err := json.Marshal(map[string]any{"text": text, "number": number, "more": []any{text, map[string]any{text: "}]\""}}})
			if err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				in = []byte(strings.NewReplacer("é", `\u00e9`, "😀", `\ud83d\ude00`).Replace(string(in)))
			}
			result, err := p.call(t, "echo_it", string(in))
			var back echoedBack
			if err != nil || json.Unmarshal(result.Structured, &back) != nil {
				t.Fatalf("%s: %s, %v", in, result.Structured, err)
			}
			if back.Text != text || back.Bytes != len(text) || math.Abs(back.Number-number) > math.Abs(number)*k.loss {
				t.Errorf("%s: %s", in, result.Structured)
			}
		}
	})
}

type echoedBack struct {
	Text   string
	Number float64
	Bytes  int
}

func someText(r *rand.Rand) string {
	letters := []rune("ab \"\\/\n\r\t\x00\x1f\x7fé€😀\U00010000\u2028{}[],:")
	text := make([]rune, r.IntN(12))
	for i := range text {
		text[i] = letters[r.IntN(len(letters))]
	}
	return string(text)
}

// someNumber begins with those that are easily got wrong.
func someNumber(r *rand.Rand, i int) float64 {
	hard := []float64{0, 1, -1, 0.1, 9.84, 1e15, 999999999999999, 1e21, 1e-7, 123456789.125, 1e300, -1e-300, 5e-324, 0.3, 1e22, 1e23, math.MaxInt64, 100, 1e14, 1e-5,
		12345678901234567e20, 12345678901234567e6, 12345678901234567e7, 12345678901234567e21, 12345678901234567e22, 1234567890123456e22, 1e37, 1e38}
	switch {
	case i < len(hard):
		return hard[i]
	case i%2 == 0:
		return math.Round(r.NormFloat64()*1e6) / 1000
	}
	return r.NormFloat64() * math.Pow(10, float64(r.IntN(600)-300))
}
