package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// agentOnce runs windie agent to its end.
func agentOnce(t *testing.T, url, dir, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	args = append([]string{"agent", "--root", dir}, args...)
	if url != "" {
		args = append(args, "--gateway", url)
	}
	return windie(t, strings.NewReader(stdin), args...)
}

// What scripts get: the answer, or each message and a result; what was written; and a code.
func TestAgentOnce(t *testing.T) {
	t.Parallel()
	url, dir := serveForTest(t), t.TempDir()
	write := `run file_write {"path":"docs/a.md","text":"# A\n"}`
	code, out, complaint := agentOnce(t, url, dir, "", "--once", write)
	if code != exitFailed || !strings.Contains(out, "no terminal to ask in") || !strings.Contains(complaint, "--allow file_write") {
		t.Errorf("denied: %d\n%s\n%s", code, out, complaint)
	}
	if _, err := os.Stat(filepath.Join(dir, "docs")); err == nil {
		t.Error("a call that was denied was made")
	}
	code, out, complaint = agentOnce(t, url, dir, "", "--once", write, "--allow", "file_write:docs/**")
	if code != 0 || out != `{"size":4}`+"\n" || complaint != "✓ file_write docs/a.md +1 −0\ncreated docs/a.md (+1 −0)\n" {
		t.Errorf("allowed: %d\n%s\n%s", code, out, complaint)
	}
	code, out, _ = agentOnce(t, url, dir, "", "--once", `run file_write {"path":"docs/a.md","text":"# B\n"}`, "--allow", "file_write", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var result struct {
		Type      string
		SessionID string
		Metadata  sdkapi.AgentDoneMetadata
		Files     []struct{ Path, Change string }
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &result); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if code != 0 || result.Type != "result" || result.Metadata.Reason != "done" || len(result.Files) != 1 || result.Files[0].Change != "changed" {
		t.Errorf("%d %+v", code, result)
	}
	for _, line := range lines {
		var m struct{ Type, SessionID string }
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Type == "" || m.SessionID != result.SessionID {
			t.Errorf("%s: %v", line, err)
		}
	}
	code, out, _ = agentOnce(t, url, dir, "", "--session", result.SessionID, "--once", `run file_read {"path":"docs/a.md"}`)
	if code != 0 || !strings.Contains(out, "# B") {
		t.Errorf("the session goes on: %d %s", code, out)
	}
	code, out, _ = agentOnce(t, url, dir, "", "--sessions")
	if code != 0 || strings.Count(out, "as_") != 3 || !strings.Contains(strings.SplitN(out, "\n", 2)[0], result.SessionID) {
		t.Errorf("the list: %d\n%s", code, out)
	}
}

// What the gateway lets pass, this machine still does only where its user has allowed it.
func TestAgentAsksItself(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(rules, []byte("- tool: '*'\n  verdict: allow\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url, dir := serveForTest(t, "WINDIE_POLICY_FILE="+rules), t.TempDir()
	write := `run file_write {"path":"a.md","text":"A"}`
	code, out, complaint := agentOnce(t, url, dir, "", "--once", write)
	if code != exitFailed || !strings.Contains(out, "the user of this machine did not allow it") || !strings.Contains(complaint, "--allow file_write") || strings.Contains(complaint, "a.md (") {
		t.Errorf("%d\n%s\n%s", code, out, complaint)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("what nobody allowed was done: %v, %v", left, err)
	}
	if code, out, complaint = agentOnce(t, url, dir, "", "--once", write, "--allow", "file_write:*.md"); code != 0 {
		t.Errorf("allowed here: %d\n%s\n%s", code, out, complaint)
	}
}

// Without a terminal, each line is said, one after the other.
func TestAgentReadsLines(t *testing.T) {
	t.Parallel()
	code, out, _ := agentOnce(t, "", t.TempDir(), "run file_list {}\n\nrun file_read {\"path\":\"none\"}\n", "--local")
	if code != exitFailed || !strings.Contains(out, `"entries"`) || !strings.Contains(out, "none does not exist") {
		t.Errorf("%d\n%s", code, out)
	}
}

// A signal ends it while it waits for a line.
func TestAgentEndsWhileItWaits(t *testing.T) {
	t.Parallel()
	ctx, signaled := context.WithCancel(t.Context())
	in, say := io.Pipe()
	defer say.Close()
	var out, complaint output
	ended := make(chan int, 1)
	url, dir := serveForTest(t), t.TempDir()
	go func() {
		ended <- run(ctx, []string{"agent", "--root", dir, "--gateway", url}, []string{"WINDIE_DATA_DIR=" + t.TempDir()}, in, &out, &complaint)
	}()
	_, _ = io.WriteString(say, "run file_list {}\n")
	testkit.Eventually(t, "it answers", func() (string, bool) { return out.String(), strings.Contains(out.String(), `"entries"`) })
	signaled()
	select {
	case code := <-ended:
		if code != exitInterrupted {
			t.Errorf("%d: %s", code, complaint.String())
		}
	case <-time.After(10 * time.Second):
		t.Error("it still waits")
	}
}

// What is wrong with a command line, a session or a gateway is said.
func TestAgentCalledWrongly(t *testing.T) {
	t.Parallel()
	url := serveForTest(t)
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"json without once":  {[]string{"--json"}, exitUsage, "--once"},
		"image without once": {[]string{"--image", "a.png"}, exitUsage, "--once"},
		"local and gateway":  {[]string{"--local"}, exitUsage, "--local"},
		"no pattern":         {[]string{"--once", "hi", "--allow", "[:x"}, exitUsage, "--allow"},
		"no such session":    {[]string{"--once", "hi", "--session", "as_aaaaaaaaaaaaaaaaaaaaaaaaaa"}, exitFailed, "there is no session"},
		"no such image":      {[]string{"--once", "hi", "--image", "nowhere.png"}, exitFailed, "nowhere.png"},
		"no such folder":     {[]string{"--root", "/nowhere/at/all"}, exitUsage, "--root"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, complaint := agentOnce(t, url, t.TempDir(), "", tt.args...)
			if code != tt.code || !strings.Contains(complaint, tt.want) {
				t.Errorf("%d\n%s\n%s", code, out, complaint)
			}
		})
	}
}

// A user without sessions has no last one. Where nobody can choose one, that is said whether there are sessions or not.
func TestAgentWithoutSessions(t *testing.T) {
	t.Parallel()
	url := serveForTest(t)
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"the last one":   {[]string{"--session", "last"}, exitFailed, "no session to continue"},
		"nobody chooses": {[]string{"--session"}, exitUsage, "without a terminal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, _, complaint := agentOnce(t, url, t.TempDir(), "", append([]string{"--once", "hi"}, tt.args...)...)
			if code != tt.code || !strings.Contains(complaint, tt.want) {
				t.Errorf("%d %s", code, complaint)
			}
		})
	}
}

