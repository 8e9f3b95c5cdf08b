//go:build system

package main

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// guest is a client at the WebSocket of a gateway, with a token of its own.
type guest struct {
	url, token string
	conn       *websocket.Conn
	pings      atomic.Int64
}

// guestsAtOnce is how many register and connect at a time.
const guestsAtOnce = 32

// guests registers clients and connects them. Their connections end with the
// benchmark.
func (h *hosted) guests(b *testing.B, n int) []*guest {
	b.Helper()
	client, err := sdk.New(h.url)
	if err != nil {
		b.Fatal(err)
	}
	list := make([]*guest, n)
	inLimits(n, guestsAtOnce, func(i int) {
		install, err := client.Install.Register(b.Context(), "Linux")
		if err != nil {
			b.Error(err)
			return
		}
		g := &guest{url: h.url, token: install.InstallToken}
		if err := g.connect(); err != nil {
			b.Error(err)
			return
		}
		list[i] = g
	})
	if b.Failed() {
		b.FailNow()
	}
	b.Cleanup(func() {
		for _, g := range list {
			_ = g.conn.Close()
		}
	})
	return list
}

// inLimits runs do for 0 to n-1, so many at once.
func inLimits(n, most int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, most) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	wg.Wait()
}

// guestDialer keeps little for each connection, as thousands share a process.
var guestDialer = websocket.Dialer{ReadBufferSize: 512, WriteBufferPool: new(sync.Pool), HandshakeTimeout: time.Minute}

// connect connects, and introduces the guest.
func (g *guest) connect() error {
	conn, resp, err := guestDialer.Dial("ws"+strings.TrimPrefix(g.url, "http")+sdkapi.WSPath, http.Header{"Authorization": {"Bearer " + g.token}})
	if resp != nil {
		resp.Body.Close()
	}
	if err != nil {
		return err
	}
	g.conn = conn
	answer := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		g.pings.Add(1)
		return answer(data)
	})
	return conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"handshake","user_id":"whoever"}`))
}

// send sends a message.
func (g *guest) send(kind, payload string) error {
	return g.conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%q,"type":%q,"payload":%s}`, uuid.NewString(), kind, payload))
}

// openFiles skips the benchmark where a process cannot have so many
// connections, and returns how many it can, at most n.
func openFiles(b *testing.B, n int) int {
	b.Helper()
	if runtime.GOOS != "linux" {
		b.Skip("what a process has is read from /proc")
	}
	limits, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		b.Skip("this system does not tell:", err)
	}
	for line := range strings.Lines(string(limits)) {
		var soft, hard int // Go raises the soft limit of its programs to the hard one
		if rest, found := strings.CutPrefix(line, "Max open files"); found {
			if _, err := fmt.Sscan(rest, &soft, &hard); err == nil && min(soft, hard)-200 < n {
				n = max(soft, hard) - 200
				b.Logf("a process may have %d open files; %d connections are tried", hard, n)
			}
		}
	}
	return n
}
