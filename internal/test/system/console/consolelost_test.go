//go:build system

package console_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// slowAnswer is longer than the time between two looks of the views of MCP servers and runs.
const slowAnswer = 3500 * time.Millisecond

// valve is a proxy before a gateway, which lets requests for data through, delays, holds, fails or cuts them.
type valve struct {
	mu      sync.Mutex
	state   string // passes, delays, holds, fails or cuts
	changed chan struct{}
}

func (v *valve) turn(state string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.state = state
	close(v.changed)
	v.changed = make(chan struct{})
}

// wait returns what is done with a request, once it is not held.
func (v *valve) wait(r *http.Request) string {
	for {
		v.mu.Lock()
		state, changed := v.state, v.changed
		v.mu.Unlock()
		if state != "holds" {
			return state
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return "cuts"
		}
	}
}

// behindValve returns a gateway's address behind a valve, which is open.
func behindValve(t *testing.T, gateway string) (string, *valve) {
	t.Helper()
	to, err := url.Parse(gateway)
	if err != nil {
		t.Fatal(err)
	}
	v := &valve{state: "passes", changed: make(chan struct{})}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/console/") && r.URL.Path != "/console/visits" { // the page itself
			proxy.ServeHTTP(w, r)
			return
		}
		switch v.wait(r) {
		case "delays":
			select {
			case <-time.After(slowAnswer):
				proxy.ServeHTTP(w, r)
			case <-r.Context().Done():
			}
		case "fails":
			http.Error(w, "<h1>Bad gateway</h1>", http.StatusBadGateway)
		case "cuts":
			panic(http.ErrAbortHandler)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		v.turn("cuts")
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL, v
}

// Each view says that it waits for a slow gateway, that something between failed, and that the connection is lost; and
// goes on when it is there again.
func TestConsoleConnections(t *testing.T) {
	t.Parallel()
	g := startForConsole(t, "WINDIE_RUNS_API_KEY="+rig.RunsKey)
	at, v := behindValve(t, g.url)
	b := newTab(t, at)
	b.open(strings.Replace(g.link(), g.url, at, 1))
	b.sees("Signed in")
	<-g.ask("what tools are there")
	for _, view := range []struct{ at, shows string }{
		{"conversations", "single prompt"}, {"tools", "Select a tool"}, {"gateway/health", "All checks pass"}, {"gateway/runs", "No runs yet"},
		{"gateway/plugins", "No plugins yet"}, {"gateway/memory", "No memory yet"}, {"gateway/audit", "No calls yet"}, {"gateway/usage", "model request"},
		{"gateway/browsers", "This browser"}, {"gateway/settings", "WINDIE_LISTEN"}, {"gateway/servers", "No MCP servers"}, {"gateway/users", "tokens today"},
		{"gateway/storage", "Delete old data"}, {"approvals", "No pending approvals"},
	} {
		t.Run(view.at, func(t *testing.T) {
			b.t = t
			defer func() { b.t = t }()
			away := func() { b.view("screens"); b.sees("Open image") }
			away()
			v.turn("holds")
			b.view(view.at)
			if view.at != "approvals" { // it shows what it knew
				b.sees("…")
				b.wellFormed("a slow " + view.at)
			}
			if view.at == "gateway/servers" { // the next look is due before this one is answered
				away()
				v.turn("delays")
				b.view(view.at)
				b.sees(view.shows)
			}
			v.turn("passes")
			b.sees(view.shows)
			for state, says := range map[string]string{"fails": "without an error body", "cuts": "The gateway does not respond"} {
				away()
				v.turn(state)
				b.view(view.at)
				b.sees(says)
				if state == "cuts" && view.at != "approvals" { // the client tries again by itself before the view fails
					b.sees("CONNECTION")
				}
				b.wellFormed(view.at + " that " + state)
				v.turn("passes")
				if view.at != "approvals" { // it looks by itself
					b.click("main button", "Retry")
				}
				b.sees(view.shows)
			}
		})
	}
	b.t = t
	longList(t, g, b, v)
}

// longList has more conversations and prompts than the page asks for at once. Each has its own title, and each can be reached.
func longList(t *testing.T, g *consoleGateway, b *tab, v *valve) {
	begin := func() string {
		var made struct{ Result struct{ ID string } }
		if err := json.Unmarshal(g.post("/api/tools/conversation.create/invoke", map[string]any{}), &made); err != nil {
			t.Fatal(err)
		}
		return made.Result.ID
	}
	say := func(id, input string) {
		testkit.Eventually(t, "the turn before is over", func() (string, bool) {
			said := string(g.post("/api/prompt", map[string]any{"input": input, "conversationId": id}))
			return said, !strings.Contains(said, string(sdkapi.TurnRunning))
		})
	}
	for range 101 {
		say(begin(), "one of many")
	}
	say(begin(), "the only words")
	many := begin()
	for i := range 105 {
		say(many, fmt.Sprintf("step %d of it", i+1))
	}
	begin()
	b.view("gateway/health")
	b.sees("All checks pass")
	b.view("conversations")
	b.sees("step 1 of it", "the only words", "No messages", "Load more")
	if n := evaluated[int](b, `[...document.querySelectorAll('.talk-list .row')].filter((e) => e.textContent.startsWith('No messages')).length`); n != 1 {
		t.Errorf("%d conversations are said to be empty", n)
	}
	rows := func() int { return evaluated[int](b, `document.querySelectorAll('.talk-list .row').length`) }
	if n := rows(); n != 100 {
		t.Errorf("the list begins with %d rows", n)
	}
	b.wellFormed("a long list")
	for _, most := range []int{104, 105} { // all conversations, and the prompt alone that came before them
		b.click(".talk-list button", "Load more")
		testkit.Eventually(t, fmt.Sprintf("the list has %d rows", most), func() (int, bool) { n := rows(); return n, n == most })
	}
	b.sees("single prompt")
	earlierOnce(t, many, b, v)
}

// earlierOnce loads what is earlier of a conversation: what fails says so, and two clicks load it once.
func earlierOnce(t *testing.T, id string, b *tab, v *valve) {
	b.view("conversations/conversation/" + id)
	b.sees("step 105 of it", "Load earlier prompts")
	v.turn("fails")
	b.click("button", "Load earlier prompts")
	b.sees("Cannot load earlier prompts")
	v.turn("passes")
	b.run(`(() => { const e = [...document.querySelectorAll('button')].find((e) => e.textContent.includes('Load earlier prompts')); e.click(); e.click() })()`)
	b.sees("earlier steps of")
	const told = `/earlier steps of (\d+)/.exec(document.body.innerText)[1]`
	loaded := evaluated[string](b, told)
	b.do(chromedp.Sleep(browserTime / 100)) // the second page would come now
	if again := evaluated[string](b, told); again != loaded {
		t.Errorf("two clicks load twice: %s steps, then %s", loaded, again)
	}
}
