package gateway

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

var conversationRef = regexp.MustCompile(`^[!-~]{1,128}$`)

// conversation returns the id of the session that a user's conversation is.
// Users choose the references, so two users' may be the same.
func (c *wsClient) conversation(ref string) (string, error) {
	if !conversationRef.MatchString(ref) {
		return "", fault.New("gateway.ws", sdkapi.ValidationError, "conversation_ref must have 1 to %d printable characters without spaces", sdkapi.MaxConversationRef)
	}
	of := sha256.Sum256([]byte(c.user))
	return "ws/" + hex.EncodeToString(of[:8]) + "/" + ref, nil
}

// query gives a conversation the user's message. It is on disk, or refused,
// when query returns; what comes of it is sent as it happens.
func (c *wsClient) query(p sdkapi.WSQueryPayload) error {
	id, err := c.conversation(p.ConversationRef)
	if err != nil {
		return err
	}
	parts, err := c.queryParts(p)
	if err != nil {
		return err
	}
	busy := session.Busy(p.OnBusy)
	switch busy {
	case "":
		busy = session.Reject
	case session.Reject, session.Queue, session.Interrupt:
	default:
		return fault.New("gateway.ws", sdkapi.ValidationError, "on_busy must be %s, %s or %s", session.Reject, session.Queue, session.Interrupt)
	}
	if err := c.admitTask(); err != nil {
		return err
	}
	seq, err := c.ready(id)
	if err != nil {
		return err
	}
	w, err := c.watch(p.ConversationRef, id, seq, "", false)
	if err != nil {
		return err
	}
	return w.start(func() (session.Started, error) {
		return c.server.cfg.Sessions.Start(c.ctx, id, c.user, parts, busy)
	})
}

// wanted are the settings of a client's sessions: as its handshake says, and as
// its user chose.
func (c *wsClient) wanted() (session.Settings, error) {
	chosen, err := c.server.loadSettings(c.ctx, c.user)
	settings := c.settings
	settings.Model = chosen.SelectedModelID
	if chosen.InteractionMode == "chat" {
		settings.Only = []string{noTools}
	}
	return settings, err
}

// noTools is the name of a tool that there never is: they have no "!".
const noTools = "!"

// ready makes the session, or gives it this client's settings, and returns the
// number of its last event.
func (c *wsClient) ready(id string) (int64, error) {
	all := c.server.cfg.Sessions
	wanted, err := c.wanted()
	if err != nil {
		return 0, err
	}
	state, err := all.State(c.ctx, id, c.user)
	if fault.CodeOf(err) == sdkapi.SessionNotFound {
		return 0, all.Create(c.ctx, id, c.user, wanted)
	}
	if err != nil {
		return 0, err
	}
	if state.Turn == nil && !sameSettings(state.Settings, wanted) {
		err = all.Configure(c.ctx, id, c.user, wanted)
	}
	return state.Seq, err
}

// sameSettings compares settings as they are kept, in which what is empty is
// not there.
func sameSettings(a, b session.Settings) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

var memoryPattern = regexp.MustCompile(`(?s)<(episodic_memory|semantic_memory)>\s*(.*?)\s*</(?:episodic_memory|semantic_memory)>`)

// queryParts makes a message of a query. What a client remembers was not all
// said by the user.
func (c *wsClient) queryParts(p sdkapi.WSQueryPayload) ([]session.Part, error) {
	content := p.Content
	if content == "" {
		content = "<user_query>\n" + p.Text + "\n</user_query>"
	}
	if strings.TrimSpace(p.Text+p.Content) == "" {
		return nil, fault.New("gateway.ws", sdkapi.ValidationError, "a query needs text")
	}
	var parts []session.Part
	refs := p.ScreenshotRefs
	if p.ScreenshotRef != "" && len(refs) == 0 {
		refs = []string{p.ScreenshotRef}
	}
	for _, ref := range refs {
		if _, err := c.store.Stat(c.ctx, ref); err != nil {
			return nil, err
		}
		parts = append(parts, session.Part{Artifact: ref})
	}
	from := 0
	for _, at := range memoryPattern.FindAllStringSubmatchIndex(content, -1) {
		if remembered := content[at[4]:at[5]]; remembered != "None" && remembered != "" {
			parts = append(parts, session.Part{Text: content[from:at[4]]}, session.Part{Text: remembered, Untrusted: true})
			from = at[5]
		}
	}
	return append(parts, session.Part{Text: content[from:]}), nil
}

