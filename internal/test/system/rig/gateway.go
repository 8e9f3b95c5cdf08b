package rig

import (
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
)

// Gateway is a gateway in a process of its own.
type Gateway struct {
	URL   string
	Cmd   *exec.Cmd
	Ended <-chan struct{} // closed when it has ended

	t testing.TB
}

// Serve runs `windie serve` until the test ends, with variables added to its environment, and returns its URL. The
// gateway gets the signal to stop then, and the test fails unless it ends well.
func Serve(t testing.TB, variables ...string) (url string) {
	t.Helper()
	g := Start(t, nil, append([]string{"WINDIE_DATA_DIR=" + t.TempDir()}, variables...)...)
	t.Cleanup(g.Stop)
	return g.URL
}

// Start runs `windie serve` with variables added to its environment, until the test ends, which kills it. Its log goes
// to a writer, or is shown if the test fails.
func Start(t testing.TB, log io.Writer, variables ...string) *Gateway {
	t.Helper()
	if log == nil {
		kept := new(Output)
		log = kept
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("the gateway's log:\n%s", kept.String())
			}
		})
	}
	ended, out := make(chan struct{}), new(Output)
	environ := append([]string{"WINDIE_LISTEN=127.0.0.1:0"}, variables...)
	g := &Gateway{t: t, Ended: ended, Cmd: Command(context.Background(), environ, "serve")}
	g.Cmd.Stdout, g.Cmd.Stderr = out, log
	if err := g.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(ended)
		_ = g.Cmd.Wait()
	}()
	t.Cleanup(func() { g.Signal(syscall.SIGKILL) })
	said := testkit.EventuallyWithin(t, time.Minute, "serve says that it is ready", func() (string, bool) {
		select {
		case <-ended:
			t.Fatalf("the gateway does not start: %v", g.Cmd.ProcessState)
		default:
		}
		said := out.String()
		return said, ReadyLine.MatchString(said)
	})
	g.URL = ReadyLine.FindStringSubmatch(said)[1]
	return g
}

// Signal sends a signal, and waits for the end.
func (g *Gateway) Signal(s os.Signal) (took time.Duration) {
	g.t.Helper()
	began := time.Now()
	_ = g.Cmd.Process.Signal(s) // it may have ended
	select {
	case <-g.Ended:
	case <-time.After(time.Minute):
		g.t.Errorf("the gateway still runs a minute after %v", s)
		_ = g.Cmd.Process.Kill()
		<-g.Ended
	}
	return time.Since(began)
}

// Stop sends the signal to stop, and fails the test unless the gateway ends well.
func (g *Gateway) Stop() {
	g.t.Helper()
	if g.Signal(syscall.SIGTERM); !g.Cmd.ProcessState.Success() {
		g.t.Errorf("the gateway ended with %v", g.Cmd.ProcessState)
	}
}

// limitSetting finds a variable that bounds what a user may ask for, in what `windie config` prints.
var limitSetting = regexp.MustCompile(`\(env (WINDIE_LIMITS_\w+)\)`)

// Hosted starts a gateway as Start does, in hosted mode and without limits.
func Hosted(t testing.TB, variables ...string) *Gateway {
	t.Helper()
	code, printed, complaint := Windie(t, nil, "config")
	if code != 0 {
		t.Fatalf("config: %d %s", code, complaint)
	}
	environ := []string{"WINDIE_MODE=hosted", "WINDIE_LOG_LEVEL=warn", "WINDIE_OPERATOR_TOKEN=the-operator-token-of-tests"}
	for _, limit := range limitSetting.FindAllStringSubmatch(printed, -1) {
		environ = append(environ, limit[1]+"=0")
	}
	return Start(t, nil, append(environ, variables...)...)
}
