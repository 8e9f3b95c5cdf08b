package doorstest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal/journaltest"
)

// TalkingWith runs a gateway that has only the given model, and returns its URL.
func TalkingWith(t *testing.T, model models.Model) string {
	t.Helper()
	return gatewaytest.Start(t, Conversing(t, gatewaytest.Store(t, false), model, journaltest.NewMemory()))
}

// Peer is a client that is connected to the gateway by a WebSocket.
type Peer struct {
	T    *testing.T
	Conn *websocket.Conn
	// Slow is for requests that take longer than Patience: if it is true, Next waits 6 times as long.
	Slow bool
}

// Dial opens a WebSocket and sends a handshake as the first message, for example Hello. The socket closes when the
// test ends.
func Dial(t *testing.T, url, handshake string) *Peer {
	t.Helper()
	return DialWith(t, url, handshake, nil)
}

// DialWith works like Dial, but sends HTTP headers too.
func DialWith(t *testing.T, url, handshake string, header http.Header) *Peer {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	p := &Peer{T: t, Conn: conn}
	p.Raw(handshake)
	return p
}

// Raw sends text as one message, without an envelope.
func (p *Peer) Raw(text string) {
	p.T.Helper()
	if err := p.Conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		p.T.Fatal(err)
	}
}

// Send sends a message with a new id. The parameter kind is its type, and payload is JSON.
func (p *Peer) Send(kind, payload string) {
	p.T.Helper()
	p.Raw(fmt.Sprintf(`{"id":%q,"type":%q,"payload":%s}`, uuid.NewString(), kind, payload))
}

// Next returns the next message. The test fails if no message arrives within Patience.
func (p *Peer) Next() sdkapi.WSMessage {
	p.T.Helper()
	wait := Patience
	if p.Slow {
		wait = 6 * Patience
	}
	_ = p.Conn.SetReadDeadline(time.Now().Add(wait))
	var m sdkapi.WSMessage
	if err := p.Conn.ReadJSON(&m); err != nil {
		p.T.Fatal(err)
	}
	return m
}

// Until reads messages until it finds a message of the given type. It returns all messages that it has read. An error
// message fails the test.
func (p *Peer) Until(kind string) []sdkapi.WSMessage {
	p.T.Helper()
	var list []sdkapi.WSMessage
	for {
		m := p.Next()
		list = append(list, m)
		if m.Type == kind {
			return list
		}
		if m.Type == sdkapi.WSError {
			p.T.Fatalf("waiting for %s: %s", kind, m.Payload)
		}
	}
}

// Hello is the handshake message of the user ada.
const Hello = `{"type":"handshake","user_id":"ada"}`
