package gatewaytest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/sdkapi"
)

// Wire is a proxy before a gateway that notes what clients say at /ws, and breaks their connections. Its methods are safe for
// concurrent use.
type Wire struct {
	URL string // where clients find it

	mu    sync.Mutex
	conns map[*websocket.Conn]bool
	said  []sdkapi.WSMessage
	down  bool
	deaf  bool
	tries int // to connect while it was down
}

// NewWire starts a proxy before the gateway at to. It is there until the test ends.
func NewWire(t testing.TB, to string) *Wire {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{conns: map[*websocket.Conn]bool{}}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != sdkapi.WSPath {
			forward.ServeHTTP(rw, r)
			return
		}
		w.serve(rw, r, "ws"+strings.TrimPrefix(to, "http")+sdkapi.WSPath)
	}))
	w.URL = server.URL
	t.Cleanup(func() {
		w.Break()
		server.Close()
	})
	return w
}

// Break breaks all connections, and lets none in until Mend.
func (w *Wire) Break() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down, w.tries = true, 0
	for conn := range w.conns {
		_ = conn.Close()
	}
}

// Mend lets connections in again.
func (w *Wire) Mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down, w.deaf = false, false
}

// Lose loses what clients say from now on, as a connection does that is about to break, until Mend.
func (w *Wire) Lose() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deaf = true
}

// Tries returns how often clients have tried to connect since Break.
func (w *Wire) Tries() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tries
}

// Said returns the payloads of the messages of a type that clients have sent, those that are lost too.
func (w *Wire) Said(kind string) (payloads []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.said {
		if m.Type == kind {
			payloads = append(payloads, string(m.Payload))
		}
	}
	return payloads
}

// enter takes in a connection, unless none is let in.
func (w *Wire) enter(conns ...*websocket.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return false
	}
	for _, conn := range conns {
		w.conns[conn] = true
	}
	return true
}

// note notes what a client says, and reports whether it is passed on.
func (w *Wire) note(text []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	var m sdkapi.WSMessage
	if json.Unmarshal(text, &m) == nil {
		w.said = append(w.said, m)
	}
	return !w.deaf
}

func (w *Wire) serve(rw http.ResponseWriter, r *http.Request, to string) {
	if !w.enter() {
		w.mu.Lock()
		w.tries++
		w.mu.Unlock()
		http.Error(rw, "nobody is let in", http.StatusServiceUnavailable)
		return
	}
	header := http.Header{}
	for _, name := range []string{"Authorization", sdkapi.UserHeader} {
		if value := r.Header.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	gateway, resp, err := websocket.DefaultDialer.DialContext(r.Context(), to, header)
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
	}
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadGateway)
		return
	}
	defer gateway.Close()
	client, err := new(websocket.Upgrader).Upgrade(rw, r, nil)
	if err != nil {
		return // it has said so
	}
	defer client.Close()
	if !w.enter(client, gateway) {
		return
	}
	var back sync.WaitGroup
	defer back.Wait()
	defer gateway.Close()
	back.Go(func() {
		defer client.Close()
		pass(gateway, client, func([]byte) bool { return true })
	})
	pass(client, gateway, w.note)
}

// pass hands messages on that may be, until a connection breaks.
func pass(from, to *websocket.Conn, may func([]byte) bool) {
	for {
		kind, text, err := from.ReadMessage()
		if err != nil || may(text) && to.WriteMessage(kind, text) != nil {
			return
		}
	}
}
