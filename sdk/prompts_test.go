package sdk_test

import (
	"bufio"
	"context"
	"errors"
	"io"

	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
	"github.com/windieos/windie/state/once"
)

// asking runs a gateway whose model calls shell.exec, and returns its URL.
func asking(t *testing.T) string {
	t.Helper()
	return gatewaytest.Start(t, askingGateway(t))
}

// askingGateway returns the parts of that gateway.
func askingGateway(t *testing.T) gateway.App {
	t.Helper()
	script := agenttest.NewScript(agenttest.Calling("call-1", "shell_exec", `{"command":"ls"}`), agenttest.Saying("Three ", "files."))
	log, tools := journaltest.NewMemory(), agent.NewRegistry()
	err := tools.Register(agenttest.Tool{
		Described: agent.Descriptor{Name: "shell.exec", Risk: agent.Risky, Origin: agent.Origin{Kind: agent.Builtin}},
		Do: func(_ context.Context, c agent.Call) (agent.Result, error) {
			return agent.Result{Content: []agent.Part{agent.Text("ran " + string(c.Arguments))}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	list := promptlist.OpenList(db, promptlist.Options{})
	sessions := session.New(session.Config{Journal: log, Tools: tools, Turned: list.Turned, Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
		return script, models.Request{Model: "script"}, nil
	}})
	t.Cleanup(func() {
		sessions.Close()
		_ = log.Close()
	})
	return gateway.App{Prompts: list,
		Journal: journal.Count(log), Sessions: sessions, Tools: tools, Once: once.Open(db, once.Options{}), ApprovalKey: approvalKey,
	}
}

func promptClient(t *testing.T, url string) *sdk.Client {
	t.Helper()
	c, err := sdk.New(url, sdk.WithUser("ada"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPrompts sends a prompt, approves a tool call, and reads the output, although the connection
// breaks after each event.
func TestPrompts(t *testing.T) {
	t.Parallel()
	c := promptClient(t, breaking(t, asking(t)))
	var heard []string
	prompt := ""
	for e, err := range c.Prompts.Start(t.Context(), sdkapi.PromptStart{Input: "What is here?"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Created != nil:
			prompt = e.Created.PromptID
		case e.Approval != nil:
			heard = append(heard, "may I "+e.Approval.ToolName)
			if err := c.Prompts.Approve(t.Context(), prompt, e.Approval.ToolCallID, []byte(`{"command":"ls -a"}`)); err != nil {
				t.Fatal(err)
			}
		case e.Output != nil && e.Output.Result != nil:
			heard = append(heard, e.Output.Result.Output.(string)) //nolint:forcetypeassert // the tool gives text
		case e.Output != nil:
			heard = append(heard, e.Output.Content)
		case e.Completed != nil:
			heard = append(heard, "done")
		}
	}
	if got, want := strings.Join(heard, "; "), `may I shell.exec; ran {"command":"ls -a"}; Three files.; done`; got != want {
		t.Errorf("heard %s", got)
	}
	known, err := c.Prompts.Get(t.Context(), prompt)
	if err != nil || known.Status != sdkapi.PromptCompletes {
		t.Errorf("it is %v, %v", known, err)
	}
	if err := c.Prompts.Reject(t.Context(), prompt, "call-1", "no"); !errors.Is(err, &sdkapi.Error{Code: sdkapi.DecisionConflict}) {
		t.Errorf("a late no got %v", err)
	}
	if err := c.Prompts.Cancel(t.Context(), prompt); err != nil {
		t.Errorf("canceled late: %v", err)
	}
}

// TestPromptsOfAGatewayThatWasAway checks that an open stream continues after the gateway was
// unreachable behind a proxy that says so.
func TestPromptsOfAGatewayThatWasAway(t *testing.T) {
	t.Parallel()
	var away atomic.Int64
	c := promptClient(t, breaking(t, absent(t, asking(t), &away, 6)))
	prompt := ""
	for e, err := range c.Prompts.Start(t.Context(), sdkapi.PromptStart{Input: "What is here?"}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Created != nil:
			prompt = e.Created.PromptID
		case e.Approval != nil:
			if err := c.Prompts.Reject(t.Context(), prompt, e.Approval.ToolCallID, "no"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if away.Load() != 6 {
		t.Errorf("it was away for %d requests", away.Load())
	}
}

// absent is a proxy that answers the first requests for events with 502, as during a restart of the
// gateway.
func absent(t *testing.T, to string, away *atomic.Int64, most int64) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") && away.Load() < most {
			away.Add(1)
			http.Error(w, "<html>502</html>", http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// TestPromptsRefused checks that a refusal of the gateway is the last result of the loop.
func TestPromptsRefused(t *testing.T) {
	t.Parallel()
	c := promptClient(t, asking(t))
	for _, err := range c.Prompts.Start(t.Context(), sdkapi.PromptStart{Input: "Hi", ConversationID: "c1"}) {
		if !errors.Is(err, &sdkapi.Error{Code: sdkapi.FeatureUnavailable}) {
			t.Errorf("got %v", err)
		}
	}
	for _, err := range c.Prompts.Events(t.Context(), "p-1", "", false) {
		if !errors.Is(err, &sdkapi.Error{Code: sdkapi.PromptNotFound}) {
			t.Errorf("got %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var last error
	for _, err := range c.Prompts.Start(ctx, sdkapi.PromptStart{Input: "Hi"}) { // waits for an approval
		last = err
	}
	if !errors.Is(last, context.DeadlineExceeded) {
		t.Errorf("in the end %v", last)
	}
}

// breaking is a proxy that closes a stream of events after its first event, and passes on all other
// responses.
func breaking(t *testing.T, to string) string {
	t.Helper()
	var streams atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, to+r.URL.String(), r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header = r.Header
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		if resp.Header.Get("Content-Type") != "text/event-stream" {
			_, _ = io.Copy(w, resp.Body)
			return
		}
		streams.Add(1)
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			_, _ = io.WriteString(w, lines.Text()+"\n")
			if strings.HasPrefix(lines.Text(), "data:") {
				_, _ = io.WriteString(w, "\n")
				break
			}
		}
	}))
	t.Cleanup(func() {
		server.Close()
		if streams.Load() < 4 {
			t.Errorf("%d streams broke", streams.Load())
		}
	})
	return server.URL
}

func ExamplePrompts() {
	client, err := sdk.New("http://127.0.0.1:8765", sdk.WithUser("ada"))
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	for e, err := range client.Prompts.Start(ctx, sdkapi.PromptStart{Input: "What is on my list?"}) {
		switch {
		case err != nil:
			panic(err)
		case e.Output != nil && e.Output.Type == sdkapi.PromptText:
			println(e.Output.Content)
		case e.Approval != nil: // ask your user; here all is fine
			if err := client.Prompts.Approve(ctx, e.Approval.PromptID, e.Approval.ToolCallID, nil); err != nil {
				panic(err)
			}
		}
	}
}
