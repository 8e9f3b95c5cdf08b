package doors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	convs "github.com/windieos/windie/agent/conversation"
	agentdesktop "github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/desktop"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/gateway/services"
	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/journal/sqljournal"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception/query"
)

// secretary is a model that calls a tool, then two at once, and then says that
// it is done, in pieces, whoever brings the tools: a client of /ws, the desktop
// of /v1, or the gateway. What it answers follows from the conversation alone.
type secretary struct{}

// What it says, and its last words.
const (
	secretarySays = "One note first. Two more. " + secretaryEnd
	secretaryEnd  = "All three notes are kept."
)

func (secretary) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	name, arguments := "shell_exec", `{"command":"note %d"}`
	for _, own := range []struct{ name, arguments string }{{"save_note", `{"text":"note %d"}`}, {"keyboard_control", `{"action":"type","text":"note %d"}`}} {
		if slices.ContainsFunc(req.Tools, func(t models.Tool) bool { return t.Name == own.name }) {
			name, arguments = own.name, own.arguments
			break
		}
	}
	results := 0
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			switch {
			case p.Result != nil:
				results++
			case m.Role == models.User:
				results = 0
			}
		}
	}
	call := func(n int) []string { return []string{fmt.Sprint("call-", n), name, fmt.Sprintf(arguments, n)} }
	var reply agenttest.Reply
	switch results {
	case 0:
		reply = agenttest.Calling(call(1)...)
		reply.Text = []string{"One ", "note ", "first. "}
	case 1:
		reply = agenttest.Calling(slices.Concat(call(2), call(3))...)
		reply.Text = []string{"Two more. "}
	default:
		reply = agenttest.Saying("All ", "three ", "notes ", "are ", "kept.")
	}
	reply.Delay = 2 * time.Millisecond // so that pieces are not put together
	return agenttest.NewScript(reply).Stream(ctx, req)
}

// documentedGateway runs a gateway of documentedConfig.
func documentedGateway(t *testing.T, hosted bool, ran *atomic.Int64) (url string, user []string) {
	t.Helper()
	cfg := documentedConfig(t, hosted, ran)
	if hosted {
		cfg.Identity = gatewaytest.Identity(t)
		install, token := registered(t, cfg.Identity)
		user = []string{"--user", install.User, "--token", token}
	}
	return gatewaytest.Start(t, cfg), user
}

