//go:build system

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/sdkapi"
)

// A worker is killed while its program runs: the next one takes the run over, and does not run the program again.
func TestWorkerIsKilled(t *testing.T) {
	t.Parallel()
	address, dir := serveForTest(t, "WINDIE_RUNS_API_KEY="+runsKey, "WINDIE_RUNS_LEASE=2s"), t.TempDir()
	client := runsOf(t, address)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	first := exec.CommandContext(t.Context(), program, "worker", "--gateway", address, "--dir", dir, "--program", "sh", "--unattended", "--id", "first")
	first.Env = []string{commandEnv + "=1", "WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_RUNS_API_KEY=" + runsKey, "PATH=" + os.Getenv("PATH")}
	first.Stderr = os.Stderr
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	run := asked(t, client, script(t, dir, "echo 1 >> log; sleep 20"))
	testkit.Eventually(t, "the program runs", func() (string, bool) {
		made, err := os.ReadFile(filepath.Join(dir, "log"))
		return string(made), err == nil && len(made) > 0
	})
	_ = first.Process.Kill()
	_ = first.Wait()
	workForTest(t, address, dir, "--unattended", "--id", "second")
	kinds, all := followed(t, client, run.RunID)
	ended(t, client, run.RunID, sdkapi.RunCompleted)
	if !slices.Contains(kinds, sdkapi.RunWorkerLost) || !strings.Contains(all, "whether it was done is not known") {
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
	variables := []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_LISTEN=" + listen, "WINDIE_RUNS_API_KEY=" + runsKey, "WINDIE_RUNS_LEASE=20s", "WINDIE_OCR_KERNEL=" + testkit.Kernel()}
	first := startProcess(t, "serve", variables...)
	client, dir := runsOf(t, "http://"+listen), t.TempDir()
	workForTest(t, "http://"+listen, dir, "--unattended")
	run := asked(t, client, script(t, dir, "echo 1 >> log; while ! test -e go; do sleep 0.05; done; echo the end"))
	testkit.Eventually(t, "the program runs", func() (string, bool) {
		made, err := os.ReadFile(filepath.Join(dir, "log"))
		return string(made), err == nil
	})
	first.signal(syscall.SIGKILL)
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	startProcess(t, "serve", variables...)
	kinds, all := followed(t, client, run.RunID)
	ended(t, client, run.RunID, sdkapi.RunCompleted)
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
