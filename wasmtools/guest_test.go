package wasmtools_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { os.Exit(countArrivals(code)) }))
}

// scratch is where guests are built, once for all tests.
var scratch = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "windie-guests-") })

// goGuest builds testdata/guest with the kit, and returns the module.
var goGuest = sync.OnceValues(func() ([]byte, error) {
	dir, err := scratch()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-o", out, "./testdata/guest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
})

// module returns the guest of testdata/guest.
func module(t testing.TB) []byte {
	t.Helper()
	b, err := goGuest()
	if err != nil {
		t.Fatalf("the guest for tests does not build: %v", err)
	}
	return b
}

// cacheDir holds what tests compiled, so that each module is compiled once.
var cacheDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "windie-compiled-") })

// newEngine returns an engine whose folder all tests share.
func newEngine(t testing.TB, cfg wasmtools.Config) *wasmtools.Engine {
	t.Helper()
	dir, err := cacheDir()
	if err == nil && cfg.CacheDir == "" {
		cfg.CacheDir = dir
	}
	e, err := wasmtools.NewEngine(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// open opens the guest of testdata/guest.
func open(t testing.TB, cfg wasmtools.Config, grant wasmtools.Grant) *wasmtools.Plugin {
	t.Helper()
	return openSource(t, cfg, grant, wasmtools.Source{Name: "guest", Module: module(t)})
}

func openSource(t testing.TB, cfg wasmtools.Config, grant wasmtools.Grant, src wasmtools.Source) *wasmtools.Plugin {
	t.Helper()
	p, err := newEngine(t, cfg).Open(t.Context(), src, grant)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// answer is what most tools of the guest answer.
type answer struct {
	Text string `json:"text"`
	N    int    `json:"n"`
}

// call calls a tool of the guest, with arguments as JSON.
func call(ctx context.Context, t testing.TB, p *wasmtools.Plugin, tool, arguments string) (answer, agent.Result, error) {
	t.Helper()
	result, err := p.Call(ctx, tool, agent.Call{ID: "1", User: "ada", Arguments: json.RawMessage(arguments)})
	var a answer
	if err == nil && result.Structured != nil {
		if err := json.Unmarshal(result.Structured, &a); err != nil {
			t.Fatalf("%s: %s: %v", tool, result.Structured, err)
		}
	}
	return a, result, err
}

// wantCode fails the test unless err has that code, and a message that holds
// the text.
func wantCode(t testing.TB, err error, code sdkapi.Code, text string) {
	t.Helper()
	if got := fault.CodeOf(err); got != code || code != "" && !strings.Contains(fault.From(err).Message, text) {
		t.Fatalf("%q with %q wanted, got %q: %v", code, text, got, err)
	}
}

func TestPluginsDescribeThemselves(t *testing.T) {
	t.Parallel()
	p := open(t, wasmtools.Config{}, wasmtools.Grant{})
	if p.Description.Version != "1.2.3" || len(p.Description.Tools) < 15 || p.ABI != "windie" || p.Isolation != wasmtools.Snapshot {
		t.Errorf("%+v", p.Admission)
	}
	a, result, err := call(t.Context(), t, p, "echo", `{"text":"hello"}`)
	if err != nil || a.Text != "hello" || a.N != 5 {
		t.Errorf("%+v, %v", a, err)
	}
	if u := result.Usage; u.Fuel == 0 || u.PeakMemory == 0 || u.WallTime == 0 {
		t.Errorf("usage %+v", u)
	}
}

func BenchmarkCall(b *testing.B) {
	for _, isolation := range []wasmtools.Isolation{wasmtools.Snapshot, wasmtools.Fresh, wasmtools.Reuse} {
		b.Run(string(isolation), func(b *testing.B) {
			p := open(b, wasmtools.Config{}, wasmtools.Grant{Isolation: isolation})
			for b.Loop() {
				if _, _, err := call(b.Context(), b, p, "echo", `{"text":"hello"}`); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
