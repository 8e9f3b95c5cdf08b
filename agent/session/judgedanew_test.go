package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/state/journal"
)

// owned is the origin of a plugin's tools.
var owned = agent.Origin{Kind: agent.Wasm, Owner: "notes"}

// plugin is a tool that notes its calls.
func plugin(risk agent.Risk, ran *[]string, edit func(*agent.Descriptor)) agent.Tool {
	d := agent.Descriptor{Name: "notes.put", Description: "Notes something.", Risk: risk, Origin: owned, Input: json.RawMessage(`{"type":"object"}`)}
	if edit != nil {
		edit(&d)
	}
	return agenttest.Tool{Described: d, Do: func(_ context.Context, c agent.Call) (agent.Result, error) {
		*ran = append(*ran, "notes_put "+string(c.Consent))
		return agent.Result{Content: []agent.Part{agent.Text("noted")}}, nil
	}}
}

// While a person is asked about a call, tools and rules may change. Each call is made as
// by the tools and the rules of the moment when it is made, and a person is asked twice
// only about another tool.
func TestJudgedAnew(t *testing.T) {
	t.Parallel()
	type now struct {
		risk  agent.Risk
		edit  func(*agent.Descriptor) // of the tool; nil for the same one
		rules session.Policy
	}
	const safe, risky = agent.Safe, agent.Risky
	other := func(edit func(*agent.Descriptor)) now { return now{risk: risky, edit: edit} }
	rule := func(v session.Verdict) session.Policy {
		return session.Policy{{Tool: "notes_*", Verdict: v, Reason: "not now"}}
	}
	for name, tt := range map[string]struct {
		before agent.Risk
		now    now
		ran    string // the calls made; notes_put is called before shell_run
		asked  string // the tools that the user was asked about, in order
	}{
		"nothing":                    {safe, now{risk: safe}, "notes_put allowed,shell_run", "shell_run"},
		"it can change something":    {safe, now{risk: risky}, "notes_put approved,shell_run", "shell_run,notes_put"},
		"it is forbidden":            {safe, now{risk: agent.Forbidden}, "", "shell_run"},
		"a rule denies":              {safe, now{risk: safe, rules: rule(session.Deny)}, "", "shell_run"},
		"a rule asks":                {safe, now{risk: safe, rules: rule(session.Ask)}, "notes_put approved,shell_run", "shell_run,notes_put"},
		"approved: nothing":          {risky, now{risk: risky}, "notes_put approved,shell_run", "notes_put,shell_run"},
		"approved: a rule asks":      {risky, now{risk: risky, rules: rule(session.Ask)}, "notes_put approved,shell_run", "notes_put,shell_run"},
		"approved: a rule allows":    {risky, now{risk: risky, rules: rule(session.Allow)}, "notes_put approved,shell_run", "notes_put,shell_run"},
		"approved: a rule denies":    {risky, now{risk: risky, rules: rule(session.Deny)}, "", "notes_put,shell_run"},
		"approved: it is safe":       {risky, now{risk: safe}, "notes_put approved,shell_run", "notes_put,shell_run"},
		"approved: another's tool":   {risky, other(func(d *agent.Descriptor) { d.Origin.Kind = agent.MCP }), "notes_put approved,shell_run", "notes_put,shell_run,notes_put"},
		"approved: it says another":  {risky, other(func(d *agent.Descriptor) { d.Description = "Deletes something." }), "notes_put approved,shell_run", "notes_put,shell_run,notes_put"},
		"approved: it takes another": {risky, other(func(d *agent.Descriptor) { d.Input = json.RawMessage(`{"type":"object","maxProperties":9}`) }), "notes_put approved,shell_run", "notes_put,shell_run,notes_put"},
		"approved: it does not fit":  {risky, other(func(d *agent.Descriptor) { d.Input = json.RawMessage(`{"type":"object","required":["b"]}`) }), "", "notes_put,shell_run"},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				var ran, asked []string
				var rules session.Policy
				b := agenttest.New(t, agenttest.Calling("c1", "notes_put", `{"a":1}`, "c2", "shell_run", `{}`))
				b.Tool("shell.run", risky, func(context.Context, agent.Call) (agent.Result, error) {
					ran = append(ran, "shell_run")
					return agent.Result{}, nil
				})
				b.Config.UserPolicy = func(context.Context, string) (session.Policy, error) { return rules, nil }
				if err := b.Config.Tools.Update(owned, []agent.Tool{plugin(tt.before, &ran, nil)}); err != nil {
					t.Fatal(err)
				}
				b.Open(session.Settings{})
				b.Start("go")
				b.Watch(func(e journal.Event) bool {
					if e.Kind == session.KindApprovalRequested {
						q := agenttest.Data[session.ApprovalRequested](t, e)
						if asked = append(asked, q.Tool); q.Tool == "shell_run" {
							replace(t, b, plugin(tt.now.risk, &ran, tt.now.edit))
							rules = tt.now.rules
						}
						b.Decide(q.Decision, journal.Answer{})
					}
					return e.Kind == session.KindTurnEnded
				})
				if got := strings.Join(ran, ","); got != tt.ran {
					t.Errorf("made: %s; want %s", got, tt.ran)
				}
				if got := strings.Join(asked, ","); got != tt.asked {
					t.Errorf("asked about: %s; want %s", got, tt.asked)
				}
				agenttest.Valid(t, b.Model.Requests()[1].Messages)
			})
		})
	}
}

