//go:build system

package clients_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// pageTime is how long a page of another origin may take for all that it does.
const pageTime = 90 * time.Second

// aRuntime returns a program that `make deps-system` has put into a folder of npm's packages.
func aRuntime(t *testing.T, name, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(testkit.RepoRoot(t), ".tools", "runtimes", "node_modules", pattern))
	if err != nil || len(found) == 0 {
		testkit.Skip(t, name, "make deps-system")
	}
	return found[0]
}

// The TypeScript client, built as it would be published, does the same in Node, Bun and Deno, and in a page.
func TestTypeScriptRuntimes(t *testing.T) {
	t.Parallel()
	project := packed(t, sdkTools(t))
	if err := os.WriteFile(filepath.Join(project, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("programs", func(t *testing.T) { t.Parallel(); programs(t, project) })
	t.Run("page", func(t *testing.T) { t.Parallel(); foreignPage(t, project) })
}

// programs runs the client in programs, whose sockets bring the token themselves, and need no ticket.
func programs(t *testing.T, project string) {
	env := append(doorstest.ClientsGateways(t), "DENO_NO_UPDATE_CHECK=1", "DENO_DIR="+t.TempDir(), "DO_NOT_TRACK=1")
	for _, name := range []string{"node", "bun", "deno"} {
		t.Run(name, func(t *testing.T) {
			var command []string
			switch name {
			case "node":
				command = []string{newNode(t)}
			case "bun":
				command = []string{aRuntime(t, "Bun", "@oven/bun-*/bin/bun")}
			case "deno":
				command = []string{aRuntime(t, "Deno", "@deno/*/deno"), "run", "--quiet", "--allow-net", "--allow-env", "--allow-read", "--node-modules-dir=manual"}
			}
			out := runIn(t, project, env, command[0], append(command[1:], filepath.Join("test", "runtime.mjs"))...)
			if !strings.Contains(out, "tickets: 0") {
				t.Error(out)
			}
		})
	}
}

// foreignPage runs the client in a page of another origin, in Chromium: the gateway lets the page in, which opens the
// sockets of a hosted gateway by tickets.
func foreignPage(t *testing.T, project string) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		testkit.Skip(t, "the program chromium", "make deps-system")
	}
	told, files := make(chan string, 1), http.NewServeMux()
	origin := httptest.NewServer(files)
	defer origin.Close()
	env := doorstest.ClientsGateways(t, origin.URL)
	at, err := json.Marshal(map[string]string{
		"local": doorstest.ValueOf(env, "WINDIE_TEST_LOCAL"), "hosted": doorstest.ValueOf(env, "WINDIE_TEST_HOSTED"), "approvalKey": doorstest.ValueOf(env, "WINDIE_TEST_APPROVAL_KEY"),
	})
	if err != nil {
		t.Fatal(err)
	}
	files.Handle("/dist/", http.FileServerFS(os.DirFS(filepath.Join(project, "node_modules", "@windie", "sdk"))))
	files.Handle("/test/", http.FileServerFS(os.DirFS(project)))
	files.HandleFunc("/at", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(at) })
	files.HandleFunc("/card", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(gatewaytest.Card()) })
	files.HandleFunc("/told", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		told <- string(text)
	})
	ctx := inChromium(t, program)
	if err := chromedp.Do(ctx, chromedp.Navigate(origin.URL+"/test/page.html")); err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-told:
		if text != "tickets: 2" { // one for the first connection, one to come back
			t.Error(text)
		}
	case <-time.After(pageTime):
		step, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.title"))
		t.Errorf("the page is still at %q, %v", step, err)
	}
}

// inChromium starts a browser until the test ends.
func inChromium(t *testing.T, program string) context.Context {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	quiet := func(string, ...any) {}
	ctx, closeTab := chromedp.NewContext(alloc, chromedp.WithLogf(quiet), chromedp.WithErrorf(quiet))
	if err := chromedp.Do(ctx); err != nil {
		stop() // and not closeTab, which waits for a browser that is not there
		t.Fatalf("the browser does not start: %v", err)
	}
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); closeTab(); stop() })
	return ctx
}
