package mcptools_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/sdkapi"
)

// listen serves a handler until the test ends.
func listen(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func at(url string, more ...string) string {
	return "{" + strings.Join(append([]string{fmt.Sprintf(`"type":"http","url":%q`, url)}, more...), ",") + "}"
}

// handler is a server over HTTP, with sessions or without.
func handler(t testing.TB, stateless bool) http.Handler {
	upstream := newUpstream("good")
	t.Cleanup(func() {
		for session := range upstream.Sessions() {
			session.Close()
		}
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return upstream }, &mcp.StreamableHTTPOptions{Stateless: stateless})
}

func TestServersOverHTTP(t *testing.T) {
	t.Parallel()
	for name, stateless := range map[string]bool{"sessions": false, "stateless": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var denied atomic.Int32
			inner := handler(t, stateless)
			url := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer swordfish-1234" {
					denied.Add(1)
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				inner.ServeHTTP(w, r)
			})).URL
			s := serve(t, t.TempDir(), map[string]string{"up": at(url, `"headers":{"Authorization":"Bearer swordfish-1234"}`)})
			s.until("a server", "up", ready)
			res, err := s.invoke("up.echo", `{"text":"x"}`)
			if err != nil || string(res.Structured) != `{"text":"x"}` {
				t.Errorf("%+v, %v", res, err)
			}
			if _, err := s.invoke("up.grow", `{"n":1}`); err != nil {
				t.Fatal(err)
			}
			s.until("a new tool", "up", func(mcptools.Status) bool { _, ok := s.registry.Get("up.grown"); return ok })
			if denied.Load() != 0 {
				t.Errorf("%d requests had no header", denied.Load())
			}
			s.Close()
		})
	}
}

// A server that forgot the session, as one that was started again does, gets
// another.
func TestSessionsThatAreForgotten(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[http.Handler]
	first := handler(t, false)
	now.Store(&first)
	url := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*now.Load()).ServeHTTP(w, r) })).URL
	s := serve(t, t.TempDir(), map[string]string{"up": at(url)})
	s.until("a server", "up", ready)
	second := handler(t, false)
	now.Store(&second)
	if _, err := s.invoke("up.echo", `{"text":"x"}`); err != nil {
		t.Error(err)
	}
	s.Close()
}

func TestURLsThatMisbehave(t *testing.T) {
	t.Parallel()
	elsewhere := listen(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a redirect was followed, with %v", r.Header)
	})).URL
	endless := func(kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, err := w.Write([]byte("data: "))
			for piece := []byte(strings.Repeat("x", 1<<20)); err == nil; {
				_, err = w.Write(piece)
			}
		}
	}
	for _, tt := range []struct {
		name, problem string
		answer        http.HandlerFunc
	}{
		{"redirect", "the server sends a redirect (307), which the gateway does not follow", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		}},
		{"denied", "Unauthorized", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }},
		{"html", "a web page (content type text/html)", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }},
		{"endless", "the server's answer exceeds the size limit", endless("application/json")},
		{"endless_events", "exceeded 16777216 bytes", endless("text/event-stream")},
		{"garbage", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,`)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := listen(t, tt.answer).URL
			s := serve(t, t.TempDir(), map[string]string{"bad": at(url + "?key=swordfish-1234"), "good": upstream("good")})
			s.until("a good server", "good", ready)
			st := s.until("a problem", "bad", broken)
			if !strings.Contains(st.Problem, tt.problem) {
				t.Errorf("%q", st.Problem)
			}
			if strings.Contains(st.Problem+s.log.String(), "swordfish") {
				t.Errorf("a secret is told: %q\n%s", st.Problem, s.log)
			}
			s.goesOn()
			s.Close()
		})
	}
}

// What hands out a machine's own keys is no server.
func TestAddressesThatAreNeverAsked(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"cloud": at("http://169.254.169.254/latest")})
	if st := s.until("a problem", "cloud", broken); !strings.Contains(st.Problem, "never connects to") {
		t.Errorf("%q", st.Problem)
	}
}

// A server that a call starts may have other tools than those that the gateway knows of it: what was changed meanwhile is not called.
func TestToolsThatChangedWhileTheGatewayWasDown(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[mcp.Server]
	now.Store(newUpstream("good"))
	url := listen(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return now.Load() }, &mcp.StreamableHTTPOptions{Stateless: true})).URL
	dir := t.TempDir()
	first := serve(t, dir, map[string]string{"up": at(url)})
	first.until("a server", "up", ready)
	first.Close()
	now.Store(newUpstream("changed"))
	second := serve(t, dir, map[string]string{"up": at(url)})
	if st := second.status("up"); st.State != mcptools.Known || st.Changed() != 0 {
		t.Fatalf("%+v", st)
	}
	_, err := second.invoke("up.echo", `{"text":"x"}`)
	wantCode(t, err, sdkapi.ToolForbidden, "")
	if _, err := second.invoke("up.mixed_parts", `{"n":1}`); err != nil {
		t.Errorf("a tool that did not change: %v", err)
	}
	changed := func(s served) (one mcptools.ToolStatus) {
		for _, one = range s.status("up").Tools {
			if one.Changed {
				return one
			}
		}
		return one
	}
	second.Close()
	third := serve(t, dir, map[string]string{"up": at(url)}) // it knows both still
	for name, s := range map[string]served{"who saw the change": second, "after another start": third} {
		t.Run(name, func(t *testing.T) {
			one := changed(s)
			if one.Was == nil || one.Now == nil || strings.Contains(one.Was.Description, "passwords") || !strings.Contains(one.Now.Description, "passwords") {
				t.Errorf("what it was and is: %+v, %+v", one.Was, one.Now)
			}
		})
	}
}

// The first call of a server that was away and is back is served, however the server refuses the session that it knows no
// more. A call while the server is away says so.
func TestServersThatComeBack(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(w http.ResponseWriter){
		"as the protocol says": nil,
		"as invalid, in words": func(w http.ResponseWriter) { http.Error(w, "no such session", http.StatusBadRequest) },
		"as invalid, in JSON": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"no valid session"},"id":null}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var known sync.Map // sessions of the first
			run := func(ln net.Listener, answer func(w http.ResponseWriter, id string) (refused bool)) (stop func()) {
				inner := handler(t, false)
				server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !answer(w, r.Header.Get(sdkapi.MCPSessionHeader)) {
						inner.ServeHTTP(w, r)
					}
				})}
				go func() { _ = server.Serve(ln) }()
				return func() { _ = server.Close() }
			}
			stop := run(ln, func(_ http.ResponseWriter, id string) bool {
				known.Store(id, true)
				return false
			})
			s := serve(t, t.TempDir(), map[string]string{"up": at("http://" + ln.Addr().String())})
			s.until("a server", "up", ready)
			stop()
			_, err = s.invoke("up.echo", `{"text":"x"}`)
			wantCode(t, err, sdkapi.ToolError, "is unavailable")
			if ln, err = new(net.ListenConfig).Listen(t.Context(), "tcp", ln.Addr().String()); err != nil {
				t.Fatal(err)
			}
			defer run(ln, func(w http.ResponseWriter, id string) bool {
				_, old := known.Load(id)
				if old = old && id != "" && refuse != nil; old {
					refuse(w)
				}
				return old
			})()
			if res, err := s.invoke("up.echo", `{"text":"x"}`); err != nil || res.IsError {
				t.Errorf("%s, %v\n%s", words(res), err, s.log)
			}
			s.Close()
		})
	}
}