// With --decide a program that runs windie agent answers what is asked.
func TestAgentDecides(t *testing.T) {
	t.Parallel()
	url := serveForTest(t)
	for name, c := range map[string]struct {
		lines   string
		written bool
		outcome string
	}{
		"yes":              {"no JSON\n" + `{"toolCallId":"another","approved":true}` + "\n" + `{"toolCallId":"call_1_0","approved":true}` + "\n", true, `"outcome":"done"`},
		"no":               {`{"toolCallId":"call_1_0","approved":false,"reason":"not today"}` + "\n", false, "not today"},
		"the first counts": {`{"toolCallId":"call_1_0","approved":false}` + "\n" + `{"toolCallId":"call_1_0","approved":true}` + "\n", false, `"outcome":"denied"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in, say := io.Pipe()
			var out, complaint output
			ended := make(chan int, 1)
			go func() {
				ended <- run(t.Context(), []string{"agent", "--root", dir, "--gateway", url, "--json", "--decide", "--once", `run file_write {"path":"a.txt","text":"a"}`}, []string{"WINDIE_DATA_DIR=" + t.TempDir()}, in, &out, &complaint)
				_ = in.Close()
			}()
			testkit.Eventually(t, "it asks", func() (string, bool) { return out.String(), strings.Contains(out.String(), sdkapi.AgentApproval) })
			_, _ = io.WriteString(say, c.lines) // it need not read all
			want := 0
			if !c.written {
				want = exitFailed
			}
			if code := <-ended; code != want || !strings.Contains(out.String(), c.outcome) {
				t.Errorf("%d: %s\n%s", code, out.String(), complaint.String())
			}
			if _, err := os.Stat(filepath.Join(dir, "a.txt")); (err == nil) != c.written {
				t.Errorf("written: %v", err)
			}
			_ = say.Close()
		})
	}
	if code, _, complaint := agentOnce(t, url, t.TempDir(), "", "--decide", "--once", "hi"); code != 2 || !strings.Contains(complaint, "--decide: goes with --once and --json") {
		t.Errorf("without JSON: %d: %s", code, complaint)
	}
}
