package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/approvals"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// runApprovals runs the command on a data folder, in this process.
func runApprovals(t *testing.T, data string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, complaint output
	code = run(t.Context(), append([]string{"approvals"}, args...), []string{"WINDIE_DATA_DIR=" + data}, nil, &out, &complaint)
	return code, out.String(), complaint.String()
}

// questioned returns a data folder in which calls over MCP wait, under these ids
// with these arguments, and its journal.
func questioned(t *testing.T, user string, arguments map[string]string) (data string, log *sqljournal.Journal) {
	t.Helper()
	data = t.TempDir()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(data, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	log, err = sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = log.Close()
		_ = db.Close()
	})
	for _, id := range slices.Sorted(func(yield func(string) bool) {
		for id := range arguments {
			if !yield(id) {
				return
			}
		}
	}) {
		request := fmt.Sprintf(`{"tool":"files.write","arguments":%s,"why":"the tool can change something"}`, arguments[id])
		_, err := log.Open(t.Context(), journal.Decision{
			ID: "approval_" + id, Stream: "decisions/" + user, User: user, Kind: session.Approval, Digest: "d", Request: json.RawMessage(request),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return data, log
}

// A call of a turn waits for a person too, by whichever protocol the turn began,
// and a gateway goes on with the answer of a command.
func TestApprovalsOfTurns(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	url := serveForTest(t, "WINDIE_DATA_DIR="+data)
	go func() { _, _ = postAs(t.Context(), url+sdkapi.PromptPath, `{"input":"remember that tea is at four"}`) }()
	_, made := askAgent(t, http.MethodPost, url+sdkapi.V1SessionsPath, `{}`)
	_, rest, _ := strings.Cut(made, `"general_session_id":"`)
	general, _, _ := strings.Cut(rest, `"`)
	chatted := make(chan string, 1)
	go func() {
		answer, err := postAs(t.Context(), url+sdkapi.V1ChatPath, `{"general_session_id":"`+general+`","stream":true,"message":{"parts":[{"type":"text","text":"remember that bread is at six"}]}}`)
		chatted <- fmt.Sprint(answer, err)
	}()
	socket, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, m := range []string{
		`{"type":"handshake","user_id":"ada"}`,
		`{"id":"6f1f7e0a-3d0c-4e5b-9a44-0c1b6e1f2a3d","type":"query","payload":{"text":"remember that soup is at eight","conversation_ref":"c1"}}`,
	} {
		if err := socket.WriteMessage(websocket.TextMessage, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	var waiting []approvalInfo
	until(t, "three calls wait", func() bool {
		_, out, _ := runApprovals(t, data, "--json")
		var list approvalList
		_ = json.Unmarshal([]byte(out), &list)
		waiting = list.Approvals
		return len(waiting) == 3
	})
	for _, q := range waiting {
		want := map[string]string{"prompt": `{"text":"tea is at four"}`, "general": `{"text":"bread is at six"}`, "ws": `{"text":"soup is at eight"}`}[q.Protocol]
		if string(q.Arguments) != want || q.Tool != "memory_write" || !strings.Contains(q.Why, "change") || (q.UserID == "ada") != (q.Protocol == "ws") {
			t.Errorf("what waits: %+v", q)
		}
		verb := "approve"
		if q.Protocol == "general" {
			verb = "deny"
		}
		if code, out, complaint := runApprovals(t, data, verb, q.ID, "--reason", "because"); code != 0 || !strings.Contains(out, strings.TrimSuffix(strings.TrimPrefix(want, `{"text":`), "}")) {
			t.Errorf("%s: %d\n%s%s", verb, code, out, complaint)
		}
	}
	if said := receiveWithin(t, chatted); !strings.Contains(said, "because") || !strings.Contains(said, "assistant.final") {
		t.Errorf("the denied turn says %s", said)
	}
	until(t, "the approved calls are made", func() bool {
		notes := memoryOf(t, data)
		return strings.Contains(notes, "tea is at four") && strings.Contains(notes, "soup is at eight")
	})
	if notes := memoryOf(t, data); strings.Contains(notes, "bread") {
		t.Errorf("a denied call is made: %s", notes)
	}
	if code, out, _ := runApprovals(t, data); code != 0 || !strings.Contains(out, "Nothing waits") {
		t.Errorf("in the end: %d\n%s", code, out)
	}
}

func postAs(ctx context.Context, url, body string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sdkapi.UserHeader, sdkapi.LocalUser)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return string(answer), err
}

func receiveWithin(t *testing.T, from <-chan string) string {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(time.Minute):
		t.Fatal("nothing came")
		return ""
	}
}

// What a person is shown is what runs: in one spelling, whole, with nothing
// hidden; a list says what it leaves out.
func TestApprovalsShowWhatRuns(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000) + "; rm -rf /"
	data, _ := questioned(t, "local", map[string]string{
		"aaaa0000000000000000000000000001": `{"path":"\u0061.txt","b":[1.50,9007199254740993],"text":"<b> & \u202e\u001b[2Kgnp.exe","` + "\u2066" + `":"` + "\u200b" + `"}`,
		"aaaa0000000000000000000000000002": `{"command":"` + long + `"}`,
	})
	code, out, complaint := runApprovals(t, data, "show", "aaaa0000000000000000000000000001")
	for _, want := range []string{`"path": "a.txt"`, `1.50`, `9007199254740993`, `<b> & \u202e\u001b[2Kgnp.exe`, `"\u2066": "\u200b"`, "files.write", "an MCP client, for the user local", "the tool can change something"} {
		if !strings.Contains(out, want) || code != 0 {
			t.Errorf("show lacks %s: %d\n%s%s", want, code, out, complaint)
		}
	}
	if strings.ContainsAny(out, "\u202e\u2066\u200b\x1b") {
		t.Errorf("show hides something:\n%q", out)
	}
	if _, out, _ := runApprovals(t, data, "show", "approval_aaaa0000000000000000000000000002"); !strings.Contains(out, long) {
		t.Errorf("show leaves something out:\n%s", out)
	}
	_, out, _ = runApprovals(t, data)
	if strings.Contains(out, long) || !strings.Contains(out, "… (") || strings.ContainsAny(out, "\u202e\u2066\u200b\x1b") {
		t.Errorf("the list:\n%s", out)
	}
	for _, short := range []string{"aaaa0000000000000000000000000001", "aaaa0000000000000000000000000002"} {
		if !strings.Contains(out, short) {
			t.Errorf("the list shortens ids to what does not tell them apart:\n%s", out)
		}
	}
}

// An id may be shortened, never guessed; answers are kept once.
func TestApprovalsByID(t *testing.T) {
	t.Parallel()
	data, log := questioned(t, "local", map[string]string{
		"11110000000000000000000000000001": `{"n":1}`, "11112222000000000000000000000002": `{"n":2}`, "33330000000000000000000000000003": `{"n":3}`,
	})
	for _, tt := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{[]string{"approve", "1111"}, exitFailed, "", "2 waiting calls have IDs"},
		{[]string{"approve", ""}, exitFailed, "", "no waiting call has the ID"},
		{[]string{"approve", "4444"}, exitFailed, "", "no waiting call has the ID"},
		{[]string{"show", "1111000", "--user", "bob"}, exitFailed, "", "no waiting call has the ID"},
		{[]string{"show"}, exitUsage, "", "missing ID"},
		{[]string{"--mode", "hosted"}, exitUsage, "", "--user"},
		{[]string{"deny", "11110000", "--reason", "no fun"}, 0, "Denied.", ""},
		{[]string{"approve", "11110000"}, exitFailed, "", "no waiting call has the ID"},
		{[]string{"approve", "1111", "--user", "local"}, 0, `"n": 2`, ""},
		{[]string{"approve", "approval_3333", "--json"}, 0, `"state":"approved"`, ""},
	} {
		t.Run(fmt.Sprint(tt.args), func(t *testing.T) {
			code, out, complaint := runApprovals(t, data, tt.args...)
			if code != tt.code || !strings.Contains(out, tt.out) || !strings.Contains(complaint, tt.err) {
				t.Errorf("%v: %d\n%s%s", tt.args, code, out, complaint)
			}
		})
	}
	denied, err := log.Decision(t.Context(), "approval_11110000000000000000000000000001")
	if err != nil || !denied.Answer.Denied || denied.Answer.Reason != "no fun" {
		t.Errorf("%+v, %v", denied, err)
	}
}

