package desktop

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// conversation returns the id of the session of one of this user's conversations. See conversationOf.
func (c *client) conversation(ref string) (string, error) {
	return conversationOf(c.user, ref, "payload")
}

// conversationOf returns the id of the session of a user's conversation. Clients choose the
// references, so two users may use the same one; the id differs.
func conversationOf(user, ref, at string) (string, error) {
	if ref == "" || len(ref) > sdkapi.MaxConversationRef || strings.ContainsRune(ref, 0) {
		return "", fault.New("gateway.ws", sdkapi.ValidationError, "conversation_ref must be text of 1 to %d bytes, without NUL bytes", sdkapi.MaxConversationRef).
			At(at+".conversation_ref", "expected 1 to %d bytes of text", sdkapi.MaxConversationRef)
	}
	return session.DesktopOf(user) + ref, nil
}

// query adds the user's message to a conversation. When query returns, the message is stored or
// refused. The events of the turn are sent as they happen.
func (c *client) query(p sdkapi.WSQueryPayload) error {
	id, err := c.conversation(p.ConversationRef)
	if err != nil {
		return err
	}
	message, err := c.server.message(c.ctx, c.store, p, "payload")
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
	state, err := c.ready(id, message.workspace)
	if err != nil {
		return err
	}
	if state.QueryID() == c.request && !c.watches(p.ConversationRef) { // a retry: the connection broke before the client learned that the query had arrived
		_, err = c.watch(p.ConversationRef, id, againOf(state), false)
		return err
	}
	past := unanswered(state)
	if busy == session.Interrupt { // the open turn and its requests are canceled
		past = pastOf(state, state.Seq)
	}
	w, err := c.watch(p.ConversationRef, id, past, false)
	if err != nil {
		return err
	}
	spoken := &talk{ref: p.ConversationRef, query: c.request, heard: c.hears}
	c.mouth.await(spoken)
	err = w.start(func() (session.Started, error) {
		if busy == session.Reject {
			return c.server.Sessions.StartAs(c.ctx, id, c.user, c.request, state.Began, message.parts)
		}
		return c.server.Sessions.StartQuery(c.ctx, id, c.user, c.request, message.parts, busy)
	})
	if fault.CodeOf(err) == sdkapi.TurnRunning {
		// The same message may have arrived meanwhile on a connection that broke.
		if state, readErr := c.server.Sessions.State(c.ctx, id, c.user); readErr == nil && state.Ref == c.request {
			return nil
		}
	}
	if err != nil {
		c.mouth.forget(spoken)
	}
	return err
}

// wanted returns the settings of a user's sessions: those of the handshake, with the user's
// choices applied.
func wanted(handshake session.Settings, chosen sdkapi.WSSettings) session.Settings {
	settings := handshake
	settings.Model = chosen.SelectedModelID
	if chosen.InteractionMode == "chat" {
		settings.Only = []string{turns.NoTools}
	}
	if !chosen.BrowserAutomationEnabled {
		settings.Disabled = slices.Concat(settings.Disabled, turns.DisabledBy["browser"])
	}
	return settings
}

// ready creates the session or gives it this client's settings. It returns the previous state.
func (c *client) ready(id string, in workspace) (*session.State, error) {
	chosen, err := c.server.chosenSettings(c.ctx, c.user)
	if err != nil {
		return nil, err
	}
	chosen.SelectedModelID = cmp.Or(chosen.SelectedModelID, c.server.models.Default())
	c.hears = chosen.SpeechModeEnabled
	settings := wanted(c.settings, chosen)
	return c.server.Prepare(c.ctx, id, c.user, func(before session.Settings) session.Settings { return in.into(settings, before) })
}

// resumeMessage requests the events of a conversation after the event with the number Seq.
type resumeMessage struct {
	ConversationRef string `json:"conversation_ref"`
	Seq             int64  `json:"seq"`
}

// resume sends the events of a conversation after the seq in the payload, and all later ones. A
// running watcher of the conversation is replaced.
func (c *client) resume(p resumeMessage) error {
	id, err := c.conversation(p.ConversationRef)
	if err != nil {
		return err
	}
	state, err := c.server.Sessions.State(c.ctx, id, c.user)
	if err != nil {
		return err
	}
	if p.Seq < 0 || p.Seq > state.Seq {
		return fault.New("gateway.ws", sdkapi.ValidationError, "the conversation has no message with the seq %d; the last seq is %d; send 0 to start from the beginning", p.Seq, state.Seq).
			At("payload.seq", "expected 0 to %d", state.Seq)
	}
	_, err = c.watch(p.ConversationRef, id, pastOf(state, p.Seq), true)
	return err
}

// cancelTurn cancels the open turn or, if the payload names a query, that query.
func (c *client) cancelTurn(p sdkapi.WSCancelPayload) error {
	id, err := c.conversation(p.ConversationRef)
	if err != nil {
		return err
	}
	if p.QueryID == "" {
		c.mouth.hush(p.ConversationRef)
	}
	state, err := c.server.Sessions.State(c.ctx, id, c.user)
	if err != nil || state.Turn == nil && p.QueryID == "" {
		return err
	}
	if err := c.attach(p.ConversationRef, id, pastOf(state, state.Seq)); err != nil {
		return err
	}
	if p.QueryID != "" {
		return c.cancelQuery(p, id)
	}
	return c.server.Sessions.Cancel(c.ctx, id, c.user, state.Turn.ID)
}

// cancelQuery cancels the turn of one query. If the query is still queued, it is dropped. An
// error message with the query's id then reports that, because no turn will.
func (c *client) cancelQuery(p sdkapi.WSCancelPayload, id string) error {
	turn, waited, err := c.server.Sessions.CancelQuery(c.ctx, id, c.user, p.QueryID)
	switch {
	case err != nil || turn == "":
		return err
	case !waited:
		c.mouth.hush(p.ConversationRef)
		return nil
	}
	if w := c.watched[p.ConversationRef]; w != nil {
		w.note(session.TurnEnded{Turn: turn})
	}
	dropped := sdkapi.WSErrorPayload{Message: "You canceled this before it began.", Reason: string(session.EndCanceled), ConversationRef: p.ConversationRef, InReplyTo: p.QueryID}
	c.sendAlone(sdkapi.WSError, dropped, p.QueryID)
	return nil
}

// greeting is the text to speak when the client hears its wakeword.
const greeting = "Hello! I'm listening."

// wakeword reports to the client that the gateway listens, and speaks the greeting if the user has
// turned speech on.
func (c *client) wakeword(struct{}) error {
	chosen, err := c.server.chosenSettings(c.ctx, c.user)
	if err != nil {
		return err
	}
	c.answer(sdkapi.WSWakewordActivated, sdkapi.WSWakewordPayload{SpeechModeEnabled: chosen.SpeechModeEnabled, Greeting: greeting, Status: "listening"})
	c.answer(sdkapi.WSWakewordGreeting, map[string]string{"text": greeting})
	c.hears = chosen.SpeechModeEnabled
	c.greet(greeting)
	return nil
}
