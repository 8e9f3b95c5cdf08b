package desktop

import (
	"context"
	"log/slog"
	"sync"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/sdkapi"
)

// mouth is what speaks to a client: one text at a time, the newest. Its zero value is silent.
type mouth struct {
	mu  sync.Mutex
	now *talk // nil in silence
}

// talk is a text that is spoken.
type talk struct {
	ref    string // of the conversation; empty for a greeting
	query  string // whose turn it is
	turn   string // once it has begun
	talker *speech.Talker
	end    context.CancelFunc
}

// hush ends what is spoken. No chunk is sent after it returns.
func (m *mouth) hush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil {
		m.now.end()
		m.now = nil
	}
}

// speak has the client hear a text from now on, and nothing else. It returns nil, and all is silent, where the gateway has
// no voice, or the user has speech off.
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
			c.log().Warn("an answer cannot be spoken", slog.Any("err", err))
			c.tell(sdkapi.WSWarning, sdkapi.WSWarningPayload{Message: "The answer cannot be spoken; whoever runs the gateway finds the reason in its log."})
		}
	})
	return t
}

// sendSound sends a chunk of a talk, unless another has begun. It waits where the client takes no more.
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

// say speaks what an event of a conversation adds to the answer, if that conversation is spoken.
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
