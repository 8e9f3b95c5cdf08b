package toolhost

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Clients without WebSockets use the same messages over HTTP. They receive server-sent events and
// send messages with POST, the hello first.

// addStream registers the routes for clients without WebSockets.
func (s *door) addStream() {
	post := about("agent-message", http.MethodPost, sdkapi.AgentMessagesPath, "Send a message to a session",
		"Takes the messages of the WebSocket, for clients that read the stream as server-sent events. The first message is a `hello` with "+
			"the client's tools.", 400, 404, 408, 409, 410, 413, 415, 429)
	post.MaxBodyBytes, post.BodyReadTimeout = sdkapi.MaxWSMessage+1, -1
	gateway.RegisterJSON(s.Core, post, s.post)
	stream := about("agent-stream", http.MethodGet, sdkapi.AgentStreamPath, "Follow a session",
		"Opens a WebSocket: see docs/protocols.md. Without an upgrade, the route returns the same messages as server-sent events. The `event` is the "+
			"message's `type`, and the `id` is the message's `seq`.", 404, 429)
	stream.Responses = gateway.EventStream("Server-sent events, whose data are the messages of the WebSocket.", &huma.Schema{Type: huma.TypeString})
	gateway.Register(s.Core, stream, s.stream)
}

type messageInput struct {
	SessionNamed
	Body sdkapi.AgentClientMessage
}

// post handles one message of a client. For a hello with tools during a turn, it fails with TURN_RUNNING, as the tools
// did not change.
func (s *door) post(ctx context.Context, in *messageInput) (*sdkapi.AgentAccepted, error) {
	c, state, err := s.find(ctx, in.ID)
	if err == nil {
		err = check(in.Body)
	}
	if err != nil {
		return nil, err
	}
	out := &sdkapi.AgentAccepted{Accepted: true, SessionID: c.name}
	if in.Body.Type == sdkapi.AgentHello {
		if state, out.ToolManifest, err = c.hello(in.Body); err == nil && state.Turn != nil && c.settings != nil {
			err = fault.New(op, sdkapi.TurnRunning, "tools cannot change while the agent is working on a message; wait until the agent finishes, or cancel the message, then send hello again")
		}
	} else {
		err = c.take(in.Body)
	}
	if err == nil {
		state, err = s.Sessions.State(ctx, c.id, c.user)
	}
	if err != nil {
		return nil, err
	}
	out.Seq = state.Seq
	return out, nil
}

type streamInput struct {
	SessionNamed
	After       string   `query:"after" maxLength:"20" doc:"seq of the last message that you have received; 0 for all messages. If it is absent, the stream begins at the start of the current turn."`
	LastEventID string   `header:"Last-Event-ID" maxLength:"20" doc:"Cursor that browsers send. If it is set, the gateway ignores \"after\"."`
	ClientID    string   `query:"clientId" maxLength:"128" doc:"Permanent name of your client. After a reconnect, you get your open calls again."`
	Accept      []string `query:"accept" maxItems:"20" doc:"Optional message types that you support."`
	Watch       bool     `query:"watch" doc:"If true, the stream has no tool calls for you to run."`
}

// cursor returns the seq of the last message that the client has, or nil if the client did not
// send it. It fails if the seq is above last, the session's newest.
func (in *streamInput) cursor(last int64) (*int64, error) {
	field, text := "header.Last-Event-ID", in.LastEventID
	if text == "" {
		field, text = "query.after", in.After
	}
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > last {
		return nil, fault.New(op, sdkapi.ValidationError, "the session has no message with the seq %.20q; the last seq is %d; send 0 to start from the beginning", text, last).At(field, "expected 0 to %d", last)
	}
	return &n, nil
}

// stream sends the messages of a session as server-sent events. It checks the parameters before it starts the response.
func (s *door) stream(ctx context.Context, in *streamInput) (*huma.StreamResponse, error) {
	c, state, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	for _, kind := range in.Accept {
		if !slices.Contains(sdkapi.AgentExtensions(), kind) {
			return nil, fault.New(op, sdkapi.ValidationError, "unknown optional message type %.64q", kind).At("query.accept", "expected %s", strings.Join(sdkapi.AgentExtensions(), ", "))
		}
	}
	cursor, err := in.cursor(state.Seq)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		s.Core.Stream(humafiber.UnwrapV2(hc), func(ctx context.Context, send func(sse.Event) error) error {
			c.ctx = ctx
			l := c.listener(in.ClientID, in.Accept)
			l.watches = in.Watch
			l.send = func(m sdkapi.AgentMessage) error {
				e := sse.Event{Event: m.Head().Type, Data: m}
				if m.Head().Seq > 0 {
					e.ID = strconv.FormatInt(m.Head().Seq, 10)
				}
				return send(e)
			}
			begin, err := l.from(state, cursor, false)
			if err != nil {
				return err
			}
			return l.listen(ctx, begin)
		})
	}}, nil
}
