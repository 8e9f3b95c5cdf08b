//go:build system

package stops_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// A worker is killed while its program runs: the next one takes the run over, and does not run the program again.
func TestWorkerIsKilled(t *testing.T) {
	t.Parallel()
	address, dir := rig.Serve(t, "WINDIE_RUNS_API_KEY="+rig.RunsKey, "WINDIE_RUNS_LEASE=2s"), t.TempDir()
	client := rig.RunsOf(t, address)
	first := rig.Command(t.Context(), []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_RUNS_API_KEY=" + rig.RunsKey}, "worker", "--gateway", address, "--dir", dir, "--program", "sh", "--unattended", "--id", "first")
	first.Stderr = os.Stderr
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	run := rig.AskRun(t, client, rig.Script(t, dir, "echo 1 >> log; sleep 20"))
	testkit.Eventually(t, "the program runs", func() (string, bool) {
		made, err := os.ReadFile(filepath.Join(dir, "log"))
		return string(made), err == nil && len(made) > 0
	})
	_ = first.Process.Kill()
	_ = first.Wait()
	rig.Work(t, address, dir, "--unattended", "--id", "second")
	kinds, all := rig.FollowRun(t, client, run.RunID)
	rig.RunEnded(t, client, run.RunID, sdkapi.RunCompleted)
	if !slices.Contains(kinds, sdkapi.RunWorkerLost) || !strings.Contains(all, "result unknown: the worker was lost") {
		t.Errorf("%v", kinds)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "log")); string(text) != "1\n" {
		t.Errorf("the program ran as %q, %v", text, err)
	}
}

// The gateway is killed while the worker's program runs, and started again: the run goes on where it was.
func TestWorkerOutlivesGateway(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listen := listener.Addr().String()
	if err := listener.Close(); err != nil { // it is free for the gateway, again and again
		t.Fatal(err)
	}
	variables := []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_LISTEN=" + listen, "WINDIE_RUNS_API_KEY=" + rig.RunsKey, "WINDIE_RUNS_LEASE=20s"}
	first := rig.Start(t, nil, variables...)
	client, dir := rig.RunsOf(t, "http://"+listen), t.TempDir()
	rig.Work(t, "http://"+listen, dir, "--unattended")
	run := rig.AskRun(t, client, rig.Script(t, dir, "echo 1 >> log; while ! test -e go; do sleep 0.05; done; echo the end"))
	testkit.Eventually(t, "the program runs", func() (string, bool) {
		made, err := os.ReadFile(filepath.Join(dir, "log"))
		return string(made), err == nil
	})
	first.Signal(syscall.SIGKILL)
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	rig.Start(t, nil, variables...)
	kinds, all := rig.FollowRun(t, client, run.RunID)
	rig.RunEnded(t, client, run.RunID, sdkapi.RunCompleted)
	if slices.Contains(kinds, sdkapi.RunWorkerLost) || !strings.Contains(all, "the end") {
		t.Errorf("%v", kinds)
	}
	for _, kind := range []string{sdkapi.WSToolCall, sdkapi.WSToolOutput, sdkapi.WSSystemPrompt} {
		if n := len(slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k != kind })); n != 1 {
			t.Errorf("%d times %s in %v", n, kind, kinds)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "log")); string(text) != "1\n" {
		t.Errorf("the program ran as %q, %v", text, err)
	}
}
