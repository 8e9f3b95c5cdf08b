package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/state/journal"
)

// calls gathers the reports of calls: by Config.Ended, and by the registry.
type calls struct {
	mu    sync.Mutex
	lines []string
}

func (o *calls) note(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = append(o.lines, fmt.Sprintf(format, args...))
}

func (o *calls) ended(c agent.Call, client bool, e session.ToolEnded) {
	o.note("%s %s %s %q client %v, %s", c.Via, c.ID, e.Tool, c.Consent, client, e.Outcome)
}

func (o *calls) Begin(ctx context.Context, _ string, _ agent.Origin) context.Context { return ctx }

func (o *calls) End(_ context.Context, tool string, _ agent.Origin, c agent.Call, _ agent.Result, err error) {
	o.note("%s %s %s %q ran, %v", c.Via, c.ID, tool, c.Consent, err)
}

// watched gathers all calls of a session.
func watched(b *agenttest.Bench) *calls {
	o := new(calls)
	b.Config.Via = func(id string) string { return "via-" + id }
	b.Config.Ended = o.ended
	b.Config.Tools.Observe(o)
	return o
}

func (o *calls) want(t *testing.T, lines ...string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Equal(o.lines, lines) {
		t.Errorf("reported is %q\nand not %q", o.lines, lines)
	}
}

// Each call is reported once, by the registry or by Config.Ended, with its consent.
func TestEachCallIsReportedOnce(t *testing.T) {
	t.Parallel()
	const asked, allowed = agent.Risky, agent.Safe
	for name, tt := range map[string]struct {
		call   agenttest.Reply
		risk   agent.Risk
		decide *journal.Answer // of the first decision; nil: none
		want   string
	}{
		"allowed":   {agenttest.Calling("c1", "shell_exec", `{}`), allowed, nil, `via-s1 c1 shell.exec "allowed" ran, <nil>`},
		"approved":  {agenttest.Calling("c1", "shell_exec", `{}`), asked, &journal.Answer{}, `via-s1 c1 shell.exec "approved" ran, <nil>`},
		"edited":    {agenttest.Calling("c1", "shell_exec", `{}`), asked, &journal.Answer{Value: json.RawMessage(`{"a":1}`)}, `via-s1 c1 shell.exec "edited" ran, <nil>`},
		"denied":    {agenttest.Calling("c1", "shell_exec", `{}`), asked, &journal.Answer{Denied: true}, `via-s1 c1 shell.exec "denied" client false, denied`},
		"silent":    {agenttest.Calling("c1", "shell_exec", `{}`), asked, nil, `via-s1 c1 shell.exec "expired" client false, denied`},
		"forbidden": {agenttest.Calling("c1", "text_upper", `{}`), asked, nil, `via-s1 c1 text.upper "forbidden" client false, refused`},
		"no tool":   {agenttest.Calling("c1", "none", `{}`), asked, nil, `via-s1 c1 none "" client false, refused`},
		"no JSON":   {agenttest.Calling("c1", "shell_exec", `{`), asked, nil, `via-s1 c1 shell.exec "" client false, refused`},
		"client":    {agenttest.Calling("c1", "click", `{}`), asked, &journal.Answer{Value: json.RawMessage(`{}`)}, `via-s1 c1 click "allowed" client true, done`},
		"away":      {agenttest.Calling("c1", "click", `{}`), asked, nil, `via-s1 c1 click "allowed" client true, unknown`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := agenttest.New(t, tt.call)
				b.Tool("shell.exec", tt.risk, nil).Tool("text.upper", agent.Safe, nil)
				b.Config.Policy = session.Policy{{Tool: "text_upper", Verdict: session.Deny}}
				o := watched(b)
				b.Open(session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click")}})
				b.Start("go")
				if tt.decide != nil {
					kind := session.KindApprovalRequested
					if name == "client" {
						kind = session.KindToolRequested
					}
					events := b.Until(kind)
					var of struct{ Decision string }
					if err := json.Unmarshal(events[len(events)-1].Data, &of); err != nil {
						t.Fatal(err)
					}
					b.Decide(of.Decision, *tt.decide)
				}
				b.Until(session.KindTurnEnded)
				b.Sessions.Close()
				o.want(t, tt.want)
			})
		})
	}
}

// A call that is cut off while it runs is reported by the registry, and its unknown
// outcome by the gateway that takes the turn up.
func TestCutOffCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := agenttest.New(t, agenttest.Calling("c1", "shell_exec", `{}`), agenttest.Calling("c2", "rm_all", `{}`))
		b.Tool("shell.exec", agent.Safe, func(ctx context.Context, _ agent.Call) (agent.Result, error) {
			<-ctx.Done()
			return agent.Result{}, ctx.Err()
		}).Tool("rm.all", agent.Risky, nil)
		o := watched(b)
		b.Open(session.Settings{})
		b.Start("go")
		b.Until(session.KindToolStarted)
		synctest.Wait()
		b.Sessions.Close()
		b.Sessions = b.Gateway(b.Config)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go b.Sessions.Run(ctx)
		b.Until(session.KindApprovalRequested)
		state, err := b.Sessions.State(t.Context(), agenttest.Session, agenttest.User)
		if err == nil {
			err = b.Sessions.Cancel(t.Context(), agenttest.Session, agenttest.User, state.Turn.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.Until(session.KindTurnEnded)
		b.Sessions.Close()
		o.want(t, `via-s1 c1 shell.exec "allowed" ran, context canceled`, `via-s1 c1 shell.exec "allowed" client false, unknown`,
			`via-s1 c2 rm.all "" client false, canceled`)
	})
}
