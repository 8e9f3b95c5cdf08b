package conformance_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/gateway/testdata"
	"github.com/windieos/windie/internal/test/conformance"
	"github.com/windieos/windie/internal/test/conformance/stage"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
)

// built is the Go client's driver, which the first test that wants it builds.
var built struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(built.dir)
	os.Exit(code)
}

// goDriver starts the Go client's driver.
func goDriver(t *testing.T) *conformance.Driver {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "windie-driver-"); built.err != nil {
			return
		}
		build := exec.Command("go", "build", "-o", built.dir, "./sdk/driver")
		build.Dir = testkit.RepoRoot(t)
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	d, err := conformance.Start(t.Context(), []string{filepath.Join(built.dir, "driver")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// run runs dialogues with the Go client and a list of skips.
func run(t *testing.T, pattern, skipped string) *conformance.Report {
	t.Helper()
	dialogues, err := conformance.ReadDialogues(testdata.Dialogues, pattern)
	if err != nil {
		t.Fatal(err)
	}
	skips, err := conformance.ParseSkips(skipped)
	if err != nil {
		t.Fatal(err)
	}
	r := conformance.Runner{Stage: &stage.Stage{Scenes: gatewaytest.Scenes(t)}, Drivers: []*conformance.Driver{goDriver(t)}, Dialogues: dialogues, Files: testdata.File, Skips: skips}
	cases, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conformance.NewReport(cases, skips, false)
}

// A client passes; a skip of what passes is stale, and so is one that nothing fails by.
func TestSkips(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, skips, want string }{
		{"none", "", ""},
		{"of another client", "python | ocr-resolve-text | one | why", ""},
		{"of what passes", "go | ocr-resolve-text | one | why", "go, dialogue ocr-resolve-text, one: it passes"},
		{"of what is not there", "go | ocr-resolve-text | eleven | why", "stale skip go | ocr-resolve-text | eleven"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := run(t, "ocr-resolve-text", tt.skips)
			var out bytes.Buffer
			if err := report.Print(&out); err != nil {
				t.Fatal(err)
			}
			if report.Passed() != (tt.want == "") || !strings.Contains(out.String(), tt.want) {
				t.Errorf("passed is %v, and the report is\n%s", report.Passed(), &out)
			}
		})
	}
}

// A list of skips with a line that says too little is refused.
func TestParseSkips(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"go | ocr-* | one", "go | | one | why", "go | [ | one | why"} {
		t.Run(text, func(t *testing.T) {
			if _, err := conformance.ParseSkips(text); err == nil {
				t.Error("it is taken")
			}
		})
	}
	if _, err := conformance.OwnSkips(); err != nil {
		t.Error(err)
	}
}

// A program that is no driver is refused, with the reason.
func TestStartRefuses(t *testing.T) {
	t.Parallel()
	for name, command := range map[string][]string{
		"no such program": {"./no-such-driver"},
		"no protocol":     {"echo", "hello"},
		"no language":     {"echo", `{"id": 1}`},
		"ends":            {"true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d, err := conformance.Start(t.Context(), command); err == nil {
				_ = d.Close()
				t.Error("it is taken")
			}
		})
	}
}

// A server that is no gateway is refused, with the reason.
func TestRunningRefuses(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	for name, url := range map[string]string{"nobody": "http://127.0.0.1:1", "another server": other.URL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := conformance.Runner{Stage: conformance.Running(url), Drivers: []*conformance.Driver{{Language: "none"}}, Faults: conformance.OwnFaults("503-twice")}
			if _, err := r.Run(t.Context()); err == nil {
				t.Error("it is taken for a gateway")
			}
		})
	}
}
