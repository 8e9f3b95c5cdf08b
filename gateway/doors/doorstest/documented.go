package doorstest

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
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
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// secretary is a model that calls one tool, then two tools at once, and then says that it is done. It uses the tools of
// the client on /ws, of the desktop on /v1, or of the gateway. Its responses depend only on the conversation.
type secretary struct{}

// SecretarySays is all text of the secretary in a turn. SecretaryEnd is the text of its last response.
const (
	SecretarySays = "One note first. Two more. " + SecretaryEnd
	SecretaryEnd  = "All three notes are kept."
)

// Stream chooses the response by the number of tool results after the user's last message.
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
	reply.Delay = 2 * time.Millisecond // so that the gateway does not join the deltas
	return agenttest.NewScript(reply).Stream(ctx, req)
}

// DocumentedGateway runs a gateway with the configuration of DocumentedConfig, and returns its URL. It also returns the
// command line flags that sign a user in to a hosted gateway. For a local gateway there are no flags.
func DocumentedGateway(t *testing.T, hosted bool, ran *atomic.Int64) (url string, user []string) {
	t.Helper()
	cfg := DocumentedConfig(t, hosted, ran)
	if hosted {
		cfg.Identity = gatewaytest.Identity(t)
		install, token := Registered(t, cfg.Identity)
		user = []string{"--user", install.User, "--token", token}
	}
	return gatewaytest.Start(t, cfg), user
}

// DocumentedConfig returns the configuration of a gateway with an SQLite database. Its model is the secretary, which
// calls tools in a fixed order. Its tool shell.exec needs an approval, and ran counts the calls of this tool.
func DocumentedConfig(t *testing.T, hosted bool, ran *atomic.Int64) gateway.App {
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
	cfg := gateway.App{Models: OneModel{}, Store: gatewaytest.Store(t, hosted), Scenes: gatewaytest.Scenes(t), Tools: tools, Hosted: hosted}
	screenReader, list := screens.NewScreenReader(cfg.Store, query.New(cfg.Scenes, nil)), promptlist.OpenList(db, promptlist.Options{})
	cfg.Journal, cfg.Prompts, cfg.Conversations = journal.Count(log), list, convs.Open(journal.Count(log))
	cfg.Sessions = session.New(session.Config{
		Journal: log, Tools: tools, Image: screenReader.Image, Keep: screenReader.Keep, Prepare: agentdesktop.Prepare(screenReader), UserPolicy: desktop.UserPolicy(log), Turned: list.Turned,
		Policy: session.Policy{{Tool: "save_note", Verdict: session.Allow, Untrusted: true}}, // the client cannot answer a question
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
