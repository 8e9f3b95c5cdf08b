package session_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// endings are all ways in which a call can end, and the model's text about it if it
// stands before another.
var endings = []struct {
	name string
	told string // empty: it does not stop what is behind it
	who  string // whose calls can end so; empty for all
}{
	{"done", "", ""},
	{"denied", "was denied", ""},
	{"expired", "was not approved in time", ""},
	{"edited to what does not fit", "was refused", ""},
	{"forbidden", "is forbidden by the rules", ""},
	{"malformed", "was malformed", ""},
	{"failed", " failed.", ""},
	{"not on the screen", "was refused", "client"},
	{"denied by the client", "was denied", "client"},
	{"silent", "unknown result", "client"},
	{"lost with its gateway", "unknown result", "gateway"},
}

// behindIt is what becomes of each kind of call behind one that stops.
var behindIt = []struct {
	tool     string // as the model knows it
	risk     agent.Risk
	kind     agent.Kind
	gateway  bool // it runs where a call of the gateway's stops
	client   bool // likewise, of the client's
	asksUser bool
}{
	{"gate_read", agent.Safe, agent.Builtin, true, true, false},
	{"gate_write", agent.Risky, agent.Builtin, false, false, false},
	{"guest_read", agent.Safe, agent.Wasm, true, true, false},
	{"guest_write", agent.Risky, agent.Wasm, false, false, false},
	{"server_write", agent.Risky, agent.MCP, false, false, false},
	{"see", agent.Safe, agent.Client, true, false, false},
	{"gate_more", agent.Safe, agent.Builtin, true, true, false},
	{"tap", agent.Risky, agent.Client, false, false, false},
	{"gate_wish", agent.Risky, agent.Builtin, false, false, true},
}

// This is the rule for a row of calls: at each position, each way in which a
// call of the gateway's or the client's can end, and what becomes of all kinds of
// calls behind it.
func TestRow(t *testing.T) {
	t.Parallel()
	for _, end := range endings {
		for _, stopper := range []string{"stop_read", "stop_write", "halt"} {
			who := map[bool]string{true: "client", false: "gateway"}[stopper == "halt"]
			if end.who != "" && end.who != who {
				continue
			}
			if end.name == "lost with its gateway" && stopper == "stop_read" {
				continue // reads go side by side, and with their gateway all of them may be lost
			}
			for position := range 3 {
				t.Run(fmt.Sprintf("%s %s at %d", stopper, end.name, position), func(t *testing.T) {
					timed(t, func(t *testing.T) {
						r := newRow(t, end.name, stopper, position)
						r.run()
						r.check(end.told, stopper == "halt")
					})
				})
			}
		}
	}
}

// row is a turn whose model makes a row of calls, one of which ends in some way.
type row struct {
	*agenttest.Bench
	t             *testing.T
	ending        string
	stopper       string            // the tool whose call ends so
	ran           map[string]bool   // tools that were called, or asked for at the client
	asked         map[string]string // the decisions about calls, by tool
	after         []session.ToolEnded
	names         []string // of the tools, in the order of the row
	stopAt        int
	wishUndecided bool
}

func newRow(t *testing.T, ending, stopper string, position int) *row {
	r := &row{t: t, ending: ending, stopper: stopper, ran: map[string]bool{}, asked: map[string]string{}, stopAt: position}
	r.names = append(slices.Repeat([]string{"gate_first"}, position), stopper)
	for _, b := range behindIt {
		r.names = append(r.names, b.tool)
	}
	var calls []string
	for i, name := range r.names {
		arguments := fmt.Sprintf(`{"n":%d}`, i)
		if name == stopper && ending == "malformed" {
			arguments = `{"n":"five"}`
		}
		calls = append(calls, fmt.Sprint("c", i), name, arguments)
	}
	r.Bench = agenttest.New(t, agenttest.Calling(calls...))
	r.tool("gate.first", agent.Risky, agent.Builtin)
	r.tool("stop.read", agent.Safe, agent.Builtin)
	r.tool("stop.write", agent.Risky, agent.Builtin)
	settings := session.Settings{Tools: []session.ClientTool{{Name: "halt", Risk: agent.Risky, Input: numbered}}}
	for _, b := range behindIt {
		if b.kind == agent.Client {
			settings.Tools = append(settings.Tools, session.ClientTool{Name: b.tool, Risk: b.risk, Input: numbered})
		} else {
			r.tool(strings.Replace(b.tool, "_", ".", 1), b.risk, b.kind)
		}
	}
	verdict := map[string]session.Verdict{"denied": session.Ask, "expired": session.Ask, "edited to what does not fit": session.Ask, "forbidden": session.Deny}[ending]
	r.Config.Policy = session.Policy{
		{Tool: "gate_wish", Verdict: session.Ask}, {Tool: stopper, Verdict: cmp.Or(verdict, session.Allow)}, {Tool: "*", Verdict: session.Allow, Untrusted: true},
	}
	r.Config.Prepare = func(_ context.Context, _ *session.State, c *session.Call) ([]byte, *session.Result, error) {
		if c.Name == stopper && ending == "not on the screen" {
			return nil, &session.Result{IsError: true, Parts: []session.Part{{Text: "There is no such thing.", Untrusted: true}}}, nil
		}
		return c.Arguments, nil, nil
	}
	r.Open(settings)
	return r
}

