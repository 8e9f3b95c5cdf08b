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

// Question is a call that waits for a person's yes or no, whichever protocol it came by.
type Question struct {
	journal.Decision
	Via       string // the protocol, as agent.ViaMCP
	Tool      string // the registry's name of it, over MCP; in conversations, the models'
	Arguments json.RawMessage
	Why       string // it is asked about
}

// Wire returns the question as it is on the wire.
func (q Question) Wire() sdkapi.Decision {
	out := WireDecision(q.Decision)
	out.Tool, out.Arguments, out.Why = q.Tool, q.Arguments, q.Why
	return out
}

// Questions lists what waits for a user's answer, or for anybody's if user is empty,
// oldest first, without what nobody waits for any longer. It needs no running
// gateway: all reads the journal log; if all is nil, there are no conversations.
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

// ShowArguments returns what a tool is to be called with, as a person should see
// it: JSON in which all is written in one way, with nothing hidden. With an indent
// it has a line for each field.
func ShowArguments(arguments json.RawMessage, indent string) string {
	canonical, err := journal.Canonical(arguments)
	if err != nil { // nobody can have been asked about it
		return plaintext.Text(string(arguments))
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return plaintext.Text(string(canonical)) // not reached: it is JSON
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	_ = e.Encode(value) // as it was decoded, it can be encoded
	return plaintext.Lines(strings.TrimSuffix(b.String(), "\n"), "")
}

// QuestionOf returns what a decision asks, if somebody waits for the answer.
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

// WireDecision returns a decision as it is on the wire.
func WireDecision(d journal.Decision) sdkapi.Decision {
	var call Asked
	_ = json.Unmarshal(d.Request, &call) // it was written by approvals.open
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
