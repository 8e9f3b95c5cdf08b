package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// randomRows is how many turns TestRandomRows has.
const randomRows = 300

// Turns of rows that are drawn, with ends that are drawn: no consequential call
// is made behind one that stops it, none is canceled without one, each has one
// result, and the history is one that providers take. ROWS_SEED repeats a run.
func TestRandomRows(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv("ROWS_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("ROWS_SEED=%d", seed)
	for turn := range uint64(randomRows) {
		if t.Failed() {
			return // one row is enough to look into
		}
		synctest.Test(t, func(t *testing.T) {
			d := drawRow(t, rand.New(rand.NewPCG(seed, turn)))
			d.run()
			d.check()
			if t.Failed() {
				t.Logf("turn %d of ROWS_SEED=%d: %s", turn, seed, d)
			}
		})
	}
}

// drawnCall is a call of a drawn row, and what happens to it.
type drawnCall struct {
	tool, fate string
	risk       agent.Risk
	client     bool
	asked      bool // the rules ask about it

	made    bool // its effect is there
	ended   []session.ToolEnded
	outcome session.Outcome
}

// stops reports whether the call has ended as one that stops others.
func (c *drawnCall) stops() bool {
	return len(c.ended) > 0 && (c.outcome != session.Done || c.ended[0].Result.IsError)
}

// drawnRow is a turn of a row of calls.
type drawnRow struct {
	*agenttest.Bench
	t     *testing.T
	calls []*drawnCall
	asks  bool // the client asks its user
	skip  bool // the client has stopped in the middle of the bundle that it works on
}

func (d *drawnRow) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the client asks: %t", d.asks)
	for i, c := range d.calls {
		fmt.Fprintf(&b, "\nc%d %s %s: %s", i, c.tool, c.fate, c.outcome)
	}
	return b.String()
}

var drawnTools = []drawnCall{
	{tool: "a_read", risk: agent.Safe}, {tool: "a_write", risk: agent.Risky}, {tool: "a_forbidden", risk: agent.Risky},
	{tool: "ask_write", risk: agent.Risky, asked: true}, {tool: "ask_read", risk: agent.Safe, asked: true},
	{tool: "see", risk: agent.Safe, client: true}, {tool: "tap", risk: agent.Risky, client: true}, {tool: "ask_tap", risk: agent.Risky, client: true, asked: true},
}

var fates = []string{"done", "done", "done", "done", "done", "failed", "denied", "expired", "edited", "misedited", "malformed", "unknown", "unprepared"}

func drawRow(t *testing.T, draw *rand.Rand) *drawnRow {
	d := &drawnRow{t: t, asks: draw.IntN(3) == 0}
	var calls []string
	for i := range 1 + draw.IntN(6) {
		c := drawnTools[draw.IntN(len(drawnTools))]
		c.fate = fates[draw.IntN(len(fates))]
		d.calls = append(d.calls, &c)
		name, arguments := c.tool, fmt.Sprintf(`{"n":%d}`, i)
		switch c.fate {
		case "unknown":
			name = "nothing"
		case "malformed":
			arguments = `{"n":"x"}`
		}
		calls = append(calls, fmt.Sprint("c", i), name, arguments)
	}
	d.Bench = agenttest.New(t, agenttest.Calling(calls...))
	d.Config.Policy = session.Policy{{Tool: "ask_*", Verdict: session.Ask}, {Tool: "a_forbidden", Verdict: session.Deny}, {Tool: "*", Verdict: session.Allow, Untrusted: true}}
	d.Config.Prepare = func(_ context.Context, _ *session.State, c *session.Call) ([]byte, *session.Result, error) {
		if d.of(c.ID).fate == "unprepared" {
			return nil, &session.Result{IsError: true, Parts: []session.Part{{Text: "not on the screen"}}}, nil
		}
		return c.Arguments, nil, nil
	}
	settings := session.Settings{ClientAsks: d.asks}
	for _, tool := range drawnTools {
		if tool.client {
			settings.Tools = append(settings.Tools, session.ClientTool{Name: tool.tool, Risk: tool.risk, Input: numbered})
			continue
		}
		described := agent.Descriptor{Name: strings.Replace(tool.tool, "_", ".", 1), Risk: tool.risk, Input: numbered, Origin: agent.Origin{Kind: agent.Builtin}}
		if err := d.Config.Tools.Register(agenttest.Tool{Described: described, Do: d.do}); err != nil {
			t.Fatal(err)
		}
	}
	d.Open(settings)
	return d
}

func (d *drawnRow) of(call string) *drawnCall {
	n, err := strconv.Atoi(strings.TrimPrefix(call, "c"))
	if err != nil || n >= len(d.calls) {
		d.t.Fatalf("there is no call %q", call)
	}
	return d.calls[n]
}

