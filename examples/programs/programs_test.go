//go:build system

package programs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/author"
)

// built has the programs as make examples builds them, each in the folder of its manifest.
var built struct {
	once sync.Once
	dir  string
	err  error
	said []byte
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

func folder(t testing.TB, name string) string {
	t.Helper()
	root := testkit.RepoRoot(t)
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "windie-programs-"); built.err != nil {
			return
		}
		if built.err = os.CopyFS(built.dir, os.DirFS(filepath.Join(root, "examples", "programs"))); built.err != nil {
			return
		}
		build := exec.Command(filepath.Join(root, "scripts", "examples.sh"), built.dir)
		built.said, built.err = build.CombinedOutput()
	})
	if built.err != nil {
		if strings.Contains(string(built.said), "no required module") || strings.Contains(string(built.said), "dial tcp") || strings.Contains(string(built.said), "module lookup disabled") {
			testkit.Skip(t, "the packages of the programs", "scripts/deps.sh plugins")
		}
		t.Fatalf("%v\n%s", built.err, built.said)
	}
	return filepath.Join(built.dir, name)
}

// TestPrograms makes the calls of each program's test file, as windie tool test does.
func TestPrograms(t *testing.T) {
	t.Parallel()
	w := author.NewWorkshop(wasmtools.Config{CacheDir: t.TempDir()}, nil)
	for _, name := range []string{"jq", "search", "awk"} {
		t.Run(name, func(t *testing.T) {
			p, err := author.ProjectIn(folder(t, name))
			if err != nil {
				t.Fatal(err)
			}
			var cases []json.RawMessage
			raw, err := os.ReadFile(filepath.Join(folder(t, name), name+".test.json"))
			if err == nil {
				err = json.Unmarshal(raw, &cases)
			}
			if err != nil || len(cases) < 20 {
				t.Fatalf("the test file has %d cases, want at least 20: %v", len(cases), err)
			}
			var out bytes.Buffer
			failed, err := p.Test(t.Context(), w, author.Testing{Out: &out, Progress: &out})
			if err != nil || failed > 0 {
				t.Errorf("%d failed, %v\n%s", failed, err, &out)
			}
		})
	}
}

// BenchmarkPrograms compares a call with the same program built for this machine.
func BenchmarkPrograms(b *testing.B) {
	for _, tt := range []struct {
		name, pkg, tool, arguments, input string
		args                              []string
	}{
		{"jq", "github.com/itchyny/gojq/cmd/gojq", "query", `{"filter":"map(.age) | add","input":[{"age":36},{"age":41}]}`, `[{"age":36},{"age":41}]`, []string{"-c", "map(.age) | add"}},
		{"search", "github.com/google/codesearch/cmd/cgrep", "lines", `{"pattern":"b+","text":"abc\nxyz\n"}`, "abc\nxyz\n", []string{"-h", "b+"}},
		{"awk", "github.com/benhoyt/goawk", "run", `{"script":"{ s += $2 } END { print s }","input":"a 1\nb 2\n"}`, "a 1\nb 2\n", []string{"{ s += $2 } END { print s }"}},
	} {
		b.Run(tt.name+"/plugin", func(b *testing.B) {
			p := opened(b, tt.name)
			for b.Loop() {
				if r, err := p.Call(context.Background(), tt.tool, agent.Call{Arguments: json.RawMessage(tt.arguments)}); err != nil || r.IsError {
					b.Fatal(r, err)
				}
			}
		})
		b.Run(tt.name+"/native", func(b *testing.B) {
			program := filepath.Join(b.TempDir(), tt.name)
			build := exec.Command("go", "build", "-C", filepath.Join(testkit.RepoRoot(b), "examples", "programs", "packages"), "-ldflags=-s -w", "-o", program, tt.pkg)
			if said, err := build.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, said)
			}
			for b.Loop() {
				run := exec.Command(program, tt.args...)
				run.Stdin = strings.NewReader(tt.input)
				if _, err := run.Output(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func opened(b *testing.B, name string) *wasmtools.Plugin {
	b.Helper()
	engine, err := wasmtools.NewEngine(wasmtools.Config{})
	if err != nil {
		b.Fatal(err)
	}
	src, err := wasmtools.ReadSource(filepath.Join(folder(b, name), name+".wasm"), 0)
	if err != nil {
		b.Fatal(err)
	}
	p, err := engine.Open(context.Background(), src, wasmtools.Grant{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.Close)
	return p
}
