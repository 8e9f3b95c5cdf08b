package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/audit"
	convs "github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// audited runs a gateway that records calls, with a model that answers so, and
// returns its URL.
func audited(t *testing.T, replies ...agenttest.Reply) string {
	t.Helper()
	trail, log, tools := gatewaytest.Audit(t), journaltest.NewMemory(), agent.NewRegistry()
	doorstest.WithRisks(t, tools)
	for name, do := range map[string]func(context.Context, agent.Call) (agent.Result, error){
		"test.outer": func(ctx context.Context, c agent.Call) (agent.Result, error) {
			return c.Invoke(ctx, "time.now", json.RawMessage(`{"zone":"UTC"}`))
		},
		"test.fails": func(context.Context, agent.Call) (agent.Result, error) { return agent.Failf("no").Result(), nil },
	} {
		t.Run(name, func(t *testing.T) {
			err := tools.Register(agenttest.Tool{Described: agent.Descriptor{Name: name, Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Builtin}}, Do: do})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	script := agenttest.NewScript(replies...).Otherwise(agenttest.Saying("Done."))
	all := session.New(session.Config{
		Journal: log, Tools: tools, Via: audit.Via, Ended: trail.Ended,
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return script, models.Request{Model: "scripted"}, nil
		},
	})
	t.Cleanup(func() {
		all.Close()
		_ = log.Close()
	})
	counted := journal.Count(log)
	return gatewaytest.Start(t, gateway.App{Models: doorstest.OneModel{}, Conversations: convs.Open(counted), Audit: trail,
		Store: new(storetest.Memory), Tools: tools, Sessions: all, Journal: counted, ApprovalKey: doorstest.TestKey,
	})
}

// auditedCalls returns what a gateway has recorded, the oldest first, once that is
// so many.
func auditedCalls(t *testing.T, at string, n int) []sdkapi.AuditRecord {
	t.Helper()
	records := testkit.Eventually(t, fmt.Sprintf("%d records", n), func() ([]sdkapi.AuditRecord, bool) {
		records := auditPage(t, at, "").Records
		return records, len(records) >= n
	})
	slices.Reverse(records)
	return records
}

func auditPage(t *testing.T, at, query string) (page sdkapi.AuditPage) {
	t.Helper()
	status, body := doorstest.AskKeyed(t, http.MethodGet, at+sdkapi.AuditPath+query, "ada", "")
	if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	return page
}

// lines returns what is the same in records each time.
func lines(records []sdkapi.AuditRecord) string {
	var b strings.Builder
	for _, r := range records {
		digested := "digest"
		if r.Digest == "" {
			digested = "no digest"
		}
		fmt.Fprintf(&b, "%s %s of %q by %s, %s by %q: %s %s, from within %q, %d tokens, %s\n", r.UserID, r.Tool, r.Origin, r.Protocol, r.Decision, r.DecidedBy, r.Outcome, r.Code, r.Parent, r.Tokens, digested)
	}
	return b.String()
}

func wantLines(t *testing.T, got []sdkapi.AuditRecord, want string) {
	t.Helper()
	if got := lines(got); got != strings.TrimLeft(want, "\n") {
		t.Errorf("recorded is\n%s\nand not\n%s", got, want)
	}
}

func TestAuditOfHTTP(t *testing.T) {
	t.Parallel()
	at := audited(t)
	secret := `{"secret":"hush"}`
	for _, call := range [][2]string{{"time.now", secret}, {"time.now", ` { "secret" : "hush" } `}, {"test.fails", ""}, {"no.tool", "{}"}, {"time.now", "{"}, {"test.outer", ""}, {"shell.exec", "{}"}} {
		doorstest.Ask(t, http.MethodPost, at+sdkapi.ToolPath(call[0]), "ada", strings.NewReader(call[1]))
	}
	got := auditedCalls(t, at, 8)
	wantLines(t, got, `
ada time.now of "builtin" by http, none by "": done , from within "", 0 tokens, digest
ada time.now of "builtin" by http, none by "": done , from within "", 0 tokens, digest
ada test.fails of "builtin" by http, none by "": failed TOOL_ERROR, from within "", 0 tokens, digest
ada no.tool of "" by http, none by "": refused TOOL_NOT_FOUND, from within "", 0 tokens, digest
ada time.now of "" by http, none by "": refused VALIDATION_ERROR, from within "", 0 tokens, no digest
ada time.now of "builtin" by http, none by "": done , from within "test.outer", 0 tokens, digest
ada test.outer of "builtin" by http, none by "": done , from within "", 0 tokens, digest
ada shell.exec of "builtin" by http, none by "": done , from within "", 0 tokens, digest
`)
	if len(got) != 8 {
		t.FailNow()
	}
	want, err := journal.Digest("time.now", json.RawMessage(secret))
	if err != nil || got[0].Digest != want || got[1].Digest != want || got[5].Digest == want || got[0].CallID != "me-1" || got[5].CallID != "me-1" {
		t.Errorf("digests and ids: %+v", got)
	}
	if _, body := doorstest.Get(t, at+sdkapi.AuditPath); strings.Contains(body, "hush") {
		t.Error("the arguments are told")
	}
	for query, n := range map[string]int{
		"?user=ada": 8, "?user=eve": 0, "?tool=time.now": 4, "?protocol=http&outcome=refused": 2, "?protocol=ws": 0, "?protocol=host": 0, "?limit=3": 3,
		"?until=" + url.QueryEscape(got[2].Time.Format(time.RFC3339Nano)): 2, "?since=" + url.QueryEscape(got[2].Time.Format(time.RFC3339Nano)): 6,
	} {
		t.Run(query, func(t *testing.T) {
			if page := auditPage(t, at, query); len(page.Records) != n || (page.Next != "") != (query == "?limit=3") {
				t.Errorf("%s: %d, then %q", query, len(page.Records), page.Next)
			}
		})
	}
	page := auditPage(t, at, "?limit=5")
	if rest := auditPage(t, at, "?after="+page.Next); len(rest.Records) != 3 || rest.Next != "" {
		t.Errorf("the next page: %+v", rest)
	}
	for _, wrong := range []string{"?limit=0", "?limit=501", "?protocol=smtp", "?outcome=x", "?since=yesterday", "?after=x"} {
		if resp, body := doorstest.Get(t, at+sdkapi.AuditPath+wrong); resp.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %s %s", wrong, resp.Status, body)
		}
	}
	figures := testkit.Eventually(t, "what is kept is counted", func() (figures map[string]float64, done bool) { // after it is written
		figures = figuresAt(t, at)
		return figures, figures[`windie_audit_records_total{result="kept"}`] == 8
	})
	for name, n := range figures {
		if want, known := map[string]float64{`windie_audit_records_total{result="lost"}`: 0, "windie_audit_queued": 0, "windie_audit_waits_total": 0}[name]; known && n != want {
			t.Errorf("%s is %v", name, n)
		}
	}
}

