//go:build system

package terminal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
)

// A person talks to the agent, is asked, says yes, no, always and otherwise, looks at a diff, cancels, leaves, and goes on.
func TestAgentInATerminal(t *testing.T) {
	t.Parallel()
	url, dir, data := rig.Serve(t), t.TempDir(), t.TempDir()
	x := rig.InTerminal(t, dir, data, "agent", "--gateway", url, "--program", "sh")
	x.Shows("windie agent · session as_")
	x.Says(`run file_write {"path":"docs/a.md","text":"# A\nb\n"}`)
	x.Shows("May file_write be called?", "p always for docs/")
	x.Press("d")
	x.Shows("+++ b/docs/a.md", "+b")
	x.Allows("y")
	x.Shows("✓ file_write docs/a.md +2 −0")

	x.Says(`run file_write {"path":"docs/a.md","text":"# A\n"}`)
	x.Shows("May file_write be called? path=docs/a.md text=# A\n")
	x.Press("n")
	x.Shows("Why not?")
	x.Says("not that line")
	x.Shows("✗ file_write: denied", "the user denied it and said: not that line")

	x.Says(`run file_write {"path":"docs/b.md","text":"B\n"}`)
	x.Shows("May file_write be called? path=docs/b.md")
	x.Press("e")
	x.Shows("Change the arguments")
	x.Press("C-Home")
	x.Press("C-k", "C-k", "C-k", "C-k", "C-k", "C-k", "C-k", "C-k", "C-k", "C-k")
	x.Says(`{"path":"docs/c.md","text":"C\n"}`)
	x.Shows("✓ file_write docs/c.md +1 −0")

	x.Says(`run file_write {"path":"docs/d.md","text":"D\n"}`)
	x.Shows("May file_write be called? path=docs/d.md")
	x.Allows("p")
	x.Shows("✓ file_write docs/d.md +1 −0")
	x.Says(`run file_write {"path":"docs/d.md","text":"D2\n"}`)
	x.Shows("✓ file_write docs/d.md +1 −1")
	x.Press("C-o")
	x.Shows("-D\n", "+D2\n")

	x.Types("one line")
	x.Press("M-Enter")
	x.Says("and another")
	x.Shows("› one line\n  and another", "set WINDIE_MODEL")
	x.Press("Up")
	x.Shows("› one line\n› and another")
	x.Press("C-c")

	x.Says(`run process_run {"program":"sh","args":["-c","sleep 60"]}`)
	x.Shows("May process_run be called?", "p always for sh")
	x.Allows("p")
	x.Shows("⋯ process_run")
	x.Press("C-c")
	x.Shows("(canceled)")

	x.Says(`run process_run {"program":"sh","args":["-c","sleep 1"]}`)
	x.Shows("⋯ process_run")
	x.Says("what tools are there")
	x.Shows("⧗ what tools are there")
	x.Shows("› what tools are there", "process_run: Run a program")

	x.Says("/files")
	x.Shows("created docs/c.md (+1 −0)")
	x.Press("C-d")
	all := x.Shows("created docs/a.md (+2 −0)\n", "created docs/d.md (+1 −0)", "To go on: windie agent --session as_", "ended with 0")
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

	again := rig.InTerminal(t, dir, data, "agent", "--gateway", url, "--session")
	again.Shows("Which one, 1 to 1?", "run file_write")
	again.Says("1")
	again.Shows("› one line\n  and another", "✗ file_write: denied", "(canceled)")
	again.Press("Up", "Up")
	again.Shows("sleep 60")
	again.Press("C-c", "C-c")
	again.Shows("ended with 0")
}

// Over a link of 200 ms that breaks now and then, what is typed is done once, and shown once.
func TestAgentInATerminalOverABadLink(t *testing.T) {
	t.Parallel()
	url, dir := rig.Serve(t), t.TempDir()
	link := testkit.NewLink(t, strings.TrimPrefix(url, "http://"), 100*time.Millisecond, 0.01, 7)
	x := rig.InTerminal(t, dir, t.TempDir(), "agent", "--gateway", "http://"+link.Addr, "--program", "sh", "--allow", "*")
	x.Shows("windie agent · session as_")
	const times = 12
	for n := range times {
		if n%4 == 3 {
			link.Break() // whatever chance has
		}
		x.Says(fmt.Sprintf(`run process_run {"program":"sh","args":["-c","echo %d >> said && echo answer %d."]}`, n, n))
		x.Shows(fmt.Sprintf(`,"output":"answer %d.`, n))
	}
	x.Press("C-d")
	all := x.Shows("ended with 0")
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
	first := rig.InTerminal(t, dir, data, "agent", "--local")
	first.Shows("windie agent · session as_")
	second := rig.InTerminal(t, dir, data, "agent", "--local")
	second.Shows("windie agent · session as_")
	second.Says("what tools are there")
	second.Shows("file_read")
	first.Press("C-d")
	first.Shows("ended with 0")
	second.Says(`run file_list {"path":"nowhere"}`)
	second.Shows("✗ file_list: nowhere does not exist")
	second.Press("C-d")
	second.Shows("ended with 0")
}

// What was typed at a terminal before a question, without an Enter, is no part of its answer.
func TestApprovalsWithoutHalfALine(t *testing.T) {
	t.Parallel()
	data, _ := questioned(t, "local", map[string]string{"11110000000000000000000000000001": `{"n":1}`})
	x := rig.InTerminal(t, t.TempDir(), data, "approvals", "--watch")
	x.Types("y")
	x.Shows("Approve this call?")
	x.Press("Enter")
	x.Shows("It goes on waiting.")
}

// An agent that cannot run a gateway, since another has the data folder, leaves the other's log as it is.
func TestAgentLeavesTheLogOfAnother(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	rig.Serve(t, "WINDIE_DATA_DIR="+data)
	log := filepath.Join(data, "agent.log")
	if err := os.WriteFile(log, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, complaint := onData(t, data, "agent", "--local", "--once", "hello")
	if code == 0 || !strings.Contains(complaint, "another gateway has the data folder "+data) || !strings.Contains(complaint, "--data-dir") {
		t.Errorf("the agent ended with %d:\n%s%s", code, out, complaint)
	}
	if kept, err := os.ReadFile(log); err != nil || !strings.HasPrefix(string(kept), "before\n") {
		t.Errorf("the log has %q, %v", kept, err)
	}
}
