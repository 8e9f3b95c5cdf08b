package process_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/process"
	"github.com/windieos/windie/internal/test/testkit"
)

func TestMain(m *testing.M) {
	process.Supervise()
	goleak.VerifyTestMain(m)
}

type arguments map[string]any

// call calls process.run in a folder. It returns the answer, or "failed: " and the error.
func call(ctx context.Context, t testing.TB, dir string, rules process.Rules, in arguments) string {
	t.Helper()
	tools := agent.NewRegistry()
	for _, tool := range process.New(dir, rules).Tools() {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	result, err := tools.Invoke(ctx, "process.run", agent.Call{Arguments: raw})
	switch {
	case err != nil:
		return "failed: " + err.Error()
	case result.IsError:
		return "failed: " + result.Content[0].Text
	}
	return string(result.Structured)
}

var anything = process.Rules{Programs: []string{"*"}}

func sh(line string) arguments { return arguments{"program": "sh", "args": []string{"-c", line}} }

// TestPrograms checks that allowed programs run with their arguments, and that others are refused.
func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("here"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WINDIE_RUNS_API_KEY", "secret-1")
	t.Setenv("MY_ACCESS_TOKEN", "secret-2")
	rules := process.Rules{Programs: []string{"sh", "cat", "env"}}
	for name, tt := range map[string]struct {
		in   arguments
		want string
	}{
		"output":         {arguments{"program": "cat", "args": []string{"a.txt"}}, `{"exit_code":0,"output":"here"}`},
		"no shell":       {arguments{"program": "cat", "args": []string{"$(id)", "; id"}}, `{"exit_code":1,"output":"cat: '$(id)'`},
		"input":          {arguments{"program": "cat", "input": "in"}, `{"exit_code":0,"output":"in"}`},
		"code and error": {sh("echo no >&2; exit 3"), `{"exit_code":3,"output":"no\n"}`},
		"by a signal":    {sh("kill -9 $$"), `{"exit_code":-1,"output":""`},
		"no terminal":    {sh("echo $TERM; tty"), `{"exit_code":1,"output":"dumb\nnot a tty\n"}`},
		"not allowed":    {arguments{"program": "id"}, "failed: id is not allowed here; allowed: sh, cat, env"},
		"by its path":    {arguments{"program": "/bin/sh"}, "failed: /bin/sh is not allowed here"},
		"in the folder":  {arguments{"program": "./sh"}, "failed: ./sh is not allowed here"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := call(t.Context(), t, dir, rules, tt.in); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s; want %s", got, tt.want)
			}
		})
	}
	if got := call(t.Context(), t, dir, rules, arguments{"program": "env"}); strings.Contains(got, "secret-") || !strings.Contains(got, "PATH=") {
		t.Errorf("the environment: %s", got)
	}
	if got := call(t.Context(), t, dir, anything, arguments{"program": "none-of-this-name"}); got != "failed: there is no program none-of-this-name" {
		t.Error(got)
	}
	gone := filepath.Join(dir, "gone")
	if got := call(t.Context(), t, gone, anything, sh("echo")); got != "failed: the folder "+gone+" is gone" {
		t.Error(got)
	}
	if len(process.New(dir, process.Rules{}).Tools()) != 0 {
		t.Error("programs can be run where that is not allowed")
	}
}

