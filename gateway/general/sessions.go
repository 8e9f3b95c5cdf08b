package general

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// The general agent service calls a client's tools through a stream of events. The client posts
// their results.

const tag = "general agent"

// about describes a route that takes a body about a session.
func about(id, method, path, summary, description string, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{tag}, Summary: summary, Description: description,
		MaxBodyBytes: sdkapi.MaxWSMessage + 1, BodyReadTimeout: -1, Errors: append(errors, 400, 403, 404, 408, 413, 415, 422, 503),
	}
}

// addSessions adds the routes that create a session, send messages and follow its events.
func (s *door) addSessions() {
	gateway.RegisterJSON(s.Core, about("general-session", http.MethodPost, sdkapi.V1SessionsPath, "Create or continue a session",
		"A session holds a conversation and the tools of its client."), s.openSession)
	chat := about("general-chat", http.MethodPost, sdkapi.V1ChatPath, "Send a message",
		"With `stream`, returns events: `assistant.delta`, `tool.request`, `tool.result.ack`, `tool.result`, and last `assistant.final` or "+
			"`error`. Without `stream`, returns the final answer. For a repeated `id`, the gateway replays the turn of the message. Without an `id`, "+
			"the gateway replays the turn for a repeated message until a client has received the answer.", 409, 502)
	chat.Responses = gateway.EventStream("The agent's answer. With `stream`, server-sent events.", s.events())
	chat.Responses["200"].Content["application/json"] = gateway.JSONResponse[sdkapi.V1Answer](s.Core, "").Content["application/json"]
	gateway.Register(s.Core, chat, s.chat)
	stream := about("general-stream", http.MethodGet, sdkapi.V1StreamPath, "Follow a session",
		"Returns the events of all turns, as the chat route does for one turn. Outside a turn, the stream ends after ten minutes without an event.")
	stream.Responses = gateway.EventStream("Server-sent events.", s.events())
	gateway.Register(s.Core, stream, s.stream)
	gateway.RegisterJSON(s.Core, about("general-tool-result", http.MethodPost, sdkapi.V1ToolResultPath, "Send a tool's result",
		"Answers a `tool.request`, and the agent continues. The same result again is accepted.", 409, 410), s.toolResult)
	gateway.RegisterJSON(s.Core, about("general-cancel", http.MethodPost, sdkapi.V1CancelPath, "Cancel the turn",
		"Stops the model and tools within a second, and then returns. Streams end with an `error` whose reason is `canceled`. If no "+
			"turn is running, the response is the same."), s.cancel)
}

// events describes the events of a session's streams.
func (s *door) events() *huma.Schema {
	return gateway.Union(s.Core, "GeneralEvent", sdkapi.V1Events)
}

var sessionIDs = regexp.MustCompile(`^g_[a-z2-7]{26}$`)

// sessionID returns a session's internal id, given the id that the client uses.
func sessionID(user, general string) string {
	return session.GeneralOf(user) + general
}

// find returns a session of the caller and its state. It fails for a session that has had no
// events for longer than App.SessionIdle.
func (s *door) find(ctx context.Context, general string) (user, id string, state *session.State, err error) {
	user, err = gateway.CallerOf(ctx)
	if err != nil {
		return "", "", nil, err
	}
	gone := fault.New("gateway.v1", sdkapi.SessionNotFound, "there is no session %q, or it was idle for %s and expired; create one with POST %s",
		plain.Cut(general, 100), s.sessionIdle, sdkapi.V1SessionsPath)
	if !sessionIDs.MatchString(general) {
		return "", "", nil, gone
	}
	id = sessionID(user, general)
	state, err = s.Sessions.State(ctx, id, user)
	if fault.CodeOf(err) == sdkapi.SessionNotFound {
		return "", "", nil, gone
	}
	if err != nil || state.Turn != nil {
		return user, id, state, err
	}
	last, err := s.Sessions.Read(ctx, id, state.Seq-1)
	if err == nil && (len(last) == 0 || time.Since(last[0].Time) > s.sessionIdle) {
		err = gone
	}
	return user, id, state, err
}

