// Package agenttest runs sessions in tests, with a scripted model and a Bench that has a session.
//
//	synctest.Test(t, func(t *testing.T) { // hours pass in a moment
//		b := agenttest.New(t, agenttest.Calling("c1", "text_upper", `{"text":"hi"}`), agenttest.Saying("It is HI."))
//		b.Tool("text.upper", agent.Safe, nil).Open(session.Settings{})
//		b.Start("Make hi large")
//		events := b.Until(session.KindTurnEnded)
//	})
//
// The package models/modelstest has fake servers of providers, and the test suite for models.
package agenttest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// The session and the user of a Bench.
const (
	Session = "s1"
	User    = "ada"
)

// Patience is the time limit for each wait of a Bench. It is longer than the longest turn. Tests
// usually wait with a fake clock.
const Patience = 24 * time.Hour

// Bench is a session with a scripted model and a journal in memory. A test may change the fields
// Journal and Config before it calls Open.
type Bench struct {
	t testing.TB

	Journal  *journaltest.Memory
	Model    *Script
	Config   session.Config
	Sessions *session.Sessions // the sessions of the gateway; Open sets this field
}

// New returns a Bench whose model gives the replies in order. After the last reply, the model
// always answers "Done.". The Bench is closed when the test ends.
func New(t testing.TB, replies ...Reply) *Bench {
	t.Helper()
	b := &Bench{t: t, Journal: journaltest.NewMemory(), Model: NewScript(replies...).Otherwise(Saying("Done."))}
	t.Cleanup(func() { _ = b.Journal.Close() })
	b.Config = session.Config{Journal: b.Journal, Tools: agent.NewRegistry(), System: "Be brief.", Model: b.Ask(b.Model)}
	return b
}

// Ask returns a function for session.Config.Model. For every session, the function chooses the given model.
func (b *Bench) Ask(model models.Model) func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
	return func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
		return model, models.Request{Model: "scripted"}, nil
	}
}

// Tool registers a tool of the gateway that accepts any arguments. If call is nil, the tool returns
// its name and arguments.
func (b *Bench) Tool(name string, risk agent.Risk, call func(context.Context, agent.Call) (agent.Result, error)) *Bench {
	b.t.Helper()
	if call == nil {
		call = func(_ context.Context, c agent.Call) (agent.Result, error) {
			return agent.Result{Content: []agent.Part{agent.Text(name + " " + string(c.Arguments))}}, nil
		}
	}
	if err := b.Config.Tools.Register(Tool{agent.Descriptor{Name: name, Risk: risk, Origin: agent.Origin{Kind: agent.Builtin}}, call}); err != nil {
		b.t.Fatal(err)
	}
	return b
}

// Tool is an agent.Tool made from a function.
type Tool struct {
	Described agent.Descriptor
	Do        func(context.Context, agent.Call) (agent.Result, error)
}

var _ agent.Tool = Tool{}

// Descriptor implements agent.Tool.
func (f Tool) Descriptor() agent.Descriptor { return f.Described }

// Call implements agent.Tool.
func (f Tool) Call(ctx context.Context, c agent.Call) (agent.Result, error) { return f.Do(ctx, c) }

// ClientTool returns a safe client tool that accepts any arguments.
func ClientTool(name string) session.ClientTool {
	return session.ClientTool{Name: name, Risk: agent.Safe, Input: json.RawMessage(`{"type":"object"}`)}
}

// Open creates the session of the Bench.
func (b *Bench) Open(settings session.Settings) *Bench {
	b.t.Helper()
	b.Sessions = b.Gateway(b.Config)
	if err := b.Sessions.Create(b.t.Context(), Session, User, settings); err != nil {
		b.t.Fatal(err)
	}
	return b
}

// Gateway returns the sessions of a second gateway that uses the journal in cfg.
func (b *Bench) Gateway(cfg session.Config) *session.Sessions {
	all := session.New(cfg)
	b.t.Cleanup(all.Close)
	return all
}

// Start sends a message to the agent, and returns the id of the turn.
func (b *Bench) Start(text string) (turn string) {
	b.t.Helper()
	started, err := b.Sessions.Start(b.t.Context(), Session, User, []session.Part{{Text: text}}, session.Reject)
	if err != nil {
		b.t.Fatal(err)
	}
	return started.Turn
}

// Decide stores the answer to a decision of the session, such as a request for approval. The answer
// comes from the user whose id is User.
func (b *Bench) Decide(id string, answer journal.Answer) {
	b.t.Helper()
	if _, err := b.Journal.Decide(b.t.Context(), id, journal.Decider{User: User}, answer); err != nil {
		b.t.Fatal(err)
	}
}

// Watch calls visit with each event of the session, oldest first, until visit returns true.
func (b *Bench) Watch(visit func(journal.Event) (enough bool)) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), Patience)
	defer cancel()
	var events []journal.Event
	for e, err := range b.Sessions.Follow(ctx, Session, 0) {
		if err != nil {
			b.t.Fatalf("%v; there are %s", err, Kinds(events))
		}
		if events = append(events, e); visit(e) {
			return
		}
	}
}

// Until returns the session's events up to the first event of a kind.
func (b *Bench) Until(kind string) []journal.Event {
	b.t.Helper()
	return b.UntilNth(kind, 1)
}

// UntilNth returns the session's events up to the nth event of a kind. The first event has n = 1.
func (b *Bench) UntilNth(kind string, n int) []journal.Event {
	b.t.Helper()
	var events []journal.Event
	b.Watch(func(e journal.Event) bool {
		if events = append(events, e); e.Kind == kind {
			n--
		}
		return n == 0
	})
	return events
}

// State returns the current state of the session.
func (b *Bench) State() *session.State {
	b.t.Helper()
	state, err := b.Sessions.State(b.t.Context(), Session, User)
	if err != nil {
		b.t.Fatal(err)
	}
	return state
}

// Kinds returns the kinds of events, separated by spaces.
func Kinds(events []journal.Event) string {
	var list []string
	for _, e := range events {
		list = append(list, e.Kind)
	}
	return strings.Join(list, " ")
}

// Data decodes the data of an event as a T. If the data does not fit, Data fails the test.
func Data[T any](t testing.TB, e journal.Event) T {
	t.Helper()
	var data T
	if err := json.Unmarshal(e.Data, &data); err != nil {
		t.Fatal(err)
	}
	return data
}

// Last decodes the data of the last event.
func Last[T any](t testing.TB, events []journal.Event) T {
	t.Helper()
	return Data[T](t, events[len(events)-1])
}

// Valid fails the test if a provider would refuse the messages: a tool call lacks its result, a
// result lacks its call, or a message is empty.
func Valid(t testing.TB, messages []models.Message) {
	t.Helper()
	var open []string
	for i, m := range messages {
		if m.Role != models.ToolRole && len(open) > 0 {
			t.Errorf("message %d comes before the results of %v", i, open)
		}
		for _, p := range m.Parts {
			switch {
			case p.Call != nil:
				open = append(open, p.Call.ID)
			case p.Result != nil:
				at := slices.Index(open, p.Result.CallID)
				if at < 0 {
					t.Errorf("message %d has a result of %q, which is no open call", i, p.Result.CallID)
					continue
				}
				open = slices.Delete(open, at, at+1)
			}
		}
		if len(m.Parts) == 0 {
			t.Errorf("message %d is empty", i)
		}
	}
	if len(open) > 0 {
		t.Errorf("no results of %v", open)
	}
}
