package desktop

import (
	"context"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// UserPolicy returns what session.Config asks for the rules that a user made,
// which are among the user's settings.
func UserPolicy(log journal.Log) func(ctx context.Context, user string) (session.Policy, error) {
	return func(ctx context.Context, user string) (session.Policy, error) {
		var set struct {
			Policy []sdkapi.WSPolicyRule `json:"policy"`
		}
		err := readSettings(ctx, log, user, &set)
		return rulesOf(set.Policy), err
	}
}

// rulesOf returns a user's rules as sessions have them.
func rulesOf(list []sdkapi.WSPolicyRule) session.Policy {
	var rules session.Policy
	for _, r := range list {
		rules = append(rules, session.Rule{Tool: r.Tool, Risk: agent.Risk(r.Risk), Verdict: session.Verdict(r.Verdict), Reason: r.Reason})
	}
	return rules
}
