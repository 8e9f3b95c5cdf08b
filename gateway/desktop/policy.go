package desktop

import (
	"context"
	"slices"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// UserPolicy returns a function for session.Config that reads a user's rules from the user's
// settings.
func UserPolicy(log journal.Log) func(ctx context.Context, user string) (session.Policy, error) {
	return func(ctx context.Context, user string) (session.Policy, error) {
		var set struct {
			Policy []sdkapi.WSPolicyRule `json:"policy"`
		}
		err := readSettings(ctx, log, user, &set)
		return rulesOf(set.Policy), err
	}
}

// rulesOf converts a user's rules to a session policy.
func rulesOf(list []sdkapi.WSPolicyRule) session.Policy {
	var rules session.Policy
	for _, r := range list {
		rules = append(rules, session.Rule{Tool: r.Tool, Risk: agent.Risk(r.Risk), Verdict: session.Verdict(r.Verdict), Reason: r.Reason})
	}
	return rules
}

// loosens reports whether list can allow calls that old does not: it has a new rule that allows,
// or lacks an old rule that asks or denies.
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
