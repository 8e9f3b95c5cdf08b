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

// client is a program that speaks for a user in a session: at a WebSocket, or by requests.
type client struct {
	*door
	ctx  context.Context
	user string
	id   string // of the session
	name string // of the session, for clients

	settings *session.Settings // by the hello; nil if it brought no tools, or there was none
	replayed string            // what the user said in a turn that the client is sent again; empty once it may be said anew
}

// decode reads a message of a client's. The type that could be read is in m also if it fails.
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

// take does what a message asks for that is no hello.
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
	return fault.New(op, sdkapi.ValidationError, "unknown message type %.64q; expected hello, user.message, tool.result, cancel or approval.decision", m.Type).At("type", "expected one of these")
}

// cancel ends the open turn, if there is one, and it is the one that is named; empty for any.
func (c *client) cancel(turn string) error {
	state, err := c.Sessions.State(c.ctx, c.id, c.user)
	if err != nil || state.Turn == nil || turn != "" && turn != state.Turn.ID {
		return err
	}
	return c.Sessions.Cancel(c.ctx, c.id, c.user, state.Turn.ID)
}

// noCall is the error about a call that nobody asked the client for.
func noCall(call string) error {
	return fault.New(op, sdkapi.DecisionNotFound, "unknown tool call %q: this session has not requested it", plain.Cut(call, 100)).At("toolCallId", "expected the toolCallId of a tool.call")
}
