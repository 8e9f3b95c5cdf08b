package toolhost

import (
	"cmp"
	"fmt"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// say starts a turn with a user's message. A repeated message with the same messageId starts
// nothing.
func (c *client) say(m sdkapi.AgentClientMessage) error {
	if m.Content == "" {
		return fault.New(op, sdkapi.ValidationError, "the message is empty: it must contain text").At("content", "expected text")
	}
	again := c.replayed != "" && m.MessageID == "" && m.Content == c.replayed
	c.replayed = ""
	if again { // the client sent it before its connection broke, and gets that turn again
		return nil
	}
	busy := session.Busy(cmp.Or(m.OnBusy, string(session.Reject)))
	if busy != session.Reject && busy != session.Queue && busy != session.Interrupt {
		return fault.New(op, sdkapi.ValidationError, "onBusy must be reject, queue or interrupt").At("onBusy", "expected reject, queue or interrupt")
	}
	state, err := c.prepare()
	// The same message again; its images are already stored.
	if err != nil || m.MessageID != "" && state.Ref == m.MessageID {
		return err
	}
	parts := []session.Part{{Text: m.Content}}
	images, err := c.images(m.Images)
	if err != nil {
		return err
	}
	parts = append(parts, images...)
	switch {
	case m.MessageID != "":
		_, err = c.Sessions.StartOnce(c.ctx, c.id, c.user, m.MessageID, parts, busy)
	case busy != session.Reject:
		_, err = c.Sessions.Start(c.ctx, c.id, c.user, parts, busy)
	default:
		_, err = c.Sessions.StartAs(c.ctx, c.id, c.user, "", state.Began, parts)
	}
	return err
}

// images stores the images of a message and returns them as parts.
func (c *client) images(list []sdkapi.ImageSource) (parts []session.Part, err error) {
	for i, in := range list {
		picture, err := c.Core.Picture(c.ctx, in, fmt.Sprintf("images[%d]", i))
		if err == nil {
			err = picture.Keep(c.ctx)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, session.Part{Artifact: picture.ID})
	}
	return parts, nil
}

// saidIn returns the event that began the session's last turn. It has the user's message.
func (c *client) saidIn(state *session.State) (said session.TurnStarted, err error) {
	events, err := c.Sessions.Read(c.ctx, c.id, state.Began-1)
	if err != nil || len(events) == 0 {
		return said, err
	}
	said, _, err = session.As[session.TurnStarted](events[0])
	return said, err
}

// textOf returns the text of the user's message.
func textOf(said session.TurnStarted) string { return turns.TextOf(said.Parts) }
