package session

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
)

// Verdict says whether a call may be made.
type Verdict string

// The verdicts, from the weakest to the strongest. The strongest of several holds.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask" // the user
	Deny  Verdict = "deny"
)

var strength = []Verdict{Allow, Ask, Deny}

// Rule is a verdict on some tools. An Allow is for tools that are spelled as it spells them, other verdicts do not
// distinguish case, nor - from _.
type Rule struct {
	Tool    string     `json:"tool"`           // name or ModelName, or a pattern as "mcp_*" (see path.Match)
	Risk    agent.Risk `json:"risk,omitempty"` // only tools of that risk; empty for all
	Verdict Verdict    `json:"verdict"`
	Reason  string     `json:"reason,omitempty"` // for the user

	// Untrusted extends an Allow to models that have read untrusted text. It
	// counts in a deployment's rules alone.
	Untrusted bool `json:"untrusted,omitempty"`
}

// Policy is the rules of a deployment, a user or a session. The zero value allows
// safe tools, asks about risky ones, and denies forbidden ones.
type Policy []Rule

// policy returns the rules of all three together. Rules of users and sessions can
// allow risky tools without a question, but relax no rule of the deployment. Only
// the deployment can allow them behind untrusted text.
func (c Config) policy(ctx context.Context, user string, s Settings) (Policy, error) {
	own, err := c.UserPolicy(ctx, user)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(c.Policy)
	for _, r := range slices.Concat(own, s.Policy) {
		r.Untrusted = false
		all = append(all, r)
	}
	return all, nil
}

// Judge returns the verdict on a call of a tool, and the reason. untrusted says
// that the model has read untrusted text.
func (p Policy) Judge(tool string, risk agent.Risk, untrusted bool) (Verdict, string) {
	verdict, reason, _ := p.judge(Tool{Name: tool, Risk: risk}, untrusted)
	return verdict, reason
}

// judge also returns whether the verdict is of a rule.
func (p Policy) judge(t Tool, untrusted bool) (verdict Verdict, reason string, ruled bool) {
	asks := t.Risk != agent.Safe && !t.Unasked // without a rule
	for _, r := range p {
		if !r.about(t.Name, t.Risk) {
			continue
		}
		v, why := r.Verdict, r.Reason
		if v == Allow && untrusted && !r.Untrusted && asks {
			v, why = Ask, reasonUntrusted
		}
		if slices.Index(strength, v) > slices.Index(strength, verdict) {
			verdict, reason = v, why
		}
	}
	switch {
	case t.Risk == agent.Forbidden:
		return Deny, "the tool is forbidden here", false
	case verdict != "":
		return verdict, reason, true
	case !asks:
		return Allow, "", false
	case untrusted:
		return Ask, reasonUntrusted, false
	}
	return Ask, "the tool can change something", false
}

const reasonUntrusted = "the tool can change something, and the model has read text that may hold somebody else's orders"

func (r Rule) about(tool string, risk agent.Risk) bool {
	match := matches
	if r.Verdict != Allow {
		match = restricts
	}
	return match(agent.ModelName(r.Tool), tool) && (r.Risk == "" || r.Risk == risk)
}

// matches reports whether a pattern is for a tool.
func matches(pattern, tool string) bool {
	is, err := path.Match(pattern, tool)
	return err == nil && is
}

// restricts is matches for what takes a tool away, which another spelling of its name does not get out of: case does not
// count, nor does - for _ but in classes as [a-z].
func restricts(pattern, tool string) bool {
	lower := strings.ToLower(pattern)
	if !strings.ContainsAny(lower, `[\`) {
		lower = strings.ReplaceAll(lower, "-", "_")
	}
	tool = strings.ToLower(tool)
	return matches(lower, tool) || matches(lower, strings.ReplaceAll(tool, "-", "_"))
}
