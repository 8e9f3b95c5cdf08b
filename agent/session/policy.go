package session

import (
	"slices"

	"github.com/windieos/windie/agent"
)

// Verdict is the decision whether a call may be made.
type Verdict string

// The verdicts, from the weakest to the strongest. If several apply, the strongest one wins.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask" // the gateway asks the user
	Deny  Verdict = "deny"
)

var strength = []Verdict{Allow, Ask, Deny}

// Rule is a verdict on some tools. For Allow, the rule must spell the tool's name exactly. For
// other verdicts, upper and lower case are equal, and "-" equals "_".
type Rule struct {
	// Tool is the name or ModelName of the tool, or a pattern such as "mcp_*" (see path.Match).
	Tool    string     `json:"tool"`
	Risk    agent.Risk `json:"risk,omitempty"` // only tools with this risk; empty means all tools
	Verdict Verdict    `json:"verdict"`
	Reason  string     `json:"reason,omitempty"` // reason for the verdict, for the user to read

	// Untrusted means that an Allow also applies after the model has read untrusted text. It has an
	// effect only in the rules of a deployment.
	Untrusted bool `json:"untrusted,omitempty"`
}

// Policy contains the rules of a deployment, a user or a session. The zero value allows safe tools,
// asks about risky tools, and denies forbidden tools.
type Policy []Rule

// Judge returns the verdict on a call of a tool, and the reason. untrusted reports whether the model
// has read untrusted text.
func (p Policy) Judge(tool string, risk agent.Risk, untrusted bool) (Verdict, string) {
	verdict, reason, _ := p.judge(Tool{Name: tool, Risk: risk}, untrusted)
	return verdict, reason
}

// judge works like Judge. ruled reports whether the verdict comes from a rule.
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

const reasonUntrusted = "the tool can change something, and the model has read text that may contain other people's instructions"

// about reports whether a rule applies to a call. A rule that allows must match the tool's name as
// written. A rule that restricts also matches other cases, and names with - instead of _, to be
// safe.
func (r Rule) about(tool string, risk agent.Risk) bool {
	match := matches
	if r.Verdict != Allow {
		match = restricts
	}
	return match(agent.ModelName(r.Tool), tool) && (r.Risk == "" || r.Risk == risk)
}

// Settings are a session's settings, chosen by its user.
type Settings struct {
	Model  string   `json:"model"`            // id of the model in the catalogue; empty means the deployment's default
	System string   `json:"system,omitempty"` // instructions that replace the deployment's instructions
	OS     string   `json:"os,omitempty"`     // operating system of the user's machine, for example "macOS"
	Only   []string `json:"only,omitempty"`   // names of the tools that the model is offered; empty means all tools
	// Disabled lists tools that are not offered, by name or by a pattern such as "ocr_*" (see
	// path.Match).
	Disabled []string     `json:"disabled,omitempty"`
	Tools    []ClientTool `json:"tools,omitempty"` // tools of the client
	// Policy is the rules of the session. They apply together with the rules of the deployment and
	// of the user.
	Policy Policy `json:"policy,omitempty"`

	// ClientAsks means that the client itself asks its user. If a call needs approval, the client
	// gets the call with its risk and the reason. Denied calls are not sent to the client.
	ClientAsks bool `json:"client_asks,omitempty"`

	// OneByOne means that the client gets one call at a time. It gets the next call after it has
	// answered. Otherwise the client gets all calls of one model answer as a bundle.
	OneByOne bool `json:"one_by_one,omitempty"`

	// Unaware means that the client might not be able to ask its user. An approval then waits
	// at most for the duration Limits.Unaware.
	Unaware bool `json:"unaware,omitempty"`

	Workspace  string        `json:"workspace,omitempty"`  // the user's working folder at the client
	Repository []Instruction `json:"repository,omitempty"` // instructions of the repository in that folder
}
