package session_test

import (
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	allow := session.Rule{Tool: "shell_*", Verdict: session.Allow}
	always := session.Rule{Tool: "shell_*", Verdict: session.Allow, Untrusted: true}
	ask := session.Rule{Tool: "*", Verdict: session.Ask, Reason: "asked"}
	deny := session.Rule{Tool: "shell_run", Verdict: session.Deny, Reason: "denied"}
	risky := session.Rule{Tool: "*", Risk: agent.Risky, Verdict: session.Deny}
	for name, tt := range map[string]struct {
		policy    session.Policy
		tool      string
		risk      agent.Risk
		untrusted bool
		want      session.Verdict
	}{
		"safe":                            {nil, "a", agent.Safe, false, session.Allow},
		"safe, with somebody else's text": {nil, "a", agent.Safe, true, session.Allow},
		"risky":                           {nil, "a", agent.Risky, false, session.Ask},
		"forbidden":                       {session.Policy{always}, "shell_run", agent.Forbidden, false, session.Deny},
		"allowed":                         {session.Policy{allow}, "shell_run", agent.Risky, false, session.Allow},
		"allowed, but":                    {session.Policy{allow}, "shell_run", agent.Risky, true, session.Ask},
		"allowed, in any case":            {session.Policy{always}, "shell_run", agent.Risky, true, session.Allow},
		"ask wins over allow":             {session.Policy{always, ask}, "shell_run", agent.Safe, false, session.Ask},
		"whatever the order":              {session.Policy{ask, always}, "shell_run", agent.Safe, false, session.Ask},
		"deny wins":                       {session.Policy{always, deny, ask}, "shell_run", agent.Safe, false, session.Deny},
		"a rule about another tool":       {session.Policy{deny}, "shell_list", agent.Safe, false, session.Allow},
		"a rule about another risk":       {session.Policy{risky}, "a", agent.Safe, false, session.Allow},
		"denied in another case":          {session.Policy{{Tool: "Shell.Run", Verdict: session.Deny}}, "shell_run", agent.Safe, false, session.Deny},
		"a client's in another case":      {session.Policy{{Tool: "mail_send", Verdict: session.Deny}}, "Mail-Send", agent.Safe, false, session.Deny},
		"denied with a dash":              {session.Policy{{Tool: "files.delete-*", Verdict: session.Ask}}, "files_delete_all", agent.Safe, false, session.Ask},
		"denied by a class":               {session.Policy{{Tool: "shell_[A-R]*", Verdict: session.Deny}}, "shell_run", agent.Safe, false, session.Deny},
		"allowed in another case":         {session.Policy{{Tool: "Shell_run", Verdict: session.Allow}}, "shell_run", agent.Risky, false, session.Ask},
		"a pattern that is none":          {session.Policy{{Tool: "[", Verdict: session.Deny}}, "[", agent.Safe, false, session.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := tt.policy.Judge(tt.tool, tt.risk, tt.untrusted); got != tt.want {
				t.Errorf("%s: %s", name, got)
			}
		})
	}
}

// No order of rules makes a denial lose.
func TestDenyNeverLoses(t *testing.T) {
	t.Parallel()
	rules := []session.Rule{
		{Tool: "*", Verdict: session.Allow, Untrusted: true}, {Tool: "a", Verdict: session.Ask}, {Tool: "a", Verdict: session.Deny}, {Tool: "a*", Verdict: session.Allow},
	}
	var permute func(n int)
	permute = func(n int) {
		if n == 1 {
			for _, untrusted := range []bool{false, true} {
				for _, risk := range []agent.Risk{agent.Safe, agent.Risky, agent.Forbidden} {
					if got, _ := session.Policy(rules).Judge("a", risk, untrusted); got != session.Deny {
						t.Errorf("%v: %s", rules, got)
					}
				}
			}
			return
		}
		for i := range n {
			permute(n - 1)
			j := i
			if n%2 == 1 {
				j = 0
			}
			rules[j], rules[n-1] = rules[n-1], rules[j]
		}
	}
	permute(len(rules))
}
