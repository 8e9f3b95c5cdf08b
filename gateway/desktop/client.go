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

// client is a program at the other end of a WebSocket. Its reader calls handle;
// each conversation that it watches has a goroutine that sends the events there.
type client struct {
	ctx      context.Context
	server   *door
	socket   *sockets.Conn
	user     string
	store    artifacts.Store          // as the user may see it
	settings session.Settings         // by the handshake
	manifest *sdkapi.WSManifestResult // nil where the client brought none
	watched  map[string]*watcher      // by conversation_ref; for the reader alone
	uses     int                      // of watched; likewise
	request  string                   // the id of the message at hand; likewise
	hears    bool                     // the user has speech on; likewise
	mouth    mouth
	all      sync.WaitGroup // of the goroutines that send
}

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

// answer sends a message that answers the one at hand.
func (c *client) answer(kind string, payload any) { c.sendAlone(kind, payload, c.request) }

// tell sends a message that belongs to no conversation.
func (c *client) tell(kind string, payload any) { c.sendAlone(kind, payload, "") }

func (c *client) sendAlone(kind string, payload any, inReplyTo string) {
	m, err := socketMessage(kind, payload)
	m.InReplyTo = inReplyTo
	if err == nil {
		err = c.socket.Send(m)
	}
	if err != nil {
		c.log().Debug("a message is not sent", slog.String("type", kind), slog.Any("err", err))
	}
}

// handlers are what is done for each type of message.
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
				what = "it is no object"
			}
			return fault.New("gateway.ws", sdkapi.MalformedBody, "the payload does not fit the message's type: %s", what).Because(err)
		}
		return handle(c, payload)
	}
}

// checkSaidOnce refuses a part of a message, at a path, that has a field twice or
// in another case.
func checkSaidOnce(raw []byte, v any, at string) error {
	if wrong := strictbody.Wrong(raw, v); wrong != nil {
		return fault.New("gateway.ws", sdkapi.ValidationError, "a field is there twice, or in another case than it has; details.fields says which").
			At(at+wrong.Path, "%s", wrong.Expected)
	}
	return nil
}

// handle does what a message asks for, and answers an error with an error message:
// neither the connection nor other work ends.
func (c *client) handle(raw []byte) {
	var m sdkapi.WSMessage
	err := c.dispatch(raw, &m)
	if err == nil {
		return
	}
	c.log().Debug("a message is refused", slog.String("type", m.Type), slog.Any("err", err))
	told := c.server.Core.Failure(c.ctx, err).ErrorResponse.Error
	c.answer(sdkapi.WSError, sdkapi.WSErrorPayload{Message: told.Message, Code: told.Code, InReplyTo: m.ID, Details: told.Details})
}

func (c *client) dispatch(raw []byte, m *sdkapi.WSMessage) error {
	const op = "gateway.ws"
	var in struct {
		ID        string          `json:"id"`
		Type      string          `json:"type"`
		Payload   json.RawMessage `json:"payload"`
		Timestamp json.RawMessage `json:"timestamp"` // ignored, whatever it is
	}
	malformed := strict(raw, &in) // what it can read of the message, it does
	m.Type = in.Type
	_, err := uuid.Parse(in.ID)
	if err == nil {
		m.ID = in.ID
	}
	c.request = m.ID
	if err := gateway.RequestOf(c.ctx).Quota.TakeMessages(1); err != nil { // however it was meant
		return err
	}
	switch {
	case malformed != nil:
		return fault.New(op, sdkapi.MalformedBody, "invalid message: %s", malformed)
	case err != nil:
		return fault.New(op, sdkapi.ValidationError, "the message's id is no UUID")
	}
	if err := checkSaidOnce(raw, &in, "message"); err != nil {
		return err
	}
	handle, ok := handlers[in.Type]
	if !ok {
		return fault.New(op, sdkapi.ValidationError, "there is no message type %.64q", in.Type)
	}
	if len(in.Payload) == 0 {
		in.Payload = json.RawMessage(`{}`)
	}
	return handle(c, in.Payload)
}

// log names the user in each line.
func (c *client) log() *slog.Logger { return c.server.Core.Log.With(slog.String("user", c.user)) }
