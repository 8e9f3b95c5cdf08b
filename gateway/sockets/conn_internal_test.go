package sockets

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// wsPair returns both ends of a WebSocket.
func wsPair(t *testing.T) (*Conn, *websocket.Conn) {
	t.Helper()
	upgraded := make(chan *Conn, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
		}
		upgraded <- New(conn)
	}))
	t.Cleanup(server.Close)
	client, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	t.Cleanup(func() { _ = client.Close() })
	return <-upgraded, client
}

// A client that answers is asked again and again; one that has not answered for
// long is gone.
func TestWSPing(t *testing.T) {
	t.Parallel()
	socket, client := wsPair(t)
	socket.heard.Store(time.Now().Add(-maxSilence + time.Second).Unix())
	socket.ping()
	_ = client.SetReadDeadline(time.Now().Add(10 * time.Second))
	go func(client *websocket.Conn) { _, _, _ = client.ReadMessage() }(client) // answers
	_, err := socket.Receive(time.Second)                                      // hears it
	if silent := time.Since(time.Unix(socket.heard.Load(), 0)); err == nil || silent > maxSilence/2 {
		t.Errorf("after an answer the client was silent for %v, %v", silent, err)
	}

	socket, client = wsPair(t)
	socket.heard.Store(time.Now().Add(-maxSilence - 2*time.Second).Unix())
	socket.ping()
	_ = client.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, _, err := client.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("a silent client got %v", err)
	}
	if _, err := socket.Receive(time.Minute); err == nil {
		t.Error("the connection of a silent client stays open")
	}
}

// A client that reads too slowly is asked to come back. Where the gateway cannot say so, it breaks the connection, which means the same.
func TestWSTooSlow(t *testing.T) {
	t.Parallel()
	socket, client := wsPair(t)
	text := strings.Repeat("whatever ", 100_000)
	for err := error(nil); err == nil; err = socket.Send(text) {
	}
	_ = client.SetReadDeadline(time.Now().Add(30 * time.Second))
	for {
		if _, _, err := client.ReadMessage(); websocket.IsCloseError(err, websocket.CloseTryAgainLater, websocket.CloseAbnormalClosure) {
			return
		} else if err != nil {
			t.Fatalf("a slow client got %v", err)
		}
	}
}

// full has room for no message.
type full struct{ ended chan struct{} }

func (full) Arrived(int64) error { return fault.New("test", sdkapi.Overloaded, "no room") }
func (f full) End()              { close(f.ended) }

// A message for which there is no room closes the connection, with a code that says to come again.
func TestWSMessagesAreCounted(t *testing.T) {
	t.Parallel()
	socket, client := wsPair(t)
	socket.leave = time.Millisecond // as this client does not read meanwhile
	counted := full{make(chan struct{})}
	socket.Count(func(func(error)) Arriving { return counted })
	if err := client.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, err := socket.Receive(time.Minute); !errors.Is(err, ErrClosed) {
		t.Errorf("the message was received: %v", err)
	}
	<-counted.ended
	_ = client.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, _, err := client.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
		t.Errorf("the client got %v", err)
	}
}

// A client hears why what it sends is refused, also one that goes on to send: its connection is not reset.
func TestRefusedWhileItSends(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind int
		text []byte
		code int
	}{
		"too much":   {websocket.TextMessage, make([]byte, sdkapi.MaxWSMessage+1), websocket.CloseMessageTooBig},
		"bytes":      {websocket.BinaryMessage, []byte("x"), websocket.CloseUnsupportedData},
		"no unicode": {websocket.TextMessage, []byte{0xff}, websocket.CloseInvalidFramePayloadData},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket, client := wsPair(t)
			received := make(chan error, 1)
			go func() {
				_, err := socket.Receive(time.Minute)
				received <- err
			}()
			for _, text := range [][]byte{tt.text, make([]byte, sdkapi.MaxWSMessage)} {
				if err := client.WriteMessage(tt.kind, text); err != nil {
					t.Fatal(err)
				}
			}
			if _, _, err := client.ReadMessage(); !websocket.IsCloseError(err, tt.code) {
				t.Errorf("the client hears %v", err)
			}
			_ = client.Close()
			if err := <-received; !errors.Is(err, ErrClosed) {
				t.Errorf("it fails with %v", err)
			}
		})
	}
}
