package approvals

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/agent/session"
	plaintext "github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Question is a call of any protocol that waits for a person's approval.
type Question struct {
	journal.Decision
	Via string // the call's protocol, for example agent.ViaMCP
	// Tool is the tool's name: for an MCP call the name in the registry, for all other calls the name
	// that models see.
	Tool      string
	Arguments json.RawMessage
	Why       string // why the user is asked
}

// Wire converts the question to the API's form.
func (q Question) Wire() sdkapi.Decision {
	out := WireDecision(q.Decision)
	out.Tool, out.Arguments, out.Why = q.Tool, q.Arguments, q.Why
	return out
}

// Questions lists the questions that wait for the answer of a user, oldest first. If user is empty,
// it lists the questions of all users. It leaves out questions whose call no longer waits. If the
// parameter all is nil, it leaves out the questions of conversations. It reads only the journal, so
// it works without a running gateway.
func Questions(ctx context.Context, log journal.Decisions, all *session.Sessions, user string) ([]Question, error) {
	waiting, err := log.PendingOf(ctx, user, session.Approval)
	if err != nil {
		return nil, err
	}
	var list []Question
	for _, d := range waiting {
		q, ok, err := QuestionOf(ctx, all, d)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, q)
		}
	}
	return list, nil
}

// ShowArguments formats a tool's arguments for a person: as canonical JSON, with control and other
// invisible characters shown as escapes. A non-empty indent gives each field its own line.
func ShowArguments(arguments json.RawMessage, indent string) string {
	canonical, err := journal.Canonical(arguments)
	if err != nil { // no question can have such arguments
		return plaintext.Text(string(arguments))
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return plaintext.Text(string(canonical)) // unreachable: canonical is JSON
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	_ = e.Encode(value) // a decoded value can be encoded
	return plaintext.Lines(strings.TrimSuffix(b.String(), "\n"), "")
}

// QuestionOf returns the question that belongs to a decision. The result ok is false if no call waits
// for the answer.
func QuestionOf(ctx context.Context, all *session.Sessions, d journal.Decision) (q Question, ok bool, err error) {
	if d.Stream == Stream(d.User) {
		var call Asked
		err := json.Unmarshal(d.Request, &call)
		return Question{Decision: d, Via: agent.ViaMCP, Tool: call.Tool, Arguments: call.Arguments, Why: call.Why}, err == nil, err
	}
	if all == nil {
		return q, false, nil
	}
	call, ok, err := all.Asked(ctx, d)
	via := audit.Via(strings.TrimPrefix(d.Stream, "session/"))
	return Question{Decision: d, Via: via, Tool: call.Tool, Arguments: call.Arguments, Why: call.Reason}, ok, err
}

// WireDecision converts a decision to the API's form.
func WireDecision(d journal.Decision) sdkapi.Decision {
	var call Asked
	_ = json.Unmarshal(d.Request, &call) // written by Approvals.open
	out := sdkapi.Decision{
		ID: d.ID, Tool: call.Tool, Arguments: call.Arguments, Why: call.Why, State: sdkapi.DecisionPending, CreatedAt: d.Created, ExpiresAt: d.Expires,
	}
	switch {
	case d.State == journal.Expired:
		out.State = sdkapi.DecisionExpires
	case d.State == journal.Decided && d.Answer.Denied:
		out.State, out.Reason = sdkapi.DecisionDenied, d.Answer.Reason
	case d.State == journal.Decided:
		out.State, out.Reason = sdkapi.DecisionApproved, d.Answer.Reason
		if string(d.Answer.Value) != "null" {
			out.Allowed = d.Answer.Value
		}
	}
	return out
}