// openSession creates a session, or continues the preferred one if it exists. Tools in the body
// replace the tools of a continued session.
func (s *door) openSession(ctx context.Context, in *gateway.Body[sdkapi.V1SessionRequest]) (*sdkapi.V1Session, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	var definition *sdkapi.WSAgentDefinition
	if in.Body.Tools != nil {
		definition = &sdkapi.WSAgentDefinition{Version: 1, Tools: &sdkapi.WSAgentTools{Mode: turns.ModeExplicit, ClientManifest: in.Body.Tools}}
		if err := turns.CheckDefinition(definition); err != nil {
			return nil, fault.New("gateway.v1", sdkapi.ValidationError, "invalid tools: %s", err).At("body.tools", "%s", err)
		}
	}
	settings, told := s.DefinedSettings(definition)
	settings.ClientAsks = true
	if told != nil { // only the client's tools and the gateway's, not the desktop's
		settings.Only = nil
		settings.Tools = brought(settings.Tools, told.Accepted)
	}
	out := sdkapi.V1Session{GeneralSessionID: in.Body.PreferredSessionID, Tools: told}
	if in.Body.PreferredSessionID != "" {
		_, id, _, err := s.find(ctx, in.Body.PreferredSessionID)
		if err == nil && in.Body.Tools != nil {
			_, err = s.Prepare(ctx, id, user, func(session.Settings) session.Settings { return settings })
		}
		if fault.CodeOf(err) != sdkapi.SessionNotFound {
			out.Resumed = true
			return &out, err
		}
	}
	out.GeneralSessionID = "g_" + strings.ToLower(rand.Text())
	return &out, s.Sessions.Create(ctx, sessionID(user, out.GeneralSessionID), user, settings)
}

// brought returns the session's tools that the client defined.
func brought(tools []session.ClientTool, accepted []sdkapi.WSAcceptedTool) []session.ClientTool {
	return slices.DeleteFunc(slices.Clone(tools), func(t session.ClientTool) bool {
		return !slices.ContainsFunc(accepted, func(a sdkapi.WSAcceptedTool) bool { return a.Name == t.Name })
	})
}

// chat begins the turn of a message, and answers with its events or with its final text. A repeated
// message gets the turn that it began before.
func (s *door) chat(ctx context.Context, in *gateway.Body[sdkapi.V1Chat]) (*huma.StreamResponse, error) {
	user, id, state, err := s.find(ctx, in.Body.GeneralSessionID)
	if err != nil {
		return nil, err
	}
	if err := gateway.RequestOf(ctx).Quota.TakeCall(); err != nil {
		return nil, err
	}
	if in.Body.Stream {
		if err := gateway.RequestOf(ctx).Quota.Hold(); err != nil {
			return nil, err
		}
	}
	said, err := s.readParts(ctx, in.Body.Message)
	if err != nil {
		return nil, err
	}
	began, err := s.beginOnce(ctx, id, user, state, said)
	if err != nil {
		return nil, err
	}
	if !in.Body.Stream {
		return s.wait(ctx, id, began, state.Seq)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		s.Core.Stream(humafiber.UnwrapV2(c), func(ctx context.Context, send func(sse.Event) error) error {
			t := s.teller(id, state, turns.Cursor{}, send)
			return s.FollowSession(ctx, id, began-1, func(e journal.Event) (bool, error) {
				err := t.tell(ctx, e)
				return t.view.open == "", err
			})
		})
	}}, nil
}

