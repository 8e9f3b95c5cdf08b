package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/state/journal"
)

// Arguments that a session does not take are refused with what to do instead,
// also where the schema would let them through, and when it is the user who
// writes them.
func TestWithheldArguments(t *testing.T) {
	t.Parallel()
	tool := session.ClientTool{Name: "tap", Risk: agent.Risky, Input: json.RawMessage(`{"type":"object"}`), Withheld: map[string]string{"text": "name the place by x and y"}}
	b := agenttest.New(t, agenttest.Calling("c1", "tap", `{"text":"Send"}`), agenttest.Calling("c2", "tap", `{"x":1}`))
	b.Open(session.Settings{Tools: []session.ClientTool{tool}, OS: "macOS"})
	b.Start("go")
	asked := agenttest.Last[session.ApprovalRequested](t, b.Until(session.KindApprovalRequested))
	if asked.Call != "c2" {
		t.Errorf("the user is asked about %s", asked.Call)
	}
	if _, err := b.Journal.Decide(t.Context(), asked.Decision, journal.Decider{User: ada}, journal.Answer{Value: json.RawMessage(`{"text":"Send"}`)}); err != nil {
		t.Fatal(err)
	}
	b.Until(session.KindTurnEnded)
	for _, i := range []int{2, 4} {
		result := b.State().Messages[i].Parts[0].Result
		if got := result.Parts[0].Text; !result.IsError || !strings.Contains(got, "arguments.text: name the place by x and y") {
			t.Errorf("message %d: the model is told %q", i, got)
		}
	}
	if system := b.Model.Requests()[0].System; !strings.Contains(system, "The user's machine runs macOS.") {
		t.Errorf("the model is told first %q", system)
	}
}
