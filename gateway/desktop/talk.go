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
	mu   sync.Mutex
	now  *talk // nil while silent
	next *talk // replaces now when its query's turn begins; nil if no query waits
}

// talk is one spoken text.
type talk struct {
	ref    string // the conversation's reference; empty for a greeting
	query  string // id of the query that began the turn
	heard  bool   // the user has speech on
	turn   string // the turn's id; empty until it begins
	talker *speech.Talker
	end    context.CancelFunc
}

// hush ends the current talk, if it is a greeting or of the conversation ref. After it returns, no
// more chunks of it are sent.
func (m *mouth) hush(ref string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil && (m.now.ref == "" || m.now.ref == ref) {
		m.stop()
	}
}

// stop ends the current talk. The caller holds m.mu.
func (m *mouth) stop() {
	if m.now != nil {
		m.now.end()
		m.now = nil
	}
}

// await makes t the talk of a query that waits for its turn. An answer that is being spoken continues
// until then, because the query may be refused or queued. A greeting ends.
func (m *mouth) await(t *talk) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil && m.now.ref == "" {
		m.stop()
	}
	m.next = t
}

// forget drops t if it still waits for its turn.
func (m *mouth) forget(t *talk) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next == t {
		m.next = nil
	}
}

// speak ends the current talk and starts t. If the gateway has no voice or the user has turned
// speech off, the client hears nothing and speak returns false. The caller holds c.mouth.mu.
func (c *client) speak(t *talk) bool {
	c.mouth.stop()
	voice := c.server.voice
	if voice == nil || !t.heard {
		return false
	}
	ctx, cancel := context.WithCancel(c.ctx)
	t.end = cancel
	t.talker = speech.Talk(ctx, voice, func(chunk []byte) bool { return c.sendSound(t, chunk) })
	c.mouth.now = t
	c.all.Go(func() {
		defer cancel()
		err := t.talker.Wait()
		if ctx.Err() == nil && err != nil {
			c.log().Warn("the answer cannot be converted to speech", slog.Any("err", err))
			c.tell(sdkapi.WSWarning, sdkapi.WSWarningPayload{Message: "The answer cannot be spoken; the gateway's log has the reason."})
		}
	})
	return true
}

// greet speaks a greeting.
func (c *client) greet(text string) {
	c.mouth.mu.Lock()
	defer c.mouth.mu.Unlock()
	if t := (&talk{heard: c.hears}); c.speak(t) {
		t.talker.Add(text)
		t.talker.End()
	}
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
	if began, is := event.(session.TurnStarted); is {
		if next := c.mouth.next; next != nil && next.ref == ref && next.query == began.QueryID() {
			c.mouth.next = nil
			c.speak(next)
		}
	}
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