// TestLongOutput checks that the beginning and the end of a long output are returned, each with
// half of the limit.
func TestLongOutput(t *testing.T) {
	t.Parallel()
	long := call(t.Context(), t, t.TempDir(), anything, sh("i=0; while [ $i -lt 40000 ]; do echo line $i; i=$((i+1)); done"))
	if len(long) > 2*process.MaxOutput || !strings.Contains(long, "line 0\\n") || !strings.Contains(long, "line 39999\\n") || !strings.Contains(long, "bytes left out") {
		t.Errorf("%d bytes of output: %.200s", len(long), long)
	}
	fits := call(t.Context(), t, t.TempDir(), anything, sh(fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", process.MaxOutput)))
	if strings.Contains(fits, "left out") || strings.Count(fits, "x") != process.MaxOutput+strings.Count(`"exit_code"`, "x") {
		t.Errorf("output as long as the bound: %d bytes", len(fits))
	}
	endless := process.Command{Program: "yes", Dir: t.TempDir(), Env: os.Environ(), Time: 200 * time.Millisecond}
	if got, err := process.Run(t.Context(), endless); err != nil || got.Ended != "the program exceeded the time limit of 200ms" || len(got.Output) > 4*process.MaxOutput {
		t.Errorf("endless output: %d bytes, %.100s, %q, %v", len(got.Output), got.Output, got.Ended, err)
	}
}

// escapes lists ways for a program to leave a LOOP running. The program waits until the loop has
// BEGUN.
var escapes = map[string]string{
	"a child":               "(LOOP) & wait",
	"a session":             "setsid sh -c 'LOOP' & wait",
	"a daemon":              "setsid sh -c '(LOOP) >/dev/null 2>&1 </dev/null &' & sleep 600",
	"daemons of daemons":    "setsid sh -c 'setsid sh -c \"setsid sh -c \\\"LOOP\\\" &\" &' & sleep 600",
	"deaf to signals":       "trap '' TERM INT HUP; setsid sh -c 'trap \"\" TERM INT HUP; LOOP' & wait",
	"many":                  "for i in 1 2 3 4 5 6 7 8 9 10; do setsid sh -c 'LOOP' & done; wait",
	"stopped":               "setsid sh -c 'LOOP' & BEGUN; kill -STOP $!; sleep 600",
	"without a supervisor":  "setsid sh -c 'LOOP' >/dev/null 2>&1 </dev/null & BEGUN; kill -9 $PPID; sleep 600",
	"without a guard":       "setsid sh -c 'LOOP' >/dev/null 2>&1 </dev/null & BEGUN; kill -9 $(cut -d' ' -f4 /proc/$PPID/stat); sleep 600",
	"left by one that ends": "setsid sh -c 'LOOP' >/dev/null 2>&1 </dev/null & BEGUN; exit 0",
}

// TestNothingIsLeft checks that all processes of a program end with it and with the call, in any
// process group or session.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for name, line := range escapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			mark := filepath.Join(dir, "ticks")
			fill := strings.NewReplacer("LOOP", "while :; do echo x >> "+mark+"; sleep 0.02; done", "BEGUN", "until [ -s "+mark+" ]; do sleep 0.02; done")
			ticks := func() (int64, bool) {
				info, err := os.Stat(mark)
				if err != nil {
					return 0, false
				}
				return info.Size(), info.Size() > 0
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan string, 1)
			go func() { done <- call(ctx, t, dir, anything, sh(fill.Replace(line))) }()
			testkit.Eventually(t, "the child runs", ticks)
			if !strings.HasPrefix(name, "left") && !strings.HasPrefix(name, "without") {
				cancel()
			}
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("the call does not end")
			}
			size, _ := ticks()
			testkit.Throughout(t, 200*time.Millisecond, "the child has ended", func() (string, bool) {
				now, _ := ticks()
				return fmt.Sprint(now), now <= size
			})
		})
	}
}

// TestRun checks that Run uses the folder, the environment and the limits of a Command.
func TestRun(t *testing.T) {
	t.Parallel()
	got, err := process.Run(t.Context(), process.Command{Program: "sh", Args: []string{"-c", "echo $A; pwd"}, Dir: "/", Env: []string{"A=b", "PATH=/usr/bin:/bin"}, Output: 4})
	if err != nil || got.Output != "b\n/\n" || got.ExitCode != 0 || got.Cut {
		t.Errorf("%+v, %v", got, err)
	}
	slow := process.Command{Program: "sh", Args: []string{"-c", "echo a; sleep 60"}, Env: os.Environ(), Time: time.Second}
	if got, err := process.Run(t.Context(), slow); err != nil || got.ExitCode != -1 || got.Output != "a\n" || got.Ended != "the program exceeded the time limit of 1s" {
		t.Errorf("a program that takes too long: %+v, %v", got, err)
	}
	runner := process.New("/", anything)
	if _, err := runner.Run(t.Context(), process.Command{Program: "cat", Input: strings.Repeat("x", process.MaxInput+1)}); err == nil {
		t.Error("more input than may be is taken")
	}
	if got, err := runner.Run(t.Context(), process.Command{Program: "wc", Args: []string{"-c"}, Input: strings.Repeat("x", process.MaxInput)}); err != nil || got.Output != fmt.Sprintln(process.MaxInput) {
		t.Errorf("%+v, %v", got, err)
	}
}