// begin begins the turn of a message, unless a turn of the same message exists. It returns the
// number of the event that began the turn. Another request, such as an abandoned earlier one,
// may send the same message concurrently.
func (s *door) begin(ctx context.Context, id, user string, state *session.State, said said) (int64, error) {
	for {
		began, err := s.same(ctx, id, state, said)
		if err != nil || began != 0 {
			return began, err
		}
		parts, err := s.keepParts(ctx, said.parts)
		if err != nil {
			return 0, err
		}
		started, err := s.Sessions.StartAs(ctx, id, user, said.name, state.Began, parts)
		if fault.CodeOf(err) != sdkapi.TurnRunning {
			return started.Seq, err
		}
		now, failed := s.Sessions.State(ctx, id, user)
		if failed != nil || now.Began == state.Began {
			return 0, cmp.Or(failed, running())
		}
		state = now
	}
}

// running returns the error for a message while another turn is open.
func running() error {
	return fault.New("gateway.v1", sdkapi.TurnRunning, "the agent is still working on the session's last message; wait until it finishes, or cancel it with POST %s", sdkapi.V1CancelPath)
}

// same returns the event that began the turn of the same message; 0 if there is none. Messages
// with the same name are the same. A message without a name equals the message of the last turn
// if that has no name either, both have the same content, and the turn is open or its answer
// was not sent to a client yet.
func (s *door) same(ctx context.Context, id string, state *session.State, said said) (int64, error) {
	if said.name != "" {
		return s.named(ctx, id, state, said.name)
	}
	if state.Ref != "" {
		return 0, nil
	}
	began, ended, err := s.lastTurn(ctx, id, state)
	if err != nil || began == nil || ended != nil && ended.Reason != session.EndDone { // after a failed turn, the same message is a retry
		return 0, err
	}
	same, err := s.sameParts(ctx, began.Parts, said.parts)
	if err == nil && same && ended != nil {
		same, err = s.Sessions.WasHeard(ctx, id, *began)
		same = !same
	}
	if err != nil || !same {
		return 0, err
	}
	return state.Began, nil
}

// named returns the event that began the turn of the message with that name; 0 if there is none.
func (s *door) named(ctx context.Context, id string, state *session.State, name string) (int64, error) {
	if !state.Said(name) {
		return 0, nil
	}
	seq, err := s.TurnNamed(ctx, id, name, state.Seq, time.Time{})
	if err == nil && seq == 0 {
		err = fault.New("gateway.v1", sdkapi.KeyAnswerNotKept, "the message with this id was already answered, and its answer has expired; send a new message with a new id").
			At("body.message.id", "expected an id that no earlier message of this session has")
	}
	return seq, err
}

// lastTurn returns the first and last events of a session's last turn. began is nil if there was
// no turn or it is no longer stored. ended is nil then too, and while the turn is open.
func (s *door) lastTurn(ctx context.Context, id string, state *session.State) (began *session.TurnStarted, ended *session.TurnEnded, err error) {
	if state.Began == 0 {
		return nil, nil, nil
	}
	for e, err := range s.Events(ctx, id, state.Began-1) {
		if err != nil {
			return nil, nil, err
		}
		if first, is, err := session.As[session.TurnStarted](e); err != nil || is && e.Seq == state.Began {
			began = &first
			if err != nil {
				return nil, nil, err
			}
		}
		if last, is, err := session.As[session.TurnEnded](e); err != nil || is && began != nil {
			return began, &last, err
		}
	}
	return began, nil, nil
}

// beginOnce does the same as begin for a request that may have an idempotency key.
func (s *door) beginOnce(ctx context.Context, id, user string, state *session.State, said said) (int64, error) {
	claim := gateway.RequestOf(ctx).Claim
	if claim == nil {
		return s.begin(ctx, id, user, state, said)
	}
	if t, known := turns.BegunBy(claim); known {
		turns.JoinTurn(ctx)
		return t.Seq, nil
	}
	said.name = cmp.Or(said.name, claim.Nonce)
	seq, err := s.StartOnce(ctx, claim, id, user, said.name, func(state *session.State) (int64, error) {
		return s.begin(ctx, id, user, state, said)
	})
	if err == nil {
		s.NoteTurn(ctx, claim, turns.Begun{Seq: seq})
	}
	return seq, err
}
