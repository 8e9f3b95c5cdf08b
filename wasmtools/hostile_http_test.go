package wasmtools_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// orFail fails the call with the host's answer if the number on the stack, a
// result of host_call, is below 0.
func orFail(g *handmade) []byte {
	const answer, most = 0x800, 1000
	negative := w.Seq(w.Tee(3), w.I32(0), w.Op(0x48)) // i32.lt_s
	read := w.Seq(g.try("host_read", w.I32(answer), w.I32(most)), g.host("error_write", w.I32(answer), w.I32(0), w.Get(3), w.Sub))
	return w.Seq(negative, w.When(read, w.Return))
}

// sends returns what asks for what the arguments of the tool attack say.
func sends(g *handmade) []byte {
	if g.kind == abi.Bulk {
		const begin = len(`{"name":"attack","arguments":`)
		g.Text(0x100, "http.request")
		return w.Seq(g.try("input_read", w.I32(0x2000), w.I32(0x1000)),
			w.I32(0x100), w.I32(12), w.I32(0x2000+begin), g.host("input_len"), w.I32(begin+1), w.Sub, g.host("host_call"), orFail(g))
	}
	const begin, block, at = len(`{"params":{"name":"attack","arguments":`), 4, 5
	length := w.Seq(g.host("input_length"), w.I64(begin+2), w.Op(0x7d)) // i64.sub
	copyOne := w.Seq(w.Get(block), w.Get(at), i64Add, w.I64(begin), w.Get(at), i64Add, g.host("input_load_u8"), g.host("store_u8"))
	return w.Seq(length, g.host("alloc"), w.Set(block),
		w.Loop(copyOne, w.Get(at), w.I64(1), i64Add, w.Tee(at), length, w.Op(0x54), w.BrIf(0)), // i64.lt_u
		g.try("http_request", w.Get(block), w.I64(0)))
}

// listen counts who connects to this machine. Its check fails if anyone has.
func listen(t *testing.T) (port string, check func()) {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	var connected atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connected.Add(1)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port, func() {
		t.Helper()
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatalf("nobody could have connected: %v", err)
		}
		_ = conn.Close()
		if n := testkit.Eventually(t, "our connection", func() (int64, bool) { n := connected.Load(); return n, n > 0 }); n != 1 {
			t.Errorf("%d connections were made", n-1)
		}
	}
}

// local resolves every name to this machine.
func local(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// spellings are ways to write this machine's address, and what resolves to it.
var spellings = []string{
	"127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "127.000.000.001",
	"0", "0.0.0.0", "0x0", "localhost", "LOCALHOST", "localhost.", "any.name.test", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]",
	"[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::1%25lo]", "１２７.０.０.１", "127。0。0。1", "①②⑦.⓪.⓪.①",
	"%31%32%37.0.0.1", "x@127.0.0.1", "127.0.0.1%00", "[fe80::1%25lo]",
}

// TestGuestsReachNoInside has guests of both kinds ask for this machine in each
// spelling, with a grant for every public host.
func TestGuestsReachNoInside(t *testing.T) {
	t.Parallel()
	port, check := listen(t)
	grant := wasmtools.Grant{Permissions: wasmtools.Permissions{HTTP: []egress.Rule{{Host: "*:" + port, Schemes: []string{"http"}}}}}
	for _, kind := range []abi.Kind{abi.Bulk, abi.Extism} {
		p := openSource(t, wasmtools.Config{Resolver: local}, grant, wasmtools.Source{Name: "asks", Module: attacker(kind, 1, 1, nil, sends)})
		for _, host := range spellings {
			arguments, _ := json.Marshal(map[string]string{"url": "http://" + host + ":" + port + "/"})
			_, _, err := call(t.Context(), t, p, "attack", string(arguments))
			if err == nil || !strings.Contains(err.Error(), "private network") && !strings.Contains(err.Error(), "plugins may never reach") && !strings.Contains(err.Error(), "invalid request") {
				t.Errorf("%s: %s: %v", kind, host, err)
			}
		}
	}
	check()
}

// TestGuestsAreNotSentInside has a host that may be asked send guests on to
// one that may not, and a name change its address between two looks at it.
func TestGuestsAreNotSentInside(t *testing.T) {
	t.Parallel()
	shut, check := listen(t)
	open := answerWith(t, func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "http://shut.test:"+shut+"/", http.StatusFound)
	})
	var asked atomic.Int64
	rebinds := func(ctx context.Context, host string) ([]netip.Addr, error) {
		if strings.HasPrefix(host, "rebind") && asked.Add(1) == 1 {
			<-ctx.Done() // so that nobody is really connected to
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		}
		return local(ctx, host)
	}
	http1 := []string{"http"}
	grant := wasmtools.Grant{Limits: wasmtools.Limits{WallMS: 200 * slowness}, Permissions: wasmtools.Permissions{HTTP: []egress.Rule{
		{Host: "open.test:" + open, Schemes: http1, Private: true}, {Host: "*:" + shut, Schemes: http1},
	}}}
	refusal := map[abi.Kind]sdkapi.Code{abi.Bulk: sdkapi.ToolError, abi.Extism: sdkapi.PermissionDenied} // the former fails by itself
	for _, kind := range []abi.Kind{abi.Bulk, abi.Extism} {
		asked.Store(0)
		p := openSource(t, wasmtools.Config{Resolver: rebinds}, grant, wasmtools.Source{Name: "asks", Module: attacker(kind, 1, 1, nil, sends)})
		for _, tt := range []struct {
			url, says string
			code      sdkapi.Code
		}{
			{"http://open.test:" + open, "private network", refusal[kind]},
			{"http://rebind.test:" + shut, "wall_ms", sdkapi.Timeout},
			{"http://rebind.test:" + shut, "private network", refusal[kind]},
		} {
			_, _, err := call(t.Context(), t, p, "attack", `{"url":"`+tt.url+`"}`)
			wantCode(t, err, tt.code, tt.says)
		}
	}
	check()
}

