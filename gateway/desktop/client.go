package desktop

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/google/uuid"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sockets"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// client is one WebSocket connection of a desktop program. One goroutine reads messages and calls
// handle. Each watched conversation has a goroutine that sends its events.
type client struct {
	ctx      context.Context
	server   *door
	socket   *sockets.Conn
	user     string
	store    artifacts.Store          // the user's artifacts
	settings session.Settings         // settings from the handshake
	manifest *sdkapi.WSManifestResult // nil if the client sent no tools
	watched  map[string]*watcher      // by conversation_ref; used by the reader only
	uses     int                      // counter for watcher.used; used by the reader only
	request  string                   // id of the current message; used by the reader only
	hears    bool                     // the user has turned speech on; used by the reader only
	mouth    mouth
	all      sync.WaitGroup // the goroutines that send
}

// newWSClient returns the client of a connection after its handshake h. rejected are the tools that
// the handshake refused; they are added to the manifest that the client gets. store must be the
// user's.
func newWSClient(ctx context.Context, s *door, socket *sockets.Conn, user string, store artifacts.Store, h *sdkapi.WSHandshake, rejected []sdkapi.WSRejectedTool) *client {
	c := &client{ctx: ctx, store: store, server: s, socket: socket, user: user, watched: map[string]*watcher{}}
	c.settings, c.manifest = s.DefinedSettings(h.AgentDefinition)
	if c.manifest != nil {
		c.manifest.Rejected = append(c.manifest.Rejected, rejected...)
	}
	c.settings.Unaware = h.AgentDefinition == nil || h.AgentDefinition.Approvals == ""
	c.settings.ClientAsks = c.settings.ClientAsks || c.settings.Unaware && s.clientsAsk
	return c
}

// answer sends a reply to the current message.
func (c *client) answer(kind string, payload any) { c.sendAlone(kind, payload, c.request) }

// tell sends a message without a conversation that replies to no message.
func (c *client) tell(kind string, payload any) { c.sendAlone(kind, payload, "") }

// sendAlone sends a message without a conversation and seq. It only logs a failure: if the
// connection is broken, the next Receive ends the client.
func (c *client) sendAlone(kind string, payload any, inReplyTo string) {
	m, err := socketMessage(kind, payload)
	m.InReplyTo = inReplyTo
	if err == nil {
		err = c.socket.Send(m)
	}
	if err != nil {
		c.log().Debug("cannot send a message to the client", slog.String("type", kind), slog.Any("err", err))
	}
}

// handlers maps each message type to its handler.
var handlers = map[string]func(c *client, payload json.RawMessage) error{
	sdkapi.WSQuery:            taking((*client).query),
	sdkapi.WSResume:           taking((*client).resume),
	sdkapi.WSCancel:           taking((*client).cancelTurn),
	sdkapi.WSToolResult:       taking((*client).toolResult),
	sdkapi.WSToolBundleResult: taking((*client).bundleResult),
	sdkapi.WSApprovalDecision: taking((*client).approve),
	sdkapi.WSRehydrate:        taking((*client).rehydrate),
	sdkapi.WSWakeword:         taking((*client).wakeword),
	sdkapi.WSLoadSettings:     taking((*client).loadSettings),
	sdkapi.WSUpdateSettings:   (*client).updateSettings,
	sdkapi.WSListModels:       taking((*client).listModels),
}

// taking returns a handler that decodes its payload before it calls handle.
func taking[T any](handle func(*client, T) error) func(*client, json.RawMessage) error {
	return func(c *client, raw json.RawMessage) error {
		var payload T
		if err := checkSaidOnce(raw, &payload, "payload"); err != nil {
			return err
		}
		if err := json.Unmarshal(raw, &payload); err != nil {
			what := misfit(err)
			if what == "" {
				what = "expected an object"
			}
			return fault.New("gateway.ws", sdkapi.MalformedBody, "the payload is invalid for this type of message: %s", what).Because(err)
		}
		return handle(c, payload)
	}
}

// checkSaidOnce returns an error if raw has a duplicate or wrongly cased field. at is the path of
// raw in the message, for the error.
func checkSaidOnce(raw []byte, v any, at string) error {
	if wrong := strictbody.Wrong(raw, v); wrong != nil {
		return fault.New("gateway.ws", sdkapi.ValidationError, "duplicate or wrongly cased field; details.fields lists it").
			At(at+wrong.Path, "%s", wrong.Expected)
	}
	return nil
}

// handle runs the handler of a message. It reports an error to the client in an error message;
// the connection and other work continue.
func (c *client) handle(raw []byte) {
	var m sdkapi.WSMessage
	err := c.dispatch(raw, &m)
	if err == nil {
		return
	}
	c.log().Debug("client message refused", slog.String("type", m.Type), slog.Any("err", err))
	told := c.server.Core.Failure(c.ctx, err).ErrorResponse.Error
	c.answer(sdkapi.WSError, sdkapi.WSErrorPayload{Message: told.Message, Code: told.Code, InReplyTo: m.ID, Details: told.Details})
}

// dispatch parses a message and runs its handler. It sets the type of m, and the id if that is a
// UUID, even if it returns an error. Each message counts against the quota, also an invalid one.
func (c *client) dispatch(raw []byte, m *sdkapi.WSMessage) error {
	const op = "gateway.ws"
	var in struct {
		ID        string          `json:"id"`
		Type      string          `json:"type"`
		Payload   json.RawMessage `json:"payload"`
		Timestamp json.RawMessage `json:"timestamp"` // ignored; any JSON value
	}
	malformed := strict(raw, &in) // the readable fields are set even if this fails
	m.Type = in.Type
	_, err := uuid.Parse(in.ID)
	if err == nil {
		m.ID = in.ID
	}
	c.request = m.ID
	if err := gateway.RequestOf(c.ctx).Quota.TakeMessages(1); err != nil { // invalid messages count too
		return err
	}
	switch {
	case malformed != nil:
		return fault.New(op, sdkapi.MalformedBody, "invalid message: %s", malformed)
	case err != nil:
		return fault.New(op, sdkapi.ValidationError, "the message's id must be a UUID")
	}
	if err := checkSaidOnce(raw, &in, "message"); err != nil {
		return err
	}
	handle, ok := handlers[in.Type]
	if !ok {
		return fault.New(op, sdkapi.ValidationError, "unknown message type %.64q; docs/protocols.md lists the types", in.Type)
	}
	if len(in.Payload) == 0 {
		in.Payload = json.RawMessage(`{}`)
	}
	return handle(c, in.Payload)
}

// log returns a logger that adds the user to each line.
func (c *client) log() *slog.Logger { return c.server.Core.Log.With(slog.String("user", c.user)) }
