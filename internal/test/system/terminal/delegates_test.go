//go:build system

package terminal_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// A person hands a task to another windie agent, sees how far it is, is asked about its steps where calls are asked about, and
// gets its answer.
func TestDelegateInATerminal(t *testing.T) {
	t.Parallel()
	url, dir, data := rig.Serve(t), t.TempDir(), t.TempDir()
	x := rig.InTerminal(t, dir, data, "agent", "--gateway", url, "--delegate", "windie")
	x.Shows("windie agent · session as_")
	task := func(name string) string {
		inner, err := json.Marshal(map[string]string{"task": `run file_write {"path":"` + name + `","text":"from another\n"}`})
		if err != nil {
			t.Fatal(err)
		}
		return "run delegate_task " + string(inner)
	}
	x.Says(task("one.txt"))
	x.Shows("May delegate_task be called?")
	x.Allows("y")
	x.Shows("May delegate_step be called?", "the agent windie requests it for its task: run file_write", "n no · d details", "⋯ delegate_task windie: ")
	x.Press("d")
	x.Shows("from another")
	x.Press("e") // changes nothing
	x.Allows("y")
	x.Shows("✓ delegate_task", `"ended":"done"`, `"allowed file_write`)
	if text, err := os.ReadFile(filepath.Join(dir, "one.txt")); string(text) != "from another\n" {
		t.Errorf("%q, %v", text, err)
	}
	x.Says(task("two.txt"))
	x.Shows("May delegate_task be called? task=run file_write {\"path\":\"two.txt\"")
	x.Allows("y")
	x.Shows("the agent windie requests it for its task: run file_write {\"path\":\"two.txt\"")
	x.Press("n")
	x.Shows("Why not?")
	x.Press("Enter")
	x.Shows(`"denied file_write`)
	if _, err := os.Stat(filepath.Join(dir, "two.txt")); err == nil {
		t.Error("a step that was denied was taken")
	}
}

// An MCP client hands a task over, and hears how far it is; windie approvals answers about its steps.
func TestDelegateOverMCP(t *testing.T) {
	t.Parallel()
	dir, data, rules := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("- {tool: delegate_task, verdict: allow}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	var complaint rig.Output
	ended := make(chan int, 1)
	environ := []string{"WINDIE_DATA_DIR=" + data, "WINDIE_POLICY_FILE=" + rules}
	go func() {
		ended <- rig.Run(context.Background(), []string{"mcp", "--computer", "--dir", dir, "--delegate", "windie"}, environ, in, out, &complaint)
		_ = out.Close()
	}()
	var mu sync.Mutex
	var heard []string
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, r.Params.Message)
		},
	})
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromProgram, Writer: toProgram}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if code := <-ended; code != 0 {
			t.Errorf("%d: %s", code, complaint.String())
		}
	})
	called := make(chan string, 1)
	go func() {
		params := &mcp.CallToolParams{Name: "delegate_task", Arguments: map[string]any{"task": `run file_write {"path":"one.txt","text":"hi\n"}`}}
		params.SetProgressToken("p")
		result, err := session.CallTool(context.Background(), params)
		if err != nil {
			called <- err.Error()
			return
		}
		raw, _ := json.Marshal(result)
		called <- string(raw)
	}()
	id := testkit.EventuallyWithin(t, time.Minute, "the question", func() (string, bool) {
		select {
		case answer := <-called:
			t.Fatal(answer)
		default:
		}
		_, list, _ := onData(t, data, "approvals")
		for line := range strings.Lines(list) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[1] == "delegate.step" {
				return fields[0], true
			}
		}
		return list, false
	})
	testkit.EventuallyWithin(t, 10*time.Second, "how far it is", func() ([]string, bool) {
		mu.Lock()
		defer mu.Unlock()
		return heard, len(heard) > 0 && strings.HasPrefix(heard[len(heard)-1], "windie: ")
	})
	if code, out, complaint := onData(t, data, "approvals", "approve", id); code != 0 {
		t.Fatal(out, complaint)
	}
	select {
	case answer := <-called:
		if !strings.Contains(answer, `"ended":"done"`) || !strings.Contains(answer, "created one.txt") {
			t.Error(answer)
		}
	case <-time.After(time.Minute):
		t.Fatal("no answer")
	}
}

// A run has a worker hand a task to another windie agent. A worker that asks nobody has its steps taken, and another one, which
// has nobody before it, does not.
func TestDelegateOfAWorker(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		flags []string
		made  bool
		says  string
	}{
		"unattended": {[]string{"--unattended"}, true, `allowed file_write`},
		"attended":   {nil, false, `denied file_write`},
	} {
		t.Run(name, func(t *testing.T) {
			rules := filepath.Join(t.TempDir(), "rules.yaml")
			if err := os.WriteFile(rules, []byte("- {tool: delegate_task, verdict: allow}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			address, dir := rig.Serve(t, "WINDIE_RUNS_API_KEY="+rig.RunsKey, "WINDIE_RUNS_LEASE=6s", "WINDIE_POLICY_FILE="+rules), t.TempDir()
			client := rig.RunsOf(t, address)
			rig.Work(t, address, dir, append(tt.flags, "--delegate", "windie")...)
			r := rig.AskRun(t, client, `run delegate_task {"task":"run file_write {\"path\":\"one.txt\",\"text\":\"hi\\n\"}"}`)
			_, all := rig.FollowRun(t, client, r.RunID)
			rig.RunEnded(t, client, r.RunID, sdkapi.RunCompleted)
			if !strings.Contains(all, tt.says) {
				t.Errorf("no %q in %.3000s", tt.says, all)
			}
			if _, err := os.Stat(filepath.Join(dir, "one.txt")); (err == nil) != tt.made {
				t.Errorf("the file: %v", err)
			}
		})
	}
}

// Agents are named, or brought with a command.
func TestDelegateFlags(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ flag, complaint string }{
		"unknown":    {"claude", `--delegate "claude": expected opencode, windie, or NAME=COMMAND`},
		"no command": {"claude=", `--delegate "claude="`},
		"no name":    {"=claude", `--delegate "=claude"`},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, complaint := rig.Windie(t, nil, "agent", "--local", "--once", "hi", "--delegate", c.flag)
			if code != 2 || !strings.Contains(complaint, c.complaint) {
				t.Errorf("%d: %s", code, complaint)
			}
		})
	}
}
