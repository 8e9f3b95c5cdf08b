package doorstest

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
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
	"github.com/windieos/windie/state/once"
)

// Event is a server-sent event.
type Event struct{ Id, Kind, Data string }

// Hear reads server-sent events, and passes every event to the function each. It stops when the function returns
// false or when the stream ends. The end of the stream is not an error.
func Hear(body io.Reader, each func(Event) (more bool)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	var e Event
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			e.Id = value
		case "event":
			e.Kind = value
		case "data":
			e.Data = value
			if !each(e) {
				return nil
			}
			e = Event{}
		}
	}
	return lines.Err()
}

// Asks sends a request as the user ada. The parameter headers contains pairs of names and values. If the status is
// 200, the caller closes the body. Any other status is an error that contains the body.
func Asks(ctx context.Context, method, url, body string, headers ...string) (*http.Response, error) {
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

// Listener reads the events of one prompt. It can continue on another gateway, from the event at which it stopped.
type Listener struct {
	T      *testing.T
	Prompt string
	Heard  []Event
}

// Prompted starts a prompt and reads its first event, which has the prompt's id.
func Prompted(t *testing.T, url, body string) *Listener {
	t.Helper()
	l := &Listener{T: t}
	resp, err := Asks(t.Context(), http.MethodPost, url+sdkapi.PromptPath, body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	l.take(resp.Body, func(Event) bool { return false })
	var created sdkapi.PromptCreated
	if err := json.Unmarshal([]byte(l.Last().Data), &created); err != nil || l.Last().Kind != sdkapi.EventPromptCreated {
		t.Fatalf("the first event is %v", l.Last())
	}
	l.Prompt = created.PromptID
	return l
}

// take adds events to Heard until more returns false or the stream ends. It ignores errors, as the tests break
// connections.
func (l *Listener) take(body io.Reader, more func(Event) bool) {
	_ = Hear(body, func(e Event) bool { // a broken connection is part of the test
		l.Heard = append(l.Heard, e)
		return more(e)
	})
}

// Last returns the last event that the listener has read. It panics if the listener has read no event.
func (l *Listener) Last() Event { return l.Heard[len(l.Heard)-1] }

// On continues to read the prompt's events after the last event, from the gateway at url. It stops when the function
// more returns false or when the stream ends.
func (l *Listener) On(url string, more func(Event) bool) {
	l.T.Helper()
	resp, err := Asks(l.T.Context(), http.MethodGet, url+sdkapi.PromptsPath+"/"+l.Prompt+"/events?deltas=true", "", "Last-Event-ID", l.Last().Id)
	if err != nil {
		l.T.Fatal(err)
	}
	defer resp.Body.Close()
	l.take(resp.Body, more)
}

// Until continues to read events until it finds an event of the given kind, and returns this event. It reconnects
// whenever the connection breaks. The test fails after Patience.
func (l *Listener) Until(url, kind string) Event {
	l.T.Helper()
	for end := time.Now().Add(Patience); l.Last().Kind != kind; {
		if time.Now().After(end) {
			l.T.Fatalf("%s did not come; heard %v", kind, l.Heard)
		}
		l.On(url, func(e Event) bool { return e.Kind != kind })
	}
	return l.Last()
}

// Asked waits for the next approval request of the prompt and returns it.
func (l *Listener) Asked(url string) sdkapi.PromptApproval {
	l.T.Helper()
	var asked sdkapi.PromptApproval
	if err := json.Unmarshal([]byte(l.Until(url, sdkapi.EventPromptApproval).Data), &asked); err != nil {
		l.T.Fatal(err)
	}
	return asked
}

// Answer posts an approval or a denial to the gateway at url, and returns the status. The parameter verb is the last
// part of the path.
func (l *Listener) Answer(url, verb, body string) int {
	l.T.Helper()
	resp, _ := Ask(l.T, http.MethodPost, url+sdkapi.PromptsPath+"/"+l.Prompt+"/"+verb, "ada", strings.NewReader(body))
	return resp.StatusCode
}

// orderly is a model that calls shell.exec once, and then streams a long text. Its response depends only on the
// request, since the gateway may restart in between. If the request has the tool open_app, errands answers.
type orderly struct{}

// Stream calls shell.exec, unless the last message is a tool result.
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
		reply.Delay = 3 * time.Millisecond // so that the gateway does not join the deltas
	}
	return agenttest.NewScript(reply).Stream(ctx, req)
}

// PromptGateway returns the configuration of a gateway for prompts, with the given database. The gateway's model has
// the type orderly: it calls shell.exec once and then streams a long text. The tool shell.exec appends its arguments
// to the file "calls" in dir. The function closeAll closes everything except the database.
func PromptGateway(db *database.DB, dir string, ttl time.Duration) (cfg gateway.App, closeAll func(), err error) {
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
	counted := journal.Count(log)
	conversations := convs.Open(counted)
	list := promptlist.OpenList(db, promptlist.Options{Touch: conversations.Touch})
	sessions := session.New(session.Config{
		Journal: log, Tools: tools, LeaseTTL: ttl, Look: 20 * time.Millisecond, Turned: list.Turned,
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return orderly{}, models.Request{Model: "orderly"}, nil
		},
	})
	return gateway.App{Models: OneModel{}, Conversations: conversations, Prompts: list,
			Store: new(storetest.Memory), Scenes: perception.NewScenes(reader.New(reader.Config{}), perception.Options{}),
			Tools: tools, Journal: counted, Sessions: sessions, Once: once.Open(db, once.Options{}), ApprovalKey: TestKey,
		}, func() {
			sessions.Close()
			_ = log.Close()
		}, err
}

// Calls returns the arguments of all calls of shell.exec, oldest first. It reads the file "calls" in dir.
func Calls(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}
