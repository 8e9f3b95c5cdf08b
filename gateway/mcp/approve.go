package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/approvals"
	"github.com/windieos/windie/internal/fault"
	plaintext "github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// approveInputID is the key of the approval question in a result's InputRequests.
const approveInputID = "approve"

// maxAskedArguments is the maximum length of the arguments in a question to the user, in bytes.
// Longer arguments lose their middle, which a note replaces.
const maxAskedArguments = 8 << 10

// approve decides whether a call may run now. It returns the consent by which it may, or instead a
// result for the client that asks for approval. The rules of the deployment and of the user decide.
// If they require approval, the client asks its user. If the client cannot ask, any other program
// of the user may answer.
func (m *server) approve(ctx context.Context, user string, d agent.Descriptor, arguments json.RawMessage, req *mcp.CallToolRequest) (by agent.Consent, instead *mcp.CallToolResult, err error) {
	verdict, why, err := m.verdict(ctx, user, d)
	switch {
	case err != nil:
		return "", nil, err
	case verdict == session.Allow:
		return agent.RulesAllow, nil, nil
	case verdict == session.Deny:
		return "", nil, fault.New("gateway.mcp", sdkapi.ToolForbidden, "not allowed: %s", why)
	case m.journal == nil:
		return "", nil, fault.New("gateway.mcp", sdkapi.FeatureUnavailable, "%q needs approval, and this gateway stores no approvals: ask its operator to set a data folder", d.Name)
	}
	fitting, err := agent.FitArguments(d.Input, orEmpty(arguments))
	if err != nil {
		return "", nil, err // the user is not asked about a call that would fail
	}
	all := approvals.Approvals{Log: m.journal}
	question, err := all.Ask(ctx, user, approvals.Asked{Tool: d.Name, Arguments: fitting, Why: why, Of: d.Hash()})
	said := answerTo(question, req)
	if err == nil && question.State == journal.Pending && (said == accepted || said == declined) {
		question, err = m.journal.Decide(ctx, question.ID, journal.Decider{User: question.User, Digest: question.Digest}, journal.Answer{Denied: said == declined})
	}
	switch {
	case err != nil:
		return "", nil, err
	case question.State == journal.Pending && said == "" && canAsk(req.Session):
		return "", m.question(question, d, fitting, why), nil
	case question.State == journal.Pending:
		return "", m.waits(question, why), nil
	case question.Answer.Denied && question.Answer.Reason != "":
		return "", nil, fault.New("gateway.mcp", sdkapi.PermissionDenied, "the call did not run: the user denied it and said: %s", question.Answer.Reason)
	case question.Answer.Denied:
		return "", nil, fault.New("gateway.mcp", sdkapi.PermissionDenied, "the call did not run: the user denied it")
	}
	first, err := all.Use(ctx, question)
	if err == nil && !first {
		err = fault.New("gateway.mcp", sdkapi.DecisionConflict, "another call has just used this approval; repeat the call to ask for a new approval")
	}
	return agent.UserApproved, nil, err
}

// unasked answers a question with "cancel" where a client says that it does not know the method. Bridges between two clients
// declare that they can ask, and cannot.
func unasked(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		unknown, ok := errors.AsType[*jsonrpc.Error](err)
		if _, asked := req.GetParams().(*mcp.ElicitParams); asked && ok && unknown.Code == jsonrpc.CodeMethodNotFound {
			return &mcp.ElicitResult{Action: "cancel"}, nil
		}
		return result, err
	}
}

// orEmpty returns the arguments of a call, or an empty object if there are none.
func orEmpty(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage(`{}`)
	}
	return arguments
}

// verdict applies the rules to a call of a tool by a user's client. It returns the verdict and its
// reason.
func (m *server) verdict(ctx context.Context, user string, d agent.Descriptor) (session.Verdict, string, error) {
	tool := session.Tool{Name: agent.ModelName(d.Name), Risk: d.Risk}
	if m.agent == nil {
		verdict, why := session.Policy{}.Judge(tool.Name, tool.Risk, false)
		return verdict, why, nil
	}
	return m.agent.Verdict(ctx, user, session.Settings{}, tool)
}

// canAsk reports whether a client can ask its user a question.
func canAsk(client *mcp.ServerSession) bool {
	known := client.InitializeParams()
	if known == nil || known.Capabilities == nil || known.Capabilities.Elicitation == nil {
		return false
	}
	can := known.Capabilities.Elicitation
	return can.Form != nil || can.URL == nil // an older client declares neither, and supports forms
}

// question returns a result that makes the client ask its user. The client then repeats the call
// with the user's answer and the decision's id.
func (m *server) question(d journal.Decision, tool agent.Descriptor, arguments json.RawMessage, why string) *mcp.CallToolResult {
	shown := plaintext.Middle(approvals.ShowArguments(orEmpty(arguments), ""), maxAskedArguments)
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{approveInputID: &mcp.ElicitParams{
			Mode:            "form",
			Message:         fmt.Sprintf("May %s be called, once, with %s? It is asked about because %s.", agent.ModelName(tool.Name), shown, why),
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`),
		}},
		RequestState: d.ID,
	}
}

// The actions by which a user answers a question. Any other action leaves the question open for
// other programs of the user: a client without a user, such as one in CI, sends "cancel".
const (
	accepted = "accept"
	declined = "decline"
)

// answerTo returns the user's action for the question d, or empty if req has no answer to d.
func answerTo(d journal.Decision, req *mcp.CallToolRequest) (action string) {
	said, ok := req.Params.InputResponses[approveInputID].(*mcp.ElicitResult)
	if !ok || req.Params.RequestState != d.ID {
		return ""
	}
	return said.Action
}

// waits returns a result that says where the user can approve the call, for a client that cannot
// ask. A model reads this result, so it contains nothing with which the model could approve the
// call itself.
func (m *server) waits(d journal.Decision, why string) *mcp.CallToolResult {
	where := "in a terminal on this machine with `windie approvals`"
	if m.hosted {
		where = "in their own program for this gateway, or through its operator with `windie approvals --user " + d.User + "`"
	}
	text := fmt.Sprintf("Not run yet: a person must approve this call, because %s. Ask your user to approve or deny it, %s, before %s. "+
		"No tool can approve it. After the approval, repeat the identical call: it then runs once.", why, where, d.Expires.Format(time.RFC3339))
	return &mcp.CallToolResult{
		IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}},
		Meta: mcp.Meta{"windie/decision": map[string]any{"state": sdkapi.DecisionPending, "expires_at": d.Expires}},
	}
}
