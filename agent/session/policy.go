package session

import (
	"slices"

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

const reasonUntrusted = "the tool can change something, and the model has read text that may contain other people's instructions"

func (r Rule) about(tool string, risk agent.Risk) bool {
	match := matches
	if r.Verdict != Allow {
		match = restricts
	}
	return match(agent.ModelName(r.Tool), tool) && (r.Risk == "" || r.Risk == risk)
}

// Settings are a session's settings by its user.
type Settings struct {
	Model    string       `json:"model"`              // id in the catalogue; empty for the deployment's default
	System   string       `json:"system,omitempty"`   // instructions in place of the deployment's
	OS       string       `json:"os,omitempty"`       // of the user's machine, as "macOS"
	Only     []string     `json:"only,omitempty"`     // names of the offered tools; empty for all
	Disabled []string     `json:"disabled,omitempty"` // tools that are not offered: names, or patterns as "ocr_*" (see path.Match)
	Tools    []ClientTool `json:"tools,omitempty"`    // that the client brought
	Policy   Policy       `json:"policy,omitempty"`   // besides the deployment's and the user's

	// ClientAsks says that the client asks its user: a call with a question goes to
	// the client with its risk and the reason. A denied call does not.
	ClientAsks bool `json:"client_asks,omitempty"`

	// OneByOne says that the client gets each call alone, and the next one when it has
	// answered. Without it, the calls of one answer come as a bundle.
	OneByOne bool `json:"one_by_one,omitempty"`

	// Unaware says that the client may not know of questions to its user, which
	// then wait for Limits.Unaware.
	Unaware bool `json:"unaware,omitempty"`

	Workspace  string        `json:"workspace,omitempty"`  // folder at the client that the user works in
	Repository []Instruction `json:"repository,omitempty"` // instructions of the repository there
}
