package doors_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	convs "github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/services"
	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/once"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/journal/sqljournal"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/sdkapi"
)

// event is a server-sent event.
type event struct{ id, kind, data string }

// hear reads the events of an answer until each returns false, or they end.
func hear(body io.Reader, each func(event) (more bool)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	var e event
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			e.data = value
			if !each(e) {
				return nil
			}
			e = event{}
		}
	}
	return lines.Err()
}

// asks sends a request as ada, whose answer the caller closes.
func asks(ctx context.Context, method, url, body string, headers ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header[sdkapi.UserHeader] = []string{"ada"}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return nil, fmt.Errorf("%s: %s", resp.Status, text)
	}
	return resp, err
}

// listener hears the events of one prompt, on whichever gateway, and comes
// back where it stopped.
type listener struct {
	t      *testing.T
	prompt string
	heard  []event
}

// prompted starts a prompt and hears its first event.
func prompted(t *testing.T, url, body string) *listener {
	t.Helper()
	l := &listener{t: t}
	resp, err := asks(t.Context(), http.MethodPost, url+sdkapi.PromptPath, body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	l.take(resp.Body, func(event) bool { return false })
	var created sdkapi.PromptCreated
	if err := json.Unmarshal([]byte(l.last().data), &created); err != nil || l.last().kind != sdkapi.EventPromptCreated {
		t.Fatalf("the first event is %v", l.last())
	}
	l.prompt = created.PromptID
	return l
}

func (l *listener) take(body io.Reader, more func(event) bool) {
	_ = hear(body, func(e event) bool { // a connection that breaks is what is tested
		l.heard = append(l.heard, e)
		return more(e)
	})
}

func (l *listener) last() event { return l.heard[len(l.heard)-1] }

// on goes on listening at a gateway until more returns false, or the end.
func (l *listener) on(url string, more func(event) bool) {
	l.t.Helper()
	resp, err := asks(l.t.Context(), http.MethodGet, url+sdkapi.PromptsPath+"/"+l.prompt+"/events?deltas=true", "", "Last-Event-ID", l.last().id)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	l.take(resp.Body, more)
}

// until goes on listening until an event of a kind, however often the
// connection breaks.
func (l *listener) until(url, kind string) event {
	l.t.Helper()
	for end := time.Now().Add(patience); l.last().kind != kind; {
		if time.Now().After(end) {
			l.t.Fatalf("%s did not come; heard %v", kind, l.heard)
		}
		l.on(url, func(e event) bool { return e.kind != kind })
	}
	return l.last()
}

// asked is the approval that the prompt waits for.
func (l *listener) asked(url string) sdkapi.PromptApproval {
	l.t.Helper()
	var asked sdkapi.PromptApproval
	if err := json.Unmarshal([]byte(l.until(url, sdkapi.EventPromptApproval).data), &asked); err != nil {
		l.t.Fatal(err)
	}
	return asked
}

// answer approves or rejects at a gateway, and returns the status.
func (l *listener) answer(url, verb, body string) int {
	l.t.Helper()
	resp, _ := ask(l.t, http.MethodPost, url+sdkapi.PromptsPath+"/"+l.prompt+"/"+verb, "ada", strings.NewReader(body))
	return resp.StatusCode
}

// orderly is a model that calls shell.exec once for what the user says, and
// then says what came of it, in many pieces. What it answers follows from what it
// gets, as it does not outlive its gateway.
type orderly struct{}

func (orderly) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	if slices.ContainsFunc(req.Tools, func(t models.Tool) bool { return t.Name == "open_app" }) {
		return errands(req).Stream(ctx, req)
	}
	last := req.Messages[len(req.Messages)-1]
	reply := agenttest.Calling("call-1", "shell_exec", `{"command":"ls"}`)
	if last.Role == models.ToolRole {
		var words []string
		for n := range 40 {
			words = append(words, fmt.Sprint("word", n, " "))
		}
		reply = agenttest.Saying(words...)
		reply.Delay = 3 * time.Millisecond // so that pieces are not put together
	}
	return agenttest.NewScript(reply).Stream(ctx, req)
}

// promptGateway returns a gateway's parts for prompts of the orderly model, over
// a database. Its tool shell.exec writes what it was given to a file in dir.
func promptGateway(db *database.DB, dir string, ttl time.Duration) (cfg gateway.Config, closeAll func(), err error) {
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		return cfg, nil, err
	}
	tools := agent.NewRegistry()
	err = tools.Register(agenttest.Tool{
		Described: agent.Descriptor{Name: "shell.exec", Risk: agent.Risky, Origin: agent.Origin{Kind: agent.Builtin}},
		Do: func(_ context.Context, c agent.Call) (agent.Result, error) {
			calls, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return agent.Result{}, err
			}
			defer calls.Close()
			_, err = fmt.Fprintf(calls, "%s\n", c.Arguments)
			return agent.Result{Content: []agent.Part{agent.Text("three files")}}, err
		},
	})
	list := promptlist.OpenList(db, promptlist.Options{})
	sessions := session.New(session.Config{
		Journal: log, Tools: tools, LeaseTTL: ttl, Look: 20 * time.Millisecond, Turned: list.Turned,
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return orderly{}, models.Request{Model: "orderly"}, nil
		},
	})
	counted := journal.Count(log)
	return gateway.Config{Services: services.Services{Models: oneModel{}, Conversations: convs.Open(counted), Prompts: list},
			Store: new(storetest.Memory), Scenes: perception.NewScenes(reader.New(reader.Config{}), perception.Options{}),
			Tools: tools, Journal: counted, Sessions: sessions, Once: once.Open(db, once.Options{}), ApprovalKey: testKey,
			ChatSettle: 2 * time.Second, // a client that breaks off does so as fast as the machine lets it
		}, func() {
			sessions.Close()
			_ = log.Close()
		}, err
}

// calls are the arguments that shell.exec was called with.
func calls(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}
