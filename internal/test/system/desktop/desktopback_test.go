//go:build system

package desktop_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
)

// A person's conversation goes on when its connections break, and when the gateway is started again, in the middle of a call:
// the call is made once, and its result heard once.
func TestDesktopComesBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		breaks  func(t *testing.T, g *restartable, control string)
		longest time.Duration
	}{
		{"connections are cut", func(t *testing.T, _ *restartable, control string) { steer(t, control+"/cut") }, time.Minute},
		{"connections are cut again and again", func(t *testing.T, _ *restartable, control string) {
			for range 5 {
				testkit.Eventually(t, "an open socket is cut", func() (string, bool) {
					steer(t, control+"/cut")
					return "", strings.Contains(seen(t, control), `"/ws"`)
				})
			}
		}, time.Minute},
		{"the gateway is started again", func(t *testing.T, g *restartable, _ string) {
			g.stop()
			g.start()
		}, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			desk, dir := testkit.NewDesk(t, 640, 480), t.TempDir()
			g := newRestartable(t)
			address, control := gatewaytest.Behind(t, g.url)
			questions := `run run_shell_command {"command":"echo made >> made.txt && sleep 3 && echo ready"}` + "\n" + `run read_file {"path":"made.txt"}` + "\n"
			var out, calls rig.Output
			ctx, stop := context.WithTimeout(t.Context(), tt.longest)
			defer stop()
			ended := make(chan int, 1)
			args := []string{"desktop", "--gateway", address, "--dir", dir, "--display", desk.Display, "--program", "*", "--yes"}
			go func() {
				ended <- rig.Run(ctx, args, []string{"WINDIE_DATA_DIR=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, strings.NewReader(questions), &out, &calls)
			}()
			made := filepath.Join(dir, "made.txt")
			testkit.EventuallyWithin(t, 30*time.Second, "the call is made", func() (string, bool) {
				text, err := os.ReadFile(made)
				return calls.String(), err == nil && len(text) > 0
			})
			tt.breaks(t, g, control)
			if code := <-ended; code != 0 {
				t.Fatalf("%d:\n%s\n%s", code, out.String(), calls.String())
			}
			if text, err := os.ReadFile(made); err != nil || string(text) != "made\n" {
				t.Errorf("made %q, %v", text, err)
			}
			if n := strings.Count(calls.String(), "run_shell_command: "); n != 1 || !strings.Contains(calls.String(), "ready") {
				t.Errorf("%d results heard:\n%s", n, calls.String())
			}
			if !strings.HasSuffix(strings.TrimSpace(out.String()), "made") || strings.Count(out.String(), "ready") != 1 {
				t.Errorf("the answers: %q", out.String())
			}
		})
	}
}

// seen returns the requests that came by way of a proxy since the last time.
func seen(t *testing.T, control string) string {
	t.Helper()
	return textAt(t, control+"/seen")
}

// textAt returns what a server of this test's own answers with.
func textAt(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func steer(t *testing.T, url string) {
	t.Helper()
	r, err := http.Post(url, "", nil) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close()
}

// restartable is a gateway that can be stopped and started again, at the same address and with the same data.
type restartable struct {
	t       *testing.T
	url     string
	environ []string
	cancel  context.CancelFunc
	ended   chan int
	out     *rig.Output
}

func newRestartable(t *testing.T) *restartable {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := ln.Addr().String()
	_ = ln.Close()
	g := &restartable{t: t, url: "http://" + at}
	g.environ = []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_LISTEN=" + at, "PATH=" + os.Getenv("PATH")}
	g.start()
	t.Cleanup(g.stop)
	return g
}

func (g *restartable) start() {
	g.t.Helper()
	var ctx context.Context
	ctx, g.cancel = context.WithCancel(context.Background())
	g.ended, g.out = make(chan int, 1), &rig.Output{}
	ended, out := g.ended, g.out
	go func() { ended <- rig.Run(ctx, []string{"serve"}, g.environ, nil, out, out) }()
	testkit.EventuallyWithin(g.t, 30*time.Second, "the gateway is ready", func() (string, bool) { return out.String(), rig.ReadyLine.MatchString(out.String()) })
}

func (g *restartable) stop() {
	g.t.Helper()
	g.cancel()
	if code := <-g.ended; code != 0 {
		g.t.Errorf("the gateway ended with %d:\n%s", code, g.out.String())
	}
	g.ended <- 0 // stopping again does nothing
}
