package toolhost

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// client is a program that acts for a user in a session, over a WebSocket or by requests.
type client struct {
	*door
	ctx  context.Context
	user string
	id   string // session id
	name string // session id as clients see it

	settings *session.Settings // from the hello; nil without a hello, or if the hello had no tools
	replayed string            // the user's text in a turn that is sent again; cleared by the next message
}

// decode parses and checks a client's message. If it fails, m contains the fields that could be
// read.
func decode(raw []byte) (m sdkapi.AgentClientMessage, err error) {
	if wrong := strictbody.Wrong(raw, m); wrong != nil {
		_ = json.Unmarshal(raw, &m)
		return m, fault.New(op, sdkapi.ValidationError, "duplicate or wrongly cased field: %s: %s", wrong.Path, wrong.Expected).At("message"+wrong.Path, "%s", wrong.Expected)
	}
	err = json.Unmarshal(raw, &m)
	var misfit *json.UnmarshalTypeError
	switch {
	case errors.As(err, &misfit) && misfit.Field != "":
		return m, fault.New(op, sdkapi.ValidationError, "invalid message: the field %s must be of the type %s", misfit.Field, misfit.Type).At("message."+misfit.Field, "expected %s", misfit.Type)
	case err != nil:
		return m, fault.New(op, sdkapi.MalformedBody, `invalid message: expected one JSON object, for example {"type":"user.message","content":"…"}`).Because(err)
	}
	return m, check(m)
}

// take handles a message other than hello.
func (c *client) take(m sdkapi.AgentClientMessage) error {
	if m.SessionID != "" && m.SessionID != c.name {
		return fault.New(op, sdkapi.ValidationError, "sessionId must be the session in the path; open one stream for each session").At("sessionId", "expected %s", c.name)
	}
	switch m.Type {
	case sdkapi.AgentUserMessage:
		return c.say(m)
	case sdkapi.AgentToolResult:
		return c.result(m)
	case sdkapi.AgentCancel:
		return c.cancel(m.TurnID)
	case sdkapi.AgentDecision:
		return c.decide(m)
	case sdkapi.AgentHello:
		return fault.New(op, sdkapi.ValidationError, "hello was already sent on this stream; open another stream to send it again")
	}
	return fault.New(op, sdkapi.ValidationError, "unknown message type %.64q; expected hello, user.message, tool.result, cancel or approval.decision", m.Type).At("type", "expected hello, user.message, tool.result, cancel or approval.decision")
}

// cancel ends the running turn if turn is empty or its id. Otherwise it does nothing.
func (c *client) cancel(turn string) error {
	state, err := c.Sessions.State(c.ctx, c.id, c.user)
	if err != nil || state.Turn == nil || turn != "" && turn != state.Turn.ID {
		return err
	}
	return c.Sessions.Cancel(c.ctx, c.id, c.user, state.Turn.ID)
}

// noCall returns the error for a result without a request for that call.
func noCall(call string) error {
	return fault.New(op, sdkapi.DecisionNotFound, "unknown tool call %q: this session has not requested it", plain.Cut(call, 100)).At("toolCallId", "expected the toolCallId of a tool.call")
}