// wsResume asks for what happened in a conversation after a seq.
type wsResume struct {
	ConversationRef string `json:"conversation_ref"`
	Seq             int64  `json:"seq"`
}

func (c *wsClient) resume(p wsResume) error {
	id, err := c.conversation(p.ConversationRef)
	if err != nil {
		return err
	}
	state, err := c.server.cfg.Sessions.State(c.ctx, id, c.user)
	if err != nil {
		return err
	}
	open := ""
	if state.Turn != nil {
		open = state.Turn.ID
	}
	_, err = c.watch(p.ConversationRef, id, p.Seq, open, true)
	return err
}

// wsCancel asks for the end of a conversation's open turn.
type wsCancel struct {
	ConversationRef string `json:"conversation_ref"`
}

func (c *wsClient) cancelTurn(p wsCancel) error {
	id, err := c.conversation(p.ConversationRef)
	if err != nil {
		return err
	}
	state, err := c.server.cfg.Sessions.State(c.ctx, id, c.user)
	if err != nil || state.Turn == nil {
		return err
	}
	return c.server.cfg.Sessions.Cancel(c.ctx, id, c.user, state.Turn.ID)
}

// wsRehydrate is a conversation's history as the client kept it.
type wsRehydrate struct {
	ConversationRef string `json:"conversation_ref"`
	Mode            string `json:"rehydrate_mode"`
	Messages        []struct {
		Role          string `json:"role"`
		Content       string `json:"content"`
		ToolName      string `json:"tool_name"`
		ScreenshotRef string `json:"screenshot_ref"`
	} `json:"messages"`
}

// maxRehydrated bounds a history that a client sends.
const maxRehydrated = 2000

// rehydrate puts the client's history in place of the gateway's.
func (c *wsClient) rehydrate(p wsRehydrate) error {
	id, err := c.conversation(p.ConversationRef)
	if err != nil {
		return err
	}
	if len(p.Messages) > maxRehydrated || p.Mode != "" && p.Mode != "replace" {
		return fault.New("gateway.ws", sdkapi.ValidationError, "a history has at most %d messages, and its rehydrate_mode is replace", maxRehydrated)
	}
	var messages []session.Message
	for _, m := range p.Messages {
		var parts []session.Part
		if m.ScreenshotRef != "" {
			if _, err := c.store.Stat(c.ctx, m.ScreenshotRef); err != nil {
				c.log().Warn("a screenshot of a history is not there", slog.String("artifact", m.ScreenshotRef), slog.Any("err", err))
			} else {
				parts = append(parts, session.Part{Artifact: m.ScreenshotRef})
			}
		}
		role := models.Role(m.Role)
		switch role {
		case models.User, models.Assistant:
			parts = append(parts, session.Part{Text: m.Content})
		case models.ToolRole: // its call is not told, and a result without one is refused by models
			role = models.User
			parts = append(parts, session.Part{Text: "The tool " + m.ToolName + " gave:"}, session.Part{Text: m.Content, Untrusted: true})
		default:
			return fault.New("gateway.ws", sdkapi.ValidationError, "a message's role must be user, assistant or tool")
		}
		messages = append(messages, session.Message{Role: role, Parts: parts})
	}
	if _, err := c.ready(id); err != nil {
		return err
	}
	return c.server.cfg.Sessions.Replace(c.ctx, id, c.user, messages)
}

// greeting is what a client says when it hears its wakeword.
const greeting = "Hello! I'm listening."

func (c *wsClient) wakeword(struct{}) error {
	c.tell(sdkapi.WSWakewordActivated, map[string]any{"speech_mode_enabled": false, "greeting": greeting, "status": "listening"})
	c.tell(sdkapi.WSWakewordGreeting, map[string]string{"text": greeting})
	return nil
}
