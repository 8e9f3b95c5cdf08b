package plugins_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
}

var kits = []kit{
	{name: "go", file: "main.go", language: "go", with: goTools, crash: "panic: boom",
		probe:       "GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o probe.wasm .",
		probeModule: "probe.wasm", build: "GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o units.wasm ."},
	{name: "rust", file: "src/lib.rs", language: "rust", with: rust, crash: "panicked at ",
		probe:       "cargo build --release --target wasm32-unknown-unknown",
		probeModule: "target/wasm32-unknown-unknown/release/probe.wasm",
		build: `printf '[package]\nname = "units"\nversion = "1.0.0"\nedition = "2021"\n' > Cargo.toml
			sed -n '/^` + "```toml" + `$/,/^` + "```" + `$/p' ../../../sdk/plugin/rust/README.md | grep -v '^` + "```" + `' | sed 's|"../windie/|"../../../|' >> Cargo.toml
			cargo build --release --target wasm32-unknown-unknown
			cp target/wasm32-unknown-unknown/release/units.wasm .`},
	{name: "assemblyscript", file: "units.ts", language: "ts", with: script, loss: 4e-16, crash: "boom",
		probe:       "npx asc probe.ts -O --exportStart _initialize --use abort=../../../../../sdk/plugin/assemblyscript/index/abort -o probe.wasm",
		probeModule: "probe.wasm",
		build: `mkdir windie && cp ../../../sdk/plugin/assemblyscript/*.ts windie/
			npx asc units.ts -O --exportStart _initialize --use abort=windie/index/abort -o units.wasm`},
	{name: "c", file: "units.c", language: "c", with: cTools, loss: 1e-14, crash: "boom",
		probe:       "clang --target=wasm32 -O2 -nostdlib -Wall -Wextra -Werror -Wl,--no-entry,--stack-first,--strip-all -I ../../../../../sdk/plugin/c -o probe.wasm probe.c",
		probeModule: "probe.wasm",
		build: `cp ../../../sdk/plugin/c/windie.h .
			clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry,--stack-first,--strip-all -o units.wasm units.c`},
}

// eachKit runs a test with every kit's probe.
func eachKit(t *testing.T, test func(t *testing.T, k kit, wasm []byte)) {
	t.Parallel()
	for _, k := range kits {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			test(t, k, build(t, k.with, "examples/plugins/testdata/probe/"+k.name, k.probe, k.probeModule))
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
			readme := filepath.Join("..", "..", "sdk", "plugin", k.name, "README.md")
			text, err := os.ReadFile(readme)
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
			wasm := build(t, k.with, folder, k.build, "units.wasm")
			a := ask(t, wasm, "convert", `{"metres": 3.048}`, nothing)
			got, err := json.Marshal(a.Structured)
			if err != nil || string(got) != `{"feet":10}` && string(got) != `{"value":10}` {
				t.Errorf("%s, %v", got, err)
			}
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
	eachKit(t, func(t *testing.T, _ kit, wasm []byte) {
		d := describeAll(t, wasm)
		if d.Name != "probe" || d.Version != "1.0.0" || d.Description != "Does what a kit offers." || len(d.Tools) != 5 {
			t.Fatalf("%+v", d)
		}
		if tool := d.Tools[0]; tool.Name != "Echo It" || tool.Description != "Answers with what it gets." || !tool.Annotations["readOnlyHint"] {
			t.Errorf("%+v", tool)
		}
	})
}

// TestKitsKnowAToolByBothNames: by its own, and by what the gateway makes of
// it.
func TestKitsKnowAToolByBothNames(t *testing.T) {
	eachKit(t, func(t *testing.T, _ kit, wasm []byte) {
		for _, name := range []string{"Echo It", "echo_it"} {
			output, err := call(t, wasm, `{"name":"`+name+`","arguments":{"text":"x","number":1}}`, nothing)
			if err != nil || !strings.Contains(string(output), `"bytes":1`) {
				t.Errorf("%s: %s, %v", name, output, err)
			}
		}
		if output, err := call(t, wasm, `{"name":"other","arguments":{}}`, nothing); err == nil || !strings.Contains(err.Error(), "no such tool") && !strings.Contains(err.Error(), "no tool other") {
			t.Errorf("%s, %v", output, err)
		}
	})
}

// TestKitsTellFailureFromCrash: a tool's failure is an answer for the model,
// a crash fails the call, and what it said is reported.
func TestKitsTellFailureFromCrash(t *testing.T) {
	eachKit(t, func(t *testing.T, k kit, wasm []byte) {
		output, err := call(t, wasm, `{"name":"fail","arguments":{}}`, nothing)
		var a answer
		if err != nil || json.Unmarshal(output, &a) != nil || !a.IsError || a.text() != `it "failed"` {
			t.Errorf("%s, %v", output, err)
		}
		if output, err := call(t, wasm, `{"name":"crash","arguments":{}}`, nothing); err == nil || !strings.HasPrefix(err.Error(), k.crash) || !strings.Contains(err.Error(), "boom") {
			t.Errorf("%s, %v", output, err)
		}
	})
}

func TestKitsLog(t *testing.T) {
	eachKit(t, func(t *testing.T, _ kit, wasm []byte) {
		g := start(t, wasm)
		output, err := g.run("call", `{"name":"log","arguments":{}}`, nothing)
		if err != nil || !strings.Contains(string(output), `"done"`) || len(g.log) != 1 || g.log[0] != "3 a line" {
			t.Errorf("%s, %v, %q", output, err, g.log)
		}
	})
}

// TestKitsAskTheGateway checks what goes out and what comes back, with texts
// that need escapes, for operations that are done and that are not.
func TestKitsAskTheGateway(t *testing.T) {
	eachKit(t, func(t *testing.T, _ kit, wasm []byte) {
		var asked map[string]any
		host := func(op string, input []byte) (any, error) {
			if err := json.Unmarshal(input, &asked); err != nil {
				t.Error(err)
			}
			if op != "kv.get" {
				return nil, &hostError{"PERMISSION_DENIED", "\"" + op + "\"\nis not granted"}
			}
			return map[string]string{"value": "tab\tand \"é😀\""}, nil
		}
		a := ask(t, wasm, "host", `{"op": "kv.get", "input": {"key": "k\n\"\u00e9\ud83d\ude00"}}`, host)
		if asked["key"] != "k\n\"é😀" {
			t.Errorf("asked for %q", asked)
		}
		if got := fmt.Sprint(a.Structured); got != "map[code: message: ok:true value:map[value:tab\tand \"é😀\"]]" {
			t.Error(got)
		}
		a = ask(t, wasm, "host", `{"op": "kv.set", "input": {}}`, host)
		if got := fmt.Sprint(a.Structured); got != "map[code:PERMISSION_DENIED message:\"kv.set\"\nis not granted ok:false]" {
			t.Error(got)
		}
	})
}

// TestKitsKeepTextsAndNumbers sends many and expects them back.
func TestKitsKeepTextsAndNumbers(t *testing.T) {
	eachKit(t, func(t *testing.T, k kit, wasm []byte) {
		g := start(t, wasm)
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
			output, err := g.run("call", `{"name":"echo_it","arguments":`+string(in)+`}`, nothing)
			var got struct{ StructuredContent echoedBack }
			if err != nil || json.Unmarshal(output, &got) != nil {
				t.Fatalf("%s: %s, %v", in, output, err)
			}
			back := got.StructuredContent
			if back.Text != text || back.Bytes != len(text) || math.Abs(back.Number-number) > math.Abs(number)*k.loss {
				t.Errorf("%s: %s", in, output)
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
