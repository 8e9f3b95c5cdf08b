//go:build system

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/testkit"
)

// terminalOf is a terminal in which a person types, with windie in it.
type terminalOf struct {
	t      *testing.T
	socket string
}

// inTerminal starts windie with arguments in a terminal of its own, in a folder.
func inTerminal(t *testing.T, dir, data string, args ...string) *terminalOf {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		testkit.Skip(t, "tmux", "your system's package tmux")
	}
	folder, err := os.MkdirTemp("", "tmux") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	x := &terminalOf{t, filepath.Join(folder, "s")}
	var line strings.Builder
	fmt.Fprintf(&line, "env -i %s=1 TERM=xterm-256color PATH=%s HOME=%s WINDIE_DATA_DIR=%s %s", commandEnv, os.Getenv("PATH"), data, data, os.Args[0])
	for _, arg := range args {
		line.WriteString(" '" + arg + "'")
	}
	line.WriteString("; echo ended with $?; exec cat")
	x.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "-c", dir, line.String())
	x.tmux("set-option", "-g", "history-limit", "10000")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen:\n%s", x.all())
		}
		x.tmux("kill-server")
		_ = os.RemoveAll(folder)
	})
	return x
}

func (x *terminalOf) tmux(args ...string) string {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// all returns the screen and what has gone from it.
func (x *terminalOf) all() string { return x.tmux("capture-pane", "-p", "-S", "-") }

// types types a text.
func (x *terminalOf) types(text string) { x.tmux("send-keys", "-l", text) }

// press presses keys, by tmux's names.
func (x *terminalOf) press(keys ...string) { x.tmux(append([]string{"send-keys"}, keys...)...) }

// allows answers a question with a key, once it has been shown for long enough to be read.
func (x *terminalOf) allows(key string) {
	time.Sleep(600 * time.Millisecond)
	x.press(key)
}

// says types a line, and sends it.
func (x *terminalOf) says(text string) {
	x.types(text)
	x.press("Enter")
}

// shows waits until the screen has all texts.
func (x *terminalOf) shows(texts ...string) string {
	x.t.Helper()
	return testkit.Eventually(x.t, fmt.Sprintf("the screen shows %q", texts), func() (string, bool) {
		all := x.all()
		for _, text := range texts {
			if !strings.Contains(all, text) {
				return all, false
			}
		}
		return all, true
	})
}

// A person talks to the agent, is asked, says yes, no, always and otherwise, looks at a diff, cancels, leaves, and goes on.
func TestAgentInATerminal(t *testing.T) {
	t.Parallel()
	url, dir, data := serveForTest(t), t.TempDir(), t.TempDir()
	x := inTerminal(t, dir, data, "agent", "--gateway", url, "--program", "sh")
	x.shows("windie agent · session as_")
	x.says(`run file_write {"path":"docs/a.md","text":"# A\nb\n"}`)
	x.shows("May file_write be called?", "p always for docs/")
	x.press("d")
	x.shows("+++ b/docs/a.md", "+b")
	x.allows("y")
	x.shows("✓ file_write docs/a.md +2 −0")

	x.says(`run file_write {"path":"docs/a.md","text":"# A\n"}`)
	x.shows("May file_write be called? path=docs/a.md text=# A\n")
	x.press("n")
	x.shows("Why not?")
	x.says("not that line")
	x.shows("✗ file_write: denied", "the user denied it, and says: not that line")

	x.says(`run file_write {"path":"docs/b.md","text":"B\n"}`)
	x.shows("May file_write be called? path=docs/b.md")
	x.press("e")
	x.shows("Change the arguments")
	x.press("C-Home")
	x.press("C-k", "C-k", "C-k", "C-k", "C-k", "C-k", "C-k", "C-k", "C-k", "C-k")
	x.says(`{"path":"docs/c.md","text":"C\n"}`)
	x.shows("✓ file_write docs/c.md +1 −0")

	x.says(`run file_write {"path":"docs/d.md","text":"D\n"}`)
	x.shows("May file_write be called? path=docs/d.md")
	x.allows("p")
	x.shows("✓ file_write docs/d.md +1 −0")
	x.says(`run file_write {"path":"docs/d.md","text":"D2\n"}`)
	x.shows("✓ file_write docs/d.md +1 −1")
	x.press("C-o")
	x.shows("-D\n", "+D2\n")

	x.types("one line")
	x.press("M-Enter")
	x.says("and another")
	x.shows("› one line\n  and another", "docs/models.md says more")
	x.press("Up")
	x.shows("› one line\n› and another")
	x.press("C-c")

	x.says(`run process_run {"program":"sh","args":["-c","sleep 60"]}`)
	x.shows("May process_run be called?", "p always for sh")
	x.allows("p")
	x.shows("⋯ process_run")
	x.press("C-c")
	x.shows("(canceled)")

	x.says(`run process_run {"program":"sh","args":["-c","sleep 1"]}`)
	x.shows("⋯ process_run")
	x.says("what tools are there")
	x.shows("⧗ what tools are there")
	x.shows("› what tools are there", "process_run: Run a program")

	x.says("/files")
	x.shows("created docs/c.md (+1 −0)")
	x.press("C-d")
	all := x.shows("created docs/a.md (+2 −0)\n", "created docs/d.md (+1 −0)", "To go on: windie agent --session as_", "ended with 0")
	if strings.Contains(all, "May file_write") || strings.Contains(all, "⋯") || strings.Contains(all, "working; ctrl+c") {
		t.Errorf("what was asked is still there:\n%s", all)
	}
	for name, want := range map[string]string{"docs/a.md": "# A\nb\n", "docs/c.md": "C\n", "docs/d.md": "D2\n"} {
		t.Run(name, func(t *testing.T) {
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || string(got) != want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "docs/b.md")); err == nil {
		t.Error("the call was made with the arguments that were changed")
	}

	again := inTerminal(t, dir, data, "agent", "--gateway", url, "--session")
	again.shows("Which one, 1 to 1?", "run file_write")
	again.says("1")
	again.shows("› one line\n  and another", "✗ file_write: denied", "(canceled)")
	again.press("Up", "Up")
	again.shows("sleep 60")
	again.press("C-c", "C-c")
	again.shows("ended with 0")
}

// Over a link of 200 ms that breaks now and then, what is typed is done once, and shown once.
func TestAgentInATerminalOverABadLink(t *testing.T) {
	t.Parallel()
	url, dir := serveForTest(t), t.TempDir()
	link := testkit.NewLink(t, strings.TrimPrefix(url, "http://"), 100*time.Millisecond, 0.01, 7)
	x := inTerminal(t, dir, t.TempDir(), "agent", "--gateway", "http://"+link.Addr, "--program", "sh", "--allow", "*")
	x.shows("windie agent · session as_")
	const times = 12
	for n := range times {
		if n%4 == 3 {
			link.Break() // whatever chance has
		}
		x.says(fmt.Sprintf(`run process_run {"program":"sh","args":["-c","echo %d >> said && echo answer %d."]}`, n, n))
		x.shows(fmt.Sprintf(`,"output":"answer %d.`, n))
	}
	x.press("C-d")
	all := x.shows("ended with 0")
	var want strings.Builder
	for n := range times {
		fmt.Fprintln(&want, n)
		for _, text := range []string{fmt.Sprintf("answer %d.\\n", n), fmt.Sprintf(`› run process_run {"program":"sh","args":["-c","echo %d >>`, n)} {
			if got := strings.Count(strings.ReplaceAll(all, "\n", ""), text); got != 1 {
				t.Errorf("%q is shown %d times", text, got)
			}
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "said")); err != nil || string(got) != want.String() {
		t.Errorf("done: %q, %v", got, err)
	}
	t.Logf("%d pieces broke a connection by chance, and 3 by the test", link.Cuts())
}

// Two agents on a machine without a gateway share one, which the second takes over when the first leaves.
func TestAgentsWithoutAGateway(t *testing.T) {
	t.Parallel()
	dir, data := t.TempDir(), t.TempDir()
	first := inTerminal(t, dir, data, "agent", "--local")
	first.shows("windie agent · session as_")
	second := inTerminal(t, dir, data, "agent", "--local")
	second.shows("windie agent · session as_")
	second.says("what tools are there")
	second.shows("file_read")
	first.press("C-d")
	first.shows("ended with 0")
	second.says(`run file_list {"path":"nowhere"}`)
	second.shows("✗ file_list: there is no nowhere")
	second.press("C-d")
	second.shows("ended with 0")
}

// What was typed at a terminal before a question, without an Enter, is no part of its answer.
func TestApprovalsWithoutHalfALine(t *testing.T) {
	t.Parallel()
	data, _ := questioned(t, "local", map[string]string{"11110000000000000000000000000001": `{"n":1}`})
	x := inTerminal(t, t.TempDir(), data, "approvals", "--watch")
	x.types("y")
	x.shows("Approve this call?")
	x.press("Enter")
	x.shows("It goes on waiting.")
}

// An agent that cannot run a gateway, since another has the data folder, leaves the other's log as it is.
func TestAgentLeavesTheLogOfAnother(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	serveForTest(t, "WINDIE_DATA_DIR="+data)
	log := filepath.Join(data, "agent.log")
	if err := os.WriteFile(log, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, complaint := windieProcess(t, data, "agent", "--local", "--once", "hello")
	if code == 0 || !strings.Contains(complaint, "another gateway has the data folder "+data) || !strings.Contains(complaint, "--data-dir") {
		t.Errorf("the agent ended with %d:\n%s%s", code, out, complaint)
	}
	if kept, err := os.ReadFile(log); err != nil || !strings.HasPrefix(string(kept), "before\n") {
		t.Errorf("the log has %q, %v", kept, err)
	}
}