// documentedConfig is a gateway over SQLite whose model is the secretary. Its
// tool shell.exec, which needs an approval, counts in ran.
func documentedConfig(t *testing.T, hosted bool, ran *atomic.Int64) gateway.Config {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tools := agent.NewRegistry()
	err = tools.Register(agenttest.Tool{
		Described: agent.Descriptor{Name: "shell.exec", Risk: agent.Risky, Origin: agent.Origin{Kind: agent.Builtin}},
		Do: func(context.Context, agent.Call) (agent.Result, error) {
			ran.Add(1)
			return agent.Result{Content: []agent.Part{agent.Text("kept")}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := gateway.Config{Services: services.Services{Models: oneModel{}}, Store: gatewaytest.Store(t, hosted), Scenes: gatewaytest.Scenes(t), Tools: tools, Hosted: hosted}
	cfg.ChatSettle = 2 * time.Second // a client that breaks off does so as fast as the machine lets it
	screenReader, list := screens.NewScreenReader(cfg.Store, query.New(cfg.Scenes, nil)), promptlist.OpenList(db, promptlist.Options{})
	cfg.Journal, cfg.Prompts, cfg.Conversations = journal.Count(log), list, convs.Open(journal.Count(log))
	cfg.Sessions = session.New(session.Config{
		Journal: log, Tools: tools, Image: screenReader.Image, Keep: screenReader.Keep, Prepare: agentdesktop.Prepare(screenReader), UserPolicy: desktop.UserPolicy(log), Turned: list.Turned,
		Policy: session.Policy{{Tool: "save_note", Verdict: session.Allow, Untrusted: true}}, // the document has no question that its client could answer
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return secretary{}, models.Request{Model: "secretary"}, nil
		},
	})
	t.Cleanup(func() {
		cfg.Sessions.Close()
		_ = log.Close()
		_ = db.Close()
	})
	return cfg
}

// documented is how a conversation went for a client of testdata/documented.
type documented struct {
	Ended    bool
	Answer   string
	Pieces   string
	Heard    []string       // the events
	Runs     map[string]int // by call
	CutAt    any            `json:"cut_at"`    // a number, or the name of the event
	CutAfter string         `json:"cut_after"` // that event; empty where there was none
	Error    string
}

// converses runs a client, which holds a conversation for each cut.
func converses(t *testing.T, client string, args ...string) []documented {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", append([]string{"-B", filepath.Join("..", "testdata", "documented", client)}, args...)...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	var all []documented
	for text := range strings.Lines(string(out)) {
		var d documented
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, d)
	}
	if complaints.Len() > 0 || len(all) == 0 {
		t.Fatalf("%s: %v\n%s", client, err, &complaints)
	}
	return all
}

// cutsOf are the cuts after each event, by its number, and after the first of
// each name: pieces of a text are put together now and then, so that the numbers
// alone may miss one.
func cutsOf(heard []string) string {
	var cuts []string
	for i := range heard {
		cuts = append(cuts, fmt.Sprint(i+1))
	}
	names := slices.Compact(slices.Sorted(slices.Values(heard)))
	return strings.Join(append(cuts, names...), ",")
}

// check fails unless the conversation ended with the whole answer, and each of
// the three calls was run once.
func (d *documented) check(t *testing.T, client string) {
	t.Helper()
	at := client + ", not cut"
	if d.CutAfter != "" {
		at = fmt.Sprintf("%s, cut after event %v, %s", client, d.CutAt, d.CutAfter)
	}
	times := slices.Collect(maps.Values(d.Runs))
	switch {
	case !d.Ended:
		t.Errorf("%s: the conversation has no end: %s", at, d.Error)
	case d.Answer != secretaryEnd && (client != "toolhost.py" || d.Answer != d.Pieces): // its document has no last words
		t.Errorf("%s: the answer is %q", at, d.Answer)
	case d.Pieces != secretarySays && (client != "ws.py" || d.CutAfter == ""): // a client that comes back to /ws misses pieces, or hears some again
		t.Errorf("%s: the pieces are %q", at, d.Pieces)
	case !slices.Equal(times, []int{1, 1, 1}):
		t.Errorf("%s: not each of the three calls was run once: %v", at, d.Runs)
	}
}

// documentedWays are clients, and in which ways they come back.
var documentedWays = []string{
	"ws.py", "ws.py --lose", "ws.py --again query", "ws.py --again query --lose",
	"general.py", "general.py --lose", "prompts.py", "prompts.py --lose", "toolhost.py", "toolhost.py --lose",
}

// Clients that were written from the documents alone end each conversation,
// wherever their connection is cut, and run nothing twice.
func TestDocumentedClients(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		testkit.Skip(t, "python3", "your system's package python3")
	}
	for _, hosted := range []bool{false, true} {
		for _, how := range documentedWays {
			t.Run(fmt.Sprintf("%s hosted %v", how, hosted), func(t *testing.T) {
				t.Parallel()
				var ran atomic.Int64
				url, args := documentedGateway(t, hosted, &ran)
				words := strings.Fields(how)
				client, args := words[0], slices.Concat(words[1:], args, []string{url})
				whole := converses(t, client, args...)[0]
				whole.check(t, client)
				all := converses(t, client, append(args, "--cut", cutsOf(whole.Heard))...)
				for _, d := range all {
					d.check(t, client)
					if n, numbered := d.CutAt.(float64); d.CutAfter == "" && (!numbered || len(d.Heard) >= int(n)) {
						t.Errorf("%s was not cut after event %v of %v", client, d.CutAt, d.Heard)
					}
				}
				if want := 3 * int64(1+len(all)); client == "prompts.py" && ran.Load() != want {
					t.Errorf("the gateway ran its tool %d times in %d conversations, not %d", ran.Load(), 1+len(all), want)
				}
			})
		}
	}
}