// replace puts another tool in the place of the plugin's.
func replace(t *testing.T, b *agenttest.Bench, tool agent.Tool) {
	t.Helper()
	if err := b.Config.Tools.Update(owned, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Config.Tools.Update(tool.Descriptor().Origin, []agent.Tool{tool}); err != nil {
		t.Fatal(err)
	}
}

// A call that a person denies the second time is not made, also by a gateway that takes the turn up in between.
func TestJudgedAnewByAnother(t *testing.T) {
	timed(t, func(t *testing.T) {
		var ran []string
		b := agenttest.New(t, agenttest.Calling("c1", "notes_put", `{"a":1}`))
		replace(t, b, plugin(agent.Risky, &ran, nil))
		b.Open(session.Settings{})
		b.Start("go")
		first := agenttest.Last[session.ApprovalRequested](t, b.Until(session.KindApprovalRequested))
		replace(t, b, plugin(agent.Risky, &ran, func(d *agent.Descriptor) { d.Description = "Deletes something." }))
		b.Decide(first.Decision, journal.Answer{})
		second := agenttest.Last[session.ApprovalRequested](t, b.UntilNth(session.KindApprovalRequested, 2))
		if second.Decision == first.Decision || second.Reason == first.Reason {
			t.Errorf("asked twice: %+v, %+v", first, second)
		}
		b.Sessions.Close()
		b.Sessions = b.Gateway(b.Config)
		if q, ok, err := b.Sessions.Asked(t.Context(), decision(t, b, second.Decision)); !ok || err != nil || q.Decision != second.Decision {
			t.Errorf("the second question is %+v, %t, %v", q, ok, err)
		}
		if _, err := b.Sessions.Decide(t.Context(), second.Decision, journal.Decider{User: ada}, journal.Answer{Denied: true}); err != nil {
			t.Fatal(err)
		}
		go b.Sessions.Run(t.Context())
		ended := agenttest.Last[session.ToolEnded](t, b.Until(session.KindToolEnded))
		if ended.Outcome != session.Denied || len(ran) > 0 {
			t.Errorf("the call is %s; made: %v", ended.Outcome, ran)
		}
		b.Until(session.KindTurnEnded)
	})
}

func decision(t *testing.T, b *agenttest.Bench, id string) journal.Decision {
	t.Helper()
	d, err := b.Journal.Decision(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The model wrote all calls of an answer before it read what came of the first: what a rule
// allows among them is not asked about for that.
func TestAllowedRow(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t, agenttest.Calling("c1", "shell_run", `{"n":1}`, "c2", "shell_run", `{"n":2}`, "c3", "shell_run", `{"n":3}`))
		b.Tool("shell.run", agent.Risky, nil)
		b.Config.Policy = session.Policy{{Tool: "shell_*", Verdict: session.Allow}}
		b.Open(session.Settings{}).Start("go")
		events := b.Until(session.KindTurnEnded)
		if kinds := agenttest.Kinds(events); strings.Contains(kinds, session.KindApprovalRequested) || strings.Count(kinds, session.KindToolStarted) != 3 {
			t.Error(kinds)
		}
	})
}