func TestAuditOfPrompts(t *testing.T) {
	t.Parallel()
	asking, used := agenttest.Calling("call-1", "shell_exec", `{"command":"ls"}`), models.Usage{Input: 90, Output: 10}
	asking.Usage = used
	at := audited(t, asking, agenttest.Saying("1"), asking, agenttest.Saying("2"), asking, agenttest.Saying("3"),
		agenttest.Calling("call-1", "time_now", `{}`), agenttest.Saying("4"), agenttest.Calling("call-1", "time_then", `{}`), agenttest.Saying("5"))
	for _, answer := range []string{"approve", `approve,"input":{"command":"ls -la"}`, "reject", "", ""} {
		l := doorstest.Prompted(t, at, `{"input":"do it"}`)
		if verb, more, _ := strings.Cut(answer, ","); verb != "" {
			l.Asked(at)
			if more != "" {
				more = "," + more
			}
			if status := l.Answer(at, verb, `{"toolCallId":"call-1"`+more+`}`); status != http.StatusOK {
				t.Fatalf("%s: %d", answer, status)
			}
		}
		l.Until(at, sdkapi.EventPromptCompleted)
	}
	got := auditedCalls(t, at, 5)
	wantLines(t, got, `
ada shell.exec of "builtin" by prompt, approved by "ada": done , from within "", 100 tokens, digest
ada shell.exec of "builtin" by prompt, edited by "ada": done , from within "", 100 tokens, digest
ada shell.exec of "" by prompt, denied by "ada": denied , from within "", 100 tokens, digest
ada time.now of "builtin" by prompt, allowed by "": done , from within "", 15 tokens, digest
ada time_then of "" by prompt, none by "": refused , from within "", 15 tokens, digest
`)
	if len(got) == 5 && (got[0].Digest == got[1].Digest || got[0].Digest != got[2].Digest || !strings.HasPrefix(got[0].SessionID, "api/")) {
		t.Errorf("digests and ids: %+v", got)
	}
}

