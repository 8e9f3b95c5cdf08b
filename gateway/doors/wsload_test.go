//go:build !race

package doors_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/journal/journaltest"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/sdkapi"
)

// A connection waits for fifty answers at once. Those it has got do not count.
func TestWSTasks(t *testing.T) {
	t.Parallel()
	model := make(hesitant)
	p := dial(t, talkingWith(t, model), hello)
	ask := func(ref int, more string) {
		p.send("query", fmt.Sprintf(`{"text":"Well?","conversation_ref":"c%d"%s}`, ref, more))
	}
	refused := func() {
		for {
			switch m := p.next(); m.Type {
			case sdkapi.WSError:
				if !strings.Contains(string(m.Payload), string(sdkapi.Overloaded)) {
					t.Fatalf("%s", m.Payload)
				}
				return
			case sdkapi.WSStreamingComplete:
				t.Fatal("an answer, and no refusal")
			}
		}
	}
	for n := range sdkapi.MaxWSTasks - 1 {
		ask(n, "")
	}
	ask(0, `,"on_busy":"queue"`) // one that waits is one too
	ask(50, "")
	refused()
	ask(1, `,"on_busy":"queue"`)
	refused()
	model <- struct{}{}
	p.until(sdkapi.WSStreamingComplete)
	ask(50, "")
	ask(51, "")
	refused()
	close(model)
	for range sdkapi.MaxWSTasks {
		p.until(sdkapi.WSStreamingComplete)
	}
	for n := range 2 * sdkapi.MaxWSTasks { // each another, and all but fifty given up
		ask(100+n, "")
		p.until(sdkapi.WSStreamingComplete)
	}
	ask(0, "") // one that was given up
	p.until(sdkapi.WSStreamingComplete)
}

// A client that stops reading is closed after a while. It comes back, to another
// gateway, which is as patient as ever, and gets what is missing.
func TestWSStalledReader(t *testing.T) {
	t.Parallel()
	const conversations, words = 16, 100_000 // 0.9 MB each, more than the system keeps for a connection
	cfg := conversing(t, gatewaytest.Store(t, false), commander.Model{}, journaltest.NewMemory())
	patient := gatewaytest.Start(t, cfg)
	cfg.Times.Write = 100 * time.Millisecond // which counts once the system's buffers are full
	p := dial(t, gatewaytest.Start(t, cfg), hello)
	if err := p.conn.NetConn().(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	last, seen := map[string]int64{}, map[string]string{}
	closed := false
	for n := 0; n < conversations && !closed; n++ { // a slow gateway may have had enough before the last one
		closed = p.conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%q,"type":"query","payload":{"text":%q,"conversation_ref":"c%d"}}`,
			uuid.NewString(), strings.Repeat("whatever ", words), n)) != nil
		if n == 0 {
			m := p.next()
			last[m.ConversationRef], seen[m.ConversationRef] = m.Seq, fmt.Sprintln(m.Seq, m.Type)
		}
	}
	testkit.EventuallyWithin(t, 6*patience, "the connection of a client that does not read is closed", func() (any, bool) {
		if closed {
			return nil, true
		}
		err := p.conn.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second))
		return err, err != nil
	})
	again := dial(t, patient, hello)
	for n := range conversations {
		ref := fmt.Sprint("c", n)
		if got, all := again.replay(ref, last[ref]), again.replay(ref, 0); got != "" && all != seen[ref]+got {
			t.Errorf("%s: got %safter %s, of %s", ref, got, seen[ref], all)
		}
	}
	if again.replay("c0", last["c0"]) == "" {
		t.Error("nothing came of the first conversation")
	}
}

// replay returns what messages there are of a conversation after a seq, none
// where there is no such conversation.
func (p *peer) replay(ref string, seq int64) (messages string) {
	p.t.Helper()
	p.send("resume", fmt.Sprintf(`{"conversation_ref":%q,"seq":%d}`, ref, seq))
	for {
		m := p.next()
		switch {
		case m.Type == sdkapi.WSError && strings.Contains(string(m.Payload), string(sdkapi.SessionNotFound)):
			return "" // it came after the gateway had had enough
		case m.ConversationRef == ref:
			messages += fmt.Sprintln(m.Seq, m.Type)
		}
		if m.ConversationRef == ref && m.Type == sdkapi.WSStreamingComplete {
			return messages
		}
	}
}

// A message may have 10 MB, and not more.
func TestWSMessageSize(t *testing.T) {
	t.Parallel()
	p := dial(t, talking(t), hello)
	p.raw("{" + strings.Repeat(" ", sdkapi.MaxWSMessage-1))
	if m := p.next(); m.Type != sdkapi.WSError || !strings.Contains(string(m.Payload), string(sdkapi.MalformedBody)) {
		t.Errorf("%s %s", m.Type, m.Payload)
	}
	_ = p.conn.WriteMessage(websocket.TextMessage, make([]byte, sdkapi.MaxWSMessage+1)) // it need not be read to its end
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	if _, _, err := p.conn.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("one byte more: %v", err)
	}
}