// answerWith starts a server on this machine and returns its port.
func answerWith(t testing.TB, handler http.HandlerFunc) (port string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	_, port, _ = net.SplitHostPort(server.Listener.Addr().String())
	return port
}

// TestHostileServers has guests ask servers that answer to do harm.
func TestHostileServers(t *testing.T) {
	zeros := func(rw http.ResponseWriter, n int) {
		rw.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(rw)
		defer func() { _ = z.Close() }()
		page := make([]byte, 1<<20)
		for range n {
			if _, err := z.Write(page); err != nil {
				return
			}
		}
	}
	port := answerWith(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			zeros(rw, 1000)
		case "/seven":
			zeros(rw, 7)
		case "/slow":
			<-r.Context().Done()
		case "/drip":
			for r.Context().Err() == nil {
				_, _ = rw.Write([]byte("x"))
				_ = http.NewResponseController(rw).Flush()
				time.Sleep(time.Millisecond)
			}
		case "/round":
			http.Redirect(rw, r, "/round", http.StatusFound)
		}
	})
	grant := wasmtools.Grant{Permissions: wasmtools.Permissions{HTTP: []egress.Rule{{Host: "open.test:" + port, Schemes: []string{"http"}, Private: true}}}}
	var attacks []attack
	for _, kind := range []abi.Kind{abi.Bulk, abi.Extism} {
		for _, tt := range []struct {
			path string
			code sdkapi.Code
			says string
		}{
			{"/bomb", sdkapi.ToolError, "limit is http_bytes"},
			{"/seven", sdkapi.ToolError, "more than 8388608 bytes in an answer of the host"},
			{"/slow", sdkapi.Timeout, "wall_ms"}, {"/drip", sdkapi.Timeout, "wall_ms"},
			{"/round", sdkapi.ToolError, "redirected the request more than 5 times"},
		} {
			a := attack{name: string(kind) + tt.path, kind: kind, body: sends, input: `{"url":"http://open.test:` + port + tt.path + `"}`,
				grant: grant, cfg: wasmtools.Config{Resolver: local}, code: tt.code, says: tt.says}
			if kind == abi.Extism && tt.path == "/seven" {
				a.code, a.says = "", "" // which it takes as it is
			}
			attacks = append(attacks, a)
		}
	}
	survive(t, attacks)
}

// TestHostileRecursion has a tool call itself, and again, through the registry. It never waits
// for itself, however few calls of it may run at once.
func TestHostileRecursion(t *testing.T) {
	t.Parallel()
	for _, running := range []int64{1, 8} {
		module := attacker(abi.Bulk, 1, 1, nil, func(g *handmade) []byte {
			g.Text(0x100, "tools.call").Text(0x200, `{"name":"hostile.attack","arguments":{}}`)
			return w.Forever(w.I32(0x100), w.I32(10), w.I32(0x200), w.I32(40), g.host("host_call"), orFail(g))
		})
		p := openSource(t, wasmtools.Config{Cores: fair.New(fair.Options{Capacity: 1})}, wasmtools.Grant{
			Limits:      wasmtools.Limits{WallMS: attackWall.Milliseconds(), ConcurrentCalls: running},
			Permissions: wasmtools.Permissions{Tools: []string{"hostile.attack"}},
		}, wasmtools.Source{Name: "hostile", Module: module})
		registry := agent.NewRegistry()
		if err := registry.Register(registered{"hostile.attack", "attack", p}); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		_, err := registry.Invoke(t.Context(), "hostile.attack", agent.Call{User: "ada"})
		took := time.Since(begun)
		wantCode(t, err, sdkapi.ToolError, "levels of nested tool calls are allowed")
		if clockTells && took > attackWall+time.Second*slowness {
			t.Errorf("it took %v", took)
		}
		mustAnswer(t, p)
	}
}

// registered is a plugin's tool in a registry.
type registered struct {
	name, tool string
	p          *wasmtools.Plugin
}

func (r registered) Descriptor() agent.Descriptor {
	return agent.Descriptor{Name: r.name, Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Wasm, Owner: "hostile"}}
}

func (r registered) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	return r.p.Call(ctx, r.tool, call)
}