// do is each tool of the gateway's.
func (d *drawnRow) do(_ context.Context, call agent.Call) (agent.Result, error) {
	c := d.of(call.ID)
	c.made = true
	return agent.Result{Content: []agent.Part{agent.Text("said")}, IsError: c.fate == "failed"}, nil
}

// run has the turn go to its end.
func (d *drawnRow) run() {
	d.Start("go")
	d.Watch(func(e journal.Event) bool {
		switch e.Kind {
		case session.KindApprovalRequested:
			d.approve(agenttest.Data[session.ApprovalRequested](d.t, e))
		case session.KindToolRequested:
			d.answer(agenttest.Data[session.ToolRequested](d.t, e))
		case session.KindToolEnded:
			ended := agenttest.Data[session.ToolEnded](d.t, e)
			c := d.of(ended.Call)
			c.ended, c.outcome = append(c.ended, ended), ended.Outcome
		}
		return e.Kind == session.KindTurnEnded
	})
}

// approve answers as the user. A question about a call behind one that has
// stopped it should not have been asked.
func (d *drawnRow) approve(e session.ApprovalRequested) {
	for _, before := range d.before(e.Call) {
		if before.stops() && d.of(e.Call).risk != agent.Safe {
			d.t.Errorf("the user is asked about %s, which is to be canceled", e.Call)
		}
	}
	decide := func(answer journal.Answer) error {
		_, err := d.Sessions.Decide(d.t.Context(), e.Decision, journal.Decider{User: ada}, answer)
		return err
	}
	answer := journal.Answer{}
	switch d.of(e.Call).fate {
	case "expired":
		return
	case "denied":
		answer.Denied = true
	case "edited":
		answer.Value = json.RawMessage(`{"n":77}`)
	case "misedited":
		if err := decide(journal.Answer{Value: json.RawMessage(`{"n":"x"}`)}); fault.CodeOf(err) != sdkapi.ValidationError && fault.CodeOf(err) != sdkapi.DecisionExpired {
			d.t.Errorf("arguments that do not fit are taken: %v", err)
		}
	}
	if err := decide(answer); err != nil && fault.CodeOf(err) != sdkapi.DecisionExpired { // it was withdrawn meanwhile
		d.t.Errorf("an answer to %s: %v", e.Decision, err)
	}
}

// answer does what the client is asked for: the steps of a bundle in order, up to
// the first that does not go well.
func (d *drawnRow) answer(e session.ToolRequested) {
	c := d.of(e.Call)
	if e.Bundle == "" || e.Bundle == e.Decision {
		d.skip = false
	}
	result := session.Result{Parts: []session.Part{{Text: "said"}}}
	answer := journal.Answer{}
	switch {
	case d.skip:
		result = session.Result{IsError: true, NotRun: true}
	case c.fate == "expired":
		d.skip = true
		return // nor do those behind it get an answer before it
	case c.fate == "denied" && !c.asked || c.fate == "denied" && d.asks:
		d.skip, answer.Denied = true, true
	default:
		c.made = true
		result.IsError = c.fate == "failed"
		d.skip = result.IsError
	}
	if !answer.Denied {
		answer.Value, _ = json.Marshal(result)
	}
	if _, err := d.Sessions.Decide(d.t.Context(), e.Decision, journal.Decider{User: ada}, answer); err != nil {
		d.t.Errorf("the result of %s: %v", e.Call, err)
	}
}

// before returns the calls in front of one.
func (d *drawnRow) before(call string) []*drawnCall {
	for i, c := range d.calls {
		if c == d.of(call) {
			return d.calls[:i]
		}
	}
	return nil
}

func (d *drawnRow) check() {
	t := d.t
	agenttest.Valid(t, d.Model.Requests()[1].Messages)
	for i, c := range d.calls {
		if len(c.ended) != 1 {
			t.Errorf("c%d has %d results", i, len(c.ended))
		}
		stopped, here := "", false
		for _, before := range d.before(fmt.Sprint("c", i)) {
			if before.stops() {
				stopped, here = before.tool, here || before.client && before.fate != "unknown" // which is nobody's
			}
		}
		bound := stopped != "" && (c.risk != agent.Safe || c.client && here)
		if c.made && bound {
			t.Errorf("c%d was made behind %s, which stops it", i, stopped)
		}
		if c.outcome == session.Canceled && !bound {
			t.Errorf("c%d was canceled, and nothing stops it", i)
		}
		if c.made != (c.outcome == session.Done) {
			t.Errorf("c%d ended as %s, and was made: %t", i, c.outcome, c.made)
		}
		if !bound && !c.made && c.fate == "done" && c.tool != "a_forbidden" {
			t.Errorf("c%d was not made, and nothing stops it", i)
		}
	}
}