var numbered = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)

func (r *row) tool(name string, risk agent.Risk, kind agent.Kind) {
	owner := "somebody"
	if kind == agent.Builtin {
		owner = ""
	}
	known := agent.ModelName(name)
	err := r.Config.Tools.Register(agenttest.Tool{
		Described: agent.Descriptor{Name: name, Risk: risk, Input: numbered, Origin: agent.Origin{Kind: kind, Owner: owner}},
		Do: func(ctx context.Context, _ agent.Call) (agent.Result, error) {
			if known != r.stopper || r.ending != "lost with its gateway" {
				return agent.Result{Content: []agent.Part{agent.Text("said")}, IsError: known == r.stopper && r.ending == "failed"}, nil
			}
			<-ctx.Done()
			return agent.Result{}, ctx.Err()
		},
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// run has the turn go to its end, with a user and a client that do as the ending
// says.
func (r *row) run() {
	r.Start("go")
	r.Watch(func(e journal.Event) bool {
		switch e.Kind {
		case session.KindApprovalRequested:
			r.approve(agenttest.Data[session.ApprovalRequested](r.t, e))
		case session.KindToolStarted:
			started := agenttest.Data[session.ToolStarted](r.t, e)
			r.ran[started.Tool] = true
			if started.Tool == r.stopper && r.ending == "lost with its gateway" {
				r.Sessions.Close()
				next := r.Gateway(r.Config)
				go next.Run(r.t.Context())
			}
		case session.KindToolRequested:
			r.answer(agenttest.Data[session.ToolRequested](r.t, e))
		case session.KindToolEnded:
			r.after = append(r.after, agenttest.Data[session.ToolEnded](r.t, e))
		}
		return e.Kind == session.KindTurnEnded
	})
}

func (r *row) approve(e session.ApprovalRequested) {
	r.asked[e.Tool] = e.Decision
	switch {
	case e.Tool != r.stopper:
		if r.wishUndecided = r.ending == "denied" || r.ending == "edited to what does not fit"; !r.wishUndecided {
			r.Decide(e.Decision, journal.Answer{})
		}
	case r.ending == "denied":
		r.Decide(e.Decision, journal.Answer{Denied: true})
	case r.ending == "edited to what does not fit": // by the journal itself, as older gateways took it
		r.Decide(e.Decision, journal.Answer{Value: json.RawMessage(`{"n":"five"}`)})
	}
}

func (r *row) answer(e session.ToolRequested) {
	r.ran[e.Tool] = true
	value, _ := json.Marshal(session.Result{Parts: []session.Part{{Text: "said"}}, IsError: e.Tool == r.stopper && r.ending == "failed"})
	switch {
	case e.Tool == r.stopper && r.ending == "silent":
	case e.Tool == r.stopper && r.ending == "denied by the client":
		r.Decide(e.Decision, journal.Answer{Denied: true, Reason: "no"})
	default:
		r.Decide(e.Decision, journal.Answer{Value: value})
	}
}

// check compares the calls that ran or were canceled, and the model's texts, with
// the table.
func (r *row) check(told string, client bool) {
	t := r.t
	t.Helper()
	results := map[string]session.ToolEnded{}
	for _, e := range r.after {
		if _, twice := results[e.Call]; twice {
			t.Errorf("%s has two results", e.Call)
		}
		results[e.Call] = e
	}
	if len(results) != len(r.names) {
		t.Errorf("%d results of %d calls", len(results), len(r.names))
	}
	agenttest.Valid(t, r.Model.Requests()[1].Messages)
	for i, b := range behindIt {
		end := results[fmt.Sprint("c", r.stopAt+1+i)]
		runs := told == "" || b.gateway && !client || b.client && client
		if runs != r.ran[b.tool] || runs != (end.Outcome == session.Done) || !runs && end.Outcome != session.Canceled {
			t.Errorf("%s behind a call that was %s ended as %q, and ran: %t; want it to run: %t", b.tool, r.ending, end.Outcome, r.ran[b.tool], runs)
		}
		if text := end.Result.Parts[0].Text; !runs && (!strings.Contains(text, fmt.Sprintf(`"c%d" of %q`, r.stopAt, r.stopper)) || !strings.Contains(text, told)) {
			t.Errorf("of %s the model is told %q, which does not name the call that stopped it and why: %q", b.tool, text, told)
		}
	}
	if _, asked := r.asked["gate_wish"]; asked && (r.ending == "forbidden" || r.ending == "malformed") {
		t.Error("the user was asked about a call that was to be canceled")
	}
	if r.wishUndecided {
		_, err := r.Journal.Decide(t.Context(), r.asked["gate_wish"], journal.Decider{User: ada}, journal.Answer{})
		if fault.CodeOf(err) != sdkapi.DecisionExpired {
			t.Errorf("the question about a call that was canceled was not withdrawn: an answer to it is %v", err)
		}
	}
}

// The steps of a bundle that the client did not reach are canceled, with the step
// that stopped them; so is what stands behind the bundle. A client
// that asks its user is given no bundle.
func TestRowInABundle(t *testing.T) {
	t.Parallel()
	for _, asks := range []bool{false, true} {
		t.Run(fmt.Sprintf("the client asks: %t", asks), func(t *testing.T) {
			timed(t, func(t *testing.T) { rowInABundle(t, asks) })
		})
	}
}

func rowInABundle(t *testing.T, asks bool) {
	t.Helper()
	b := agenttest.New(t, agenttest.Calling("c0", "click", `{}`, "c1", "click", `{"n":1}`, "c2", "click", `{"n":2}`, "c3", "a_write", `{}`, "c4", "a_read", `{}`))
	b.Tool("a.write", agent.Risky, nil).Tool("a.read", agent.Safe, nil)
	b.Config.Policy = session.Policy{{Tool: "*", Verdict: session.Allow, Untrusted: true}}
	b.Open(session.Settings{ClientAsks: asks, Tools: []session.ClientTool{{Name: "click", Risk: agent.Risky, Input: numbered}}}).Start("go")
	asked, outcomes := "", ""
	b.Watch(func(e journal.Event) bool {
		switch e.Kind {
		case session.KindToolRequested:
			requested := agenttest.Data[session.ToolRequested](t, e)
			asked += requested.Call + " "
			result := map[string]session.Result{"c0": {}, "c1": {IsError: true}, "c2": {IsError: true, NotRun: true}}[requested.Call]
			value, _ := json.Marshal(result)
			b.Decide(requested.Decision, journal.Answer{Value: value})
		case session.KindToolEnded:
			ended := agenttest.Data[session.ToolEnded](t, e)
			outcomes += fmt.Sprintf("%s %s, ", ended.Call, ended.Outcome)
			if text := ended.Result.Parts; ended.Outcome == session.Canceled && !strings.Contains(text[0].Text, `"c1" of "click" failed`) {
				t.Errorf("of %s the model is told %q", ended.Call, text[0].Text)
			}
		}
		return e.Kind == session.KindTurnEnded
	})
	want := map[bool]string{false: "c0 c1 c2 ", true: "c0 c1 "}[asks]
	if asked != want {
		t.Errorf("the client is asked for %q, want %q", asked, want)
	}
	if want := "c0 done, c1 done, c2 canceled, c3 canceled, c4 done, "; outcomes != want {
		t.Errorf("outcomes %q, want %q", outcomes, want)
	}
}
