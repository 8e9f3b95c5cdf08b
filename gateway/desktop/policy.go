package desktop

import (
	"context"
	"slices"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
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

// loosens reports whether a new list of rules can let through what the old one does not:
// it allows more, or lacks a rule that asks or denies.
func loosens(old, list []sdkapi.WSPolicyRule) bool {
	lacks := func(in []sdkapi.WSPolicyRule, allow bool) func(sdkapi.WSPolicyRule) bool {
		return func(r sdkapi.WSPolicyRule) bool {
			return (session.Verdict(r.Verdict) == session.Allow) == allow && !slices.ContainsFunc(in, func(other sdkapi.WSPolicyRule) bool {
				return other.Tool == r.Tool && other.Risk == r.Risk && other.Verdict == r.Verdict
			})
		}
	}
	return slices.ContainsFunc(list, lacks(old, true)) || slices.ContainsFunc(old, lacks(list, false))
}
