package session_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
)

// A tool that can change something and that nobody is asked about, as the mouse,
// leaves as risky without asking the user, also behind text of others, unless a rule
// asks about it by name or by its risk.
func TestUnasked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rules session.Policy
		asked bool
	}{
		"no rule":           {nil, false},
		"a rule allows":     {session.Policy{{Tool: "tap", Verdict: session.Allow}}, false},
		"a rule asks":       {session.Policy{{Tool: "tap", Verdict: session.Ask}}, true},
		"a rule about risk": {session.Policy{{Tool: "*", Risk: agent.Risky, Verdict: session.Ask}}, true},
		"a rule about safe": {session.Policy{{Tool: "*", Risk: agent.Safe, Verdict: session.Ask}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, agenttest.Calling("c1", "tap", `{}`))
				b.Config.Policy = tt.rules
				b.Open(session.Settings{
					Tools:      []session.ClientTool{{Name: "tap", Risk: agent.Risky, Unasked: true, Input: numbered}},
					Repository: []session.Instruction{{Text: "anybody's words"}},
				}).Start("go")
				if tt.asked {
					b.Until(session.KindApprovalRequested)
					return
				}
				events := b.Until(session.KindToolRequested)
				if strings.Contains(agenttest.Kinds(events), session.KindApprovalRequested) {
					t.Error("the user is asked")
				}
				if asked := agenttest.Last[session.ToolRequested](t, events); asked.Risk != agent.Risky || asked.Allowed != (name == "a rule allows") {
					t.Errorf("it leaves as %q, allowed by a rule: %t", asked.Risk, asked.Allowed)
				}
			})
		})
	}
}
