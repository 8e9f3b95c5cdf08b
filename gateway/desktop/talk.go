package desktop

import (
	"context"
	"log/slog"
	"sync"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/sdkapi"
)

// mouth speaks to a client. It speaks one text at a time, the newest. The zero value is silent.
type mouth struct {
	mu  sync.Mutex
	now *talk // nil while silent
}

// talk is one spoken text.
type talk struct {
	ref    string // the conversation's reference; empty for a greeting
	query  string // id of the query that began the turn
	turn   string // the turn's id; empty until it begins
	talker *speech.Talker
	end    context.CancelFunc
}

// hush ends the current talk. After it returns, no more chunks of it are sent.
func (m *mouth) hush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil {
		m.now.end()
		m.now = nil
	}
}

// speak ends the current talk and starts t. If the gateway has no voice or the user has turned
// speech off, it returns nil and the client hears nothing.
func (c *client) speak(t *talk) *talk {
	c.mouth.hush()
	voice := c.server.voice
	if voice == nil || !c.hears {
		return nil
	}
	ctx, cancel := context.WithCancel(c.ctx)
	t.end = cancel
	t.talker = speech.Talk(ctx, voice, func(chunk []byte) bool { return c.sendSound(t, chunk) })
	c.mouth.mu.Lock()
	c.mouth.now = t
	c.mouth.mu.Unlock()
	c.all.Go(func() {
		defer cancel()
		err := t.talker.Wait()
		if ctx.Err() == nil && err != nil {
			c.log().Warn("the answer cannot be converted to speech", slog.Any("err", err))
			c.tell(sdkapi.WSWarning, sdkapi.WSWarningPayload{Message: "The answer cannot be spoken; the gateway's log has the reason."})
		}
	})
	return t
}

// sendSound sends a chunk of a talk, unless another talk has begun. It waits while the client's
// send queue is full.
func (c *client) sendSound(t *talk, chunk []byte) bool {
	if !c.socket.WaitForRoom() {
		return false
	}
	c.mouth.mu.Lock()
	defer c.mouth.mu.Unlock()
	if c.mouth.now != t {
		return false
	}
	m, err := socketMessage(sdkapi.WSAudioChunk, sdkapi.WSAudioPayload{Audio: chunk, SampleRate: speech.Rate})
	m.ConversationRef, m.TurnRef, m.QueryRef = t.ref, t.turn, t.query
	return err == nil && c.socket.Send(m) == nil
}

// say speaks the text that an event adds to the answer, if the current talk is of that
// conversation.
func (c *client) say(ref string, event session.Event) {
	c.mouth.mu.Lock()
	defer c.mouth.mu.Unlock()
	t := c.mouth.now
	if t == nil || t.ref != ref || ref == "" {
		return
	}
	switch e := event.(type) {
	case session.TurnStarted:
		if e.QueryID() == t.query {
			t.turn = e.Turn
		}
	case session.ModelText:
		if e.Turn == t.turn {
			t.talker.Add(e.Text)
		}
	case session.ModelAsked:
		if e.Turn == t.turn && e.Again {
			t.talker.Break()
		}
	case session.Repaired:
		if e.Turn == t.turn {
			t.talker.Break()
		}
	case session.ModelAnswered:
		if e.Turn == t.turn {
			t.talker.Flush()
		}
	case session.TurnEnded:
		if e.Turn == t.turn {
			t.talker.End()
		}
	}
}
