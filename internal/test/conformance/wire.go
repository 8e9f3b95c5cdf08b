package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/internal/test/recorded"
	"github.com/windieos/windie/sdkapi"
)

// wire is the socket of a client on its way through the proxy. The client says hello in its own words, in whose place
// the dialogue's goes. At /ws it asks for the settings then: their answer says that the handshake was taken.
type wire struct {
	path    string
	hello   []byte                  // the dialogue's
	wrongIn func(own []byte) string // says what is wrong with the client's own hello, or nothing
	refused bool                    // the gateway closes the socket for its hello

	said   chan recorded.Frame // what the client sends behind its hello
	came   chan recorded.Frame // what the gateway sends; closed at the end of the connection
	passed chan string         // of that, what the client gets once its handshake is taken

	mu    sync.Mutex
	up    *websocket.Conn
	check string // the id of the question about the settings
	taken bool
	wrong string // with the hello
}

// newWire returns the wire of a socket at a path. All that comes from another one than /ws is handed on.
func newWire(path string, hello []byte, wrongIn func(own []byte) string) *wire {
	return &wire{
		path: path, hello: hello, wrongIn: wrongIn, taken: path != sdkapi.WSPath,
		said: make(chan recorded.Frame, maxDriverLines), came: make(chan recorded.Frame, maxDriverLines), passed: make(chan string, maxDriverLines),
	}
}

// expectSocket has the next socket of a client pass through w.
func (p *proxy) expectSocket(w *wire) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wire = w
}

// nextWire returns what a request for a socket passes through; nil if there is none.
func (p *proxy) nextWire(r *http.Request) *wire {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.wire
	if w == nil || r.URL.Path != w.path || !websocket.IsWebSocketUpgrade(r) {
		return nil
	}
	p.wire = nil
	return w
}

// pass passes the frames of a socket on, and shows them to w.
func (p *proxy) pass(rw http.ResponseWriter, r *http.Request, w *wire) {
	up, down := p.both(rw, r)
	defer up.Close()
	defer down.Close()
	w.mu.Lock()
	w.up = up
	w.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() {
		defer up.Close()
		w.fromClient(down)
	})
	w.fromGateway(up, down)
	down.Close()
	both.Wait()
}

// fromClient passes on what the client sends.
func (w *wire) fromClient(down *websocket.Conn) {
	for n := 0; ; n++ {
		_, text, err := down.ReadMessage()
		if err != nil {
			return
		}
		switch {
		case n == 0:
			w.greeted(text)
			text = w.hello
		case w.refused:
			continue // the gateway reads nothing any more
		case n == 1 && w.path == sdkapi.WSPath:
			var check struct{ ID, Type string }
			_ = json.Unmarshal(text, &check) // empty is no question about the settings
			w.mu.Lock()
			w.check = check.ID
			if check.Type != sdkapi.WSLoadSettings {
				w.wrong = fmt.Sprintf("behind the handshake comes %.200s, not a question about the settings", text)
			}
			w.mu.Unlock()
		default:
			w.said <- recorded.Frame{Mark: recorded.FromClient, Text: string(text)}
		}
		if w.send(text) != nil && !w.refused { // which is read to its end
			return
		}
	}
}

// greeted notes what is wrong with the client's own hello.
func (w *wire) greeted(text []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if why := w.wrongIn(text); why != "" {
		w.wrong = fmt.Sprintf("the hello is %.300s: %s", text, why)
	}
}

// send sends a frame to the gateway: the client's, or one that no client sends.
func (w *wire) send(text []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if binary, ok := bytes.CutPrefix(text, []byte("binary ")); ok {
		return w.up.WriteMessage(websocket.BinaryMessage, binary)
	}
	return w.up.WriteMessage(websocket.TextMessage, text)
}

// fromGateway passes on what the gateway sends.
func (w *wire) fromGateway(up, down *websocket.Conn) {
	defer close(w.came)
	for {
		kind, text, err := up.ReadMessage()
		if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
			w.came <- recorded.Frame{Mark: recorded.FromServer, Text: strings.TrimSpace(fmt.Sprintf("close %d %s", closed.Code, closed.Text))}
			_ = down.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(closed.Code, closed.Text))
		}
		if err != nil {
			return
		}
		if !w.answersCheck(text) {
			w.came <- recorded.Frame{Mark: recorded.FromServer, Text: string(text)}
		}
		if down.WriteMessage(kind, text) != nil {
			return
		}
	}
}

// answersCheck reports whether a message is about the client's own question. All others are handed on by the client
// once that is answered.
func (w *wire) answersCheck(text []byte) bool {
	var m sdkapi.WSMessage
	_ = json.Unmarshal(text, &m) // whoever compares it sees what it is
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.InReplyTo != "" && m.InReplyTo == w.check {
		w.taken = true
		return true
	}
	if w.taken {
		w.passed <- string(text)
	}
	return false
}

// complaint returns what was wrong with the hello.
func (w *wire) complaint() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wrong
}