func TestAuditOfSockets(t *testing.T) {
	t.Parallel()
	at := audited(t, agenttest.Calling("c1", "run_shell_command", `{"command":"ls"}`), agenttest.Saying("1"),
		agenttest.Calling("c2", "run_shell_command", `{"command":"rm x"}`), agenttest.Saying("2"), agenttest.Calling("c3", "time_now", `{}`), agenttest.Saying("3"),
		agenttest.Calling("c4", "read_file", `{"path":"a"}`), agenttest.Saying("4"))
	p := doorstest.Dial(t, at, doorstest.Hello)
	request := func(kind string) string {
		list := p.Until(kind)
		var of struct {
			RequestID string `json:"request_id"`
		}
		if err := json.Unmarshal(list[len(list)-1].Payload, &of); err != nil {
			t.Fatal(err)
		}
		return of.RequestID
	}
	query := func() { p.Send("query", `{"text":"do it","conversation_ref":"c1"}`) }
	query()
	p.Send("approval-decision", fmt.Sprintf(`{"request_id":%q,"approved":true}`, request("approval-request")))
	p.Send("tool-result", fmt.Sprintf(`{"request_id":%q,"success":true,"data":{"output":"x"},"error":null}`, request("tool-call")))
	p.Until("streaming-complete")
	query()
	p.Send("approval-decision", fmt.Sprintf(`{"request_id":%q,"approved":false,"reason":"no"}`, request("approval-request")))
	p.Until("streaming-complete")
	query()
	p.Until("streaming-complete")
	query()
	p.Send("tool-result", fmt.Sprintf(`{"request_id":%q,"success":false,"data":null,"error":"no such file"}`, request("tool-call")))
	p.Until("streaming-complete")
	got := auditedCalls(t, at, 4)
	wantLines(t, got, `
ada run_shell_command of "client" by ws, approved by "ada": done , from within "", 15 tokens, digest
ada run_shell_command of "" by ws, denied by "ada": denied , from within "", 15 tokens, digest
ada time.now of "builtin" by ws, allowed by "": done , from within "", 15 tokens, digest
ada read_file of "client" by ws, allowed by "": failed TOOL_ERROR, from within "", 15 tokens, digest
`)
	if len(got) == 4 && (got[0].CallID != "c1" || !strings.HasPrefix(got[0].SessionID, "ws/") || got[0].DurationMS <= 0) {
		t.Errorf("%+v", got[0])
	}
}

// A call over MCP that a person approved is recorded as such.
func TestAuditOfMCPApprovals(t *testing.T) {
	t.Parallel()
	at := audited(t)
	const version = "2026-07-28"
	ask := func() doorstest.MCPAnswer {
		return doorstest.MCPCall(t, at, version, "shell_exec", `{"command":"ls"}`, sdkapi.UserHeader, "ada")
	}
	if r := ask(); !doorstest.Waits(r) {
		t.Fatalf("%+v", r)
	}
	if status, body := doorstest.AnswerDecision(t, at, "ada", doorstest.IdOf(t, at, "ada", `{"command":"ls"}`), `{"approved":true}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	if r := ask(); r.IsError {
		t.Fatalf("%+v", r)
	}
	wantLines(t, auditedCalls(t, at, 1), `
ada shell.exec of "builtin" by mcp, approved by "ada": done , from within "", 0 tokens, digest
`)
}
