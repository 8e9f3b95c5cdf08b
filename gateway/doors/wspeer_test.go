package doors_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/journal/journaltest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/sdkapi"
)

// talking runs a gateway whose model is the commander, and returns its URL.
func talking(t *testing.T) string {
	t.Helper()
	return talkingWith(t, commander.Model{})
}

// talkingWith runs a gateway that has one model, and returns its URL.
func talkingWith(t *testing.T, model models.Model) string {
	t.Helper()
	return gatewaytest.Start(t, conversing(t, gatewaytest.Store(t, false), model, journaltest.NewMemory()))
}

// peer is a client at a WebSocket.
type peer struct {
	t    *testing.T
	conn *websocket.Conn
	slow bool // what it asks for takes longer than other tests wait
}

func dial(t *testing.T, url, handshake string) *peer {
	t.Helper()
	return dialWith(t, url, handshake, nil)
}

// dialWith is dial for a client that sends headers.
func dialWith(t *testing.T, url, handshake string, header http.Header) *peer {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	p := &peer{t: t, conn: conn}
	p.raw(handshake)
	return p
}

func (p *peer) raw(text string) {
	p.t.Helper()
	if err := p.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) send(kind, payload string) {
	p.t.Helper()
	p.raw(fmt.Sprintf(`{"id":%q,"type":%q,"payload":%s}`, uuid.NewString(), kind, payload))
}

// next returns the next message.
func (p *peer) next() sdkapi.WSMessage {
	p.t.Helper()
	wait := patience
	if p.slow {
		wait = 6 * patience
	}
	_ = p.conn.SetReadDeadline(time.Now().Add(wait))
	var m sdkapi.WSMessage
	if err := p.conn.ReadJSON(&m); err != nil {
		p.t.Fatal(err)
	}
	return m
}

// until returns the messages up to one of a type.
func (p *peer) until(kind string) []sdkapi.WSMessage {
	p.t.Helper()
	var list []sdkapi.WSMessage
	for {
		m := p.next()
		list = append(list, m)
		if m.Type == kind {
			return list
		}
		if m.Type == sdkapi.WSError {
			p.t.Fatalf("waiting for %s: %s", kind, m.Payload)
		}
	}
}

const hello = `{"type":"handshake","user_id":"ada"}`