// A call that waits until another one has ended is not made with another tool.
func TestReplacedWhileAnotherRuns(t *testing.T) {
	timed(t, func(t *testing.T) {
		var ran, not []string
		b := agenttest.New(t, agenttest.Calling("c1", "notes_put", `{"n":1}`, "c2", "notes_put", `{"n":2}`))
		replace(t, b, agenttest.Tool{Described: plugin(agent.Safe, &ran, nil).Descriptor(), Do: func(context.Context, agent.Call) (agent.Result, error) {
			replace(t, b, plugin(agent.Risky, &ran, nil))
			return agent.Result{}, nil
		}})
		b.Config.Limits.Parallel = 1
		b.Open(session.Settings{}).Start("go")
		for _, e := range b.Until(session.KindTurnEnded) {
			if e.Kind != session.KindToolEnded {
				continue
			}
			if ended := agenttest.Data[session.ToolEnded](t, e); ended.Result.IsError {
				not = append(not, ended.Call)
			}
		}
		if len(ran) > 0 || len(not) != 1 {
			t.Errorf("made by another tool: %v; not made: %v", ran, not)
		}
	})
}

// The very same call is made as often as it may in a turn, also within one answer: those
// beyond are refused, and what can change something behind them is not made.
func TestRepeatedInOneAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		risk          agent.Risk
		equal         int
		made, refused int
		behind        session.Outcome // of another call behind them
		before        bool            // one was made before
	}{
		"as often as it may":  {risk: agent.Safe, equal: 3, made: 3, behind: session.Done},
		"more often":          {risk: agent.Safe, equal: 4, made: 3, refused: 1, behind: session.Canceled},
		"very often":          {risk: agent.Safe, equal: 100, made: 3, refused: 97, behind: session.Canceled},
		"what is risky":       {risk: agent.Risky, equal: 5, made: 3, refused: 2, behind: session.Canceled},
		"some were made once": {risk: agent.Safe, equal: 3, made: 3, refused: 1, behind: session.Canceled, before: true},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				var calls []string
				for i := range tt.equal {
					calls = append(calls, fmt.Sprintf("c%d", i), "text_upper", `{"a":1}`)
				}
				replies := []agenttest.Reply{agenttest.Calling(append(calls, "last", "shell_run", `{}`)...)}
				if tt.before {
					replies = slices.Insert(replies, 0, agenttest.Calling("b", "text_upper", `{ "a": 1 }`))
				}
				b := agenttest.New(t, replies...).Tool("text.upper", tt.risk, nil).Tool("shell.run", agent.Risky, nil)
				b.Config.Policy = session.Policy{{Tool: "*", Verdict: session.Allow, Untrusted: true}}
				b.Open(session.Settings{}).Start("go")
				outcomes := map[session.Outcome]int{}
				for _, e := range b.Until(session.KindTurnEnded) {
					if e.Kind != session.KindToolEnded {
						continue
					}
					ended := agenttest.Data[session.ToolEnded](t, e)
					if ended.Tool == "text_upper" {
						outcomes[ended.Outcome]++
					} else if ended.Outcome != tt.behind {
						t.Errorf("the call behind them is %s", ended.Outcome)
					}
				}
				if outcomes[session.Done] != tt.made || outcomes[session.Refused] != tt.refused {
					t.Errorf("%v", outcomes)
				}
			})
		})
	}
}