// Watching shows each call once, as it comes, and asks whoever sits there: what
// was typed before the call was shown is no answer to it.
func TestApprovalsWatch(t *testing.T) {
	t.Parallel()
	data, log := questioned(t, "local", map[string]string{"11110000000000000000000000000001": `{"n":1}`})
	ctx, stop := context.WithCancel(t.Context())
	var out output
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"approvals", "--watch"}, []string{"WINDIE_DATA_DIR=" + data}, nil, &out, &out)
	}()
	until(t, "what waits is shown", func() bool { return strings.Contains(out.String(), `"n": 1`) })
	second := journal.Decision{ID: "approval_2", Stream: "decisions/local", User: "local", Kind: session.Approval, Digest: "d", Request: json.RawMessage(`{"tool":"a.b","arguments":{"n":2},"why":"so"}`)}
	if _, err := log.Open(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	until(t, "what comes is shown", func() bool { return strings.Contains(out.String(), `"n": 2`) })
	stop()
	if code := <-ended; code != 0 || strings.Count(out.String(), `"n": 1`) != 1 || strings.Contains(out.String(), "[y = yes") {
		t.Errorf("it ended with %d:\n%s", code, out.String())
	}

	for _, tt := range []struct {
		typed   []line
		said    string
		decided journal.State
		denied  bool
	}{
		{[]line{{"y", time.Now().Add(-time.Second)}, {"", time.Now().Add(time.Hour)}}, "goes on waiting", journal.Pending, false},
		{[]line{{"maybe", time.Now().Add(time.Hour)}}, "goes on waiting", journal.Pending, false},
		{[]line{{" Yes ", time.Now().Add(time.Hour)}}, "Approved.", journal.Decided, false},
		{[]line{{"n", time.Now().Add(time.Hour)}}, "It was not decided", journal.Decided, false},
	} {
		t.Run(fmt.Sprint(tt.typed), func(t *testing.T) {
			var said output
			a := &approver{log: log, sessions: session.New(session.Config{Journal: log}), out: &said}
			lines := make(chan line, len(tt.typed))
			for _, l := range tt.typed {
				lines <- l
			}
			d, err := log.Decision(t.Context(), "approval_2")
			if err == nil {
				err = a.askAbout(t.Context(), approvals.Question{Decision: d}, lines)
			}
			after, _ := log.Decision(t.Context(), "approval_2")
			if err != nil || !strings.Contains(said.String(), tt.said) || after.State != tt.decided || after.Answer.Denied != tt.denied {
				t.Errorf("%v: %v, %+v\n%s", tt.typed, err, after, said.String())
			}
			a.sessions.Close()
		})
	}
}

// askAgent sends what an agent without the key can.
func askAgent(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sdkapi.UserHeader, sdkapi.LocalUser)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// memoryOf returns what is remembered in a data folder.
func memoryOf(t *testing.T, data string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(filepath.Join(data, "memory"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		raw, err := os.ReadFile(path)
		all.Write(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
