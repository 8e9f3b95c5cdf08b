//go:build !race

package desktop_test

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

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A connection waits for fifty answers at once. Those it has got do not count.
func TestWSTasks(t *testing.T) {
	t.Parallel()
	model := make(hesitant)
	p := doorstest.Dial(t, doorstest.TalkingWith(t, model), doorstest.Hello)
	ask := func(ref int, more string) {
		p.Send("query", fmt.Sprintf(`{"text":"Well?","conversation_ref":"c%d"%s}`, ref, more))
	}
	refused := func() {
		for {
			switch m := p.Next(); m.Type {
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
	p.Until(sdkapi.WSStreamingComplete)
	ask(50, "")
	ask(51, "")
	refused()
	close(model)
	for range sdkapi.MaxWSTasks {
		p.Until(sdkapi.WSStreamingComplete)
	}
	for n := range 2 * sdkapi.MaxWSTasks { // each another, and all but fifty given up
		ask(100+n, "")
		p.Until(sdkapi.WSStreamingComplete)
	}
	ask(0, "") // one that was given up
	p.Until(sdkapi.WSStreamingComplete)
}

// A client that stops reading is closed after a while. It comes back, to another
// gateway, which is as patient as ever, and gets what is missing.
func TestWSStalledReader(t *testing.T) {
	t.Parallel()
	const conversations, words = 16, 100_000 // 0.9 MB each, more than the system keeps for a connection
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), commander.Model{}, journaltest.NewMemory())
	patient := gatewaytest.Start(t, cfg)
	cfg.Times.Write = 100 * time.Millisecond // which counts once the system's buffers are full
	p := doorstest.Dial(t, gatewaytest.Start(t, cfg), doorstest.Hello)
	if err := p.Conn.NetConn().(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	last, seen := map[string]int64{}, map[string]string{}
	closed := false
	for n := 0; n < conversations && !closed; n++ { // a slow gateway may have had enough before the last one
		closed = p.Conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%q,"type":"query","payload":{"text":%q,"conversation_ref":"c%d"}}`,
			uuid.NewString(), strings.Repeat("whatever ", words), n)) != nil
		if n == 0 {
			m := p.Next()
			last[m.ConversationRef], seen[m.ConversationRef] = m.Seq, fmt.Sprintln(m.Seq, m.Type)
		}
	}
	testkit.EventuallyWithin(t, 6*doorstest.Patience, "the connection of a client that does not read is closed", func() (any, bool) {
		if closed {
			return nil, true
		}
		err := p.Conn.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second))
		return err, err != nil
	})
	again := doorstest.Dial(t, patient, doorstest.Hello)
	for n := range conversations {
		ref := fmt.Sprint("c", n)
		if got, all := again.Replay(ref, last[ref]), again.Replay(ref, 0); got != "" && all != seen[ref]+got {
			t.Errorf("%s: got %safter %s, of %s", ref, got, seen[ref], all)
		}
	}
	if again.Replay("c0", last["c0"]) == "" {
		t.Error("nothing came of the first conversation")
	}
}

// A message may have 10 MB, and not more.
func TestWSMessageSize(t *testing.T) {
	t.Parallel()
	p := doorstest.Dial(t, talking(t), doorstest.Hello)
	p.Raw("{" + strings.Repeat(" ", sdkapi.MaxWSMessage-1))
	if m := p.Next(); m.Type != sdkapi.WSError || !strings.Contains(string(m.Payload), string(sdkapi.MalformedBody)) {
		t.Errorf("%s %s", m.Type, m.Payload)
	}
	_ = p.Conn.WriteMessage(websocket.TextMessage, make([]byte, sdkapi.MaxWSMessage+1)) // it need not be read to its end
	_ = p.Conn.SetReadDeadline(time.Now().Add(doorstest.Patience))
	if _, _, err := p.Conn.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("one byte more: %v", err)
	}
}
