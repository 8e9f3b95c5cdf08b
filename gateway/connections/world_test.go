package connections_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/oauth"
	"github.com/windieos/windie/state/identity/upstream"
)

// console are the headers of the console's own requests.
var console = map[string]string{sdkapi.ConsoleHeader: "1", "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}

// log is a log that tests read.
type log struct {
	mu sync.Mutex
	bytes.Buffer
}

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

// text returns what was logged.
func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.String()
}

// world is a gateway whose users sign in to the MCP server of another gateway.
type world struct {
	t       *testing.T
	other   string // URL of the other gateway
	grants  *oauth.Store
	ids     *identity.Identity // of the other gateway
	url     string
	mine    *identity.Identity
	store   *upstream.Store
	servers *mcptools.Servers
	tools   *agent.Registry
	db      *database.DB
	file    string
	log     log
	// before runs in the tool of the other gateway.
	before func(ctx context.Context, user string)
}

// newWorld starts both gateways.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, file: filepath.Join(t.TempDir(), "windie.db")}
	w.other = gatewaytest.StartAt(t, func(url string) gateway.App {
		app, _ := doorstest.Hosted(t)
		w.ids, w.grants = gatewaytest.OAuth(t, oauth.Config{Issuer: url, Resource: url + sdkapi.MCPPath})
		app.Identity, app.OAuth, app.PublicURL = w.ids, w.grants, url
		w.addTool(app.Tools)
		return app
	})
	var err error
	if w.db, err = database.Open(t.Context(), database.Config{File: w.file}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.db.Close() })
	w.url = gatewaytest.StartAt(t, w.app)
	return w
}

// app returns the gateway whose users sign in.
func (w *world) app(at string) gateway.App {
	t := w.t
	app, _ := doorstest.Hosted(t)
	w.mine = identity.Open(w.db)
	var err error
	w.store = upstream.Open(w.db, upstream.Config{
		Key: bytes.Repeat([]byte{7}, upstream.KeyBytes), Console: at + "/console/#/gateway/connections", PublicURL: at,
		Servers: func() []upstream.Server { return w.servers.SignIns() },
	})
	specs, err := mcptools.Parse([]byte(`{"mcpServers":{"other":{"url":"`+w.other+`/mcp","risk":{"web_whoami":"safe","web_token":"safe"}}}}`), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	app.Log = slog.New(slog.NewJSONHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.servers, err = mcptools.New(mcptools.Config{Specs: specs, Dir: t.TempDir(), Log: app.Log, Connections: w.store}, app.Tools)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { w.servers.Run(ctx) })
	t.Cleanup(func() {
		stop()
		run.Wait()
		w.servers.Close()
	})
	app.Identity, app.PublicURL, app.MCPServers, app.Connections = w.mine, at, w.servers, w.store
	w.tools = app.Tools
	return app
}

// addTool registers the tools of the other gateway: one that returns its user, and one that returns the
// access token, or fails with it, as a hostile server may.
func (w *world) addTool(tools *agent.Registry) {
	type answer struct {
		User string `json:"user"`
		Said string `json:"said"`
	}
	type ask struct {
		Say string `json:"say"`
	}
	whoami := agent.Func(agent.Descriptor{Name: "web.whoami", Tag: "Web", Risk: agent.Safe}, func(ctx context.Context, call agent.Call, in ask) (answer, error) {
		if w.before != nil {
			w.before(ctx, call.User)
		}
		return answer{call.User, in.Say}, nil
	})
	token := agent.Func(agent.Descriptor{Name: "web.token", Tag: "Web", Risk: agent.Safe}, func(ctx context.Context, _ agent.Call, in ask) (answer, error) {
		if why, is := strings.CutPrefix(in.Say, "fail: "); is {
			return answer{}, fault.New("test", sdkapi.ToolError, "%s", why)
		}
		return answer{"", in.Say}, nil
	})
	for _, tool := range []agent.Tool{whoami, token} {
		if err := tools.Register(tool); err != nil {
			w.t.Fatal(err)
		}
	}
}

// person is a user of both gateways, with a browser that is signed in at both.
type person struct {
	w           *world
	user, token string // at the gateway
	there       string // user at the other gateway
	browser     *http.Client
}

// person returns a new person.
func (w *world) person() *person {
	w.t.Helper()
	here, token := doorstest.Registered(w.t, w.mine)
	there, otherToken := doorstest.Registered(w.t, w.ids)
	p := &person{w: w, user: here.User, token: token, there: there.User, browser: browser(w.t)}
	for at, token := range map[string]string{w.url: token, w.other: otherToken} {
		if got := p.by(http.MethodPost, at+sdkapi.ConsoleVisitPath, `{"token":"`+token+`"}`); got.status != http.StatusOK {
			w.t.Fatal(got)
		}
	}
	return p
}

// browser returns a client with cookies that follows no redirects.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// answer is a response.
type answer struct {
	status int
	to     string
	body   string
}

// String returns the response in one line.
func (a answer) String() string { return fmt.Sprintf("%d %s %s", a.status, a.to, a.body) }

// into decodes the body.
func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatal(a)
	}
	if err := json.Unmarshal([]byte(a.body), v); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
}

// send sends a request with headers.
func send(t *testing.T, client *http.Client, method, to, body string, headers map[string]string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	resp, err := client.Do(request)
	if err != nil {
		t.Error(err)
		return answer{}
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header.Get("Location"), string(raw)}
}

// by sends a request of the console in the person's browser.
func (p *person) by(method, to, body string) answer {
	p.w.t.Helper()
	return send(p.w.t, p.browser, method, to, body, console)
}

// begin begins a sign-in, and returns the URL of the issuer.
func (p *person) begin() *url.URL {
	p.w.t.Helper()
	var start sdkapi.ConsoleConnectionStart
	p.by(http.MethodPost, p.w.url+sdkapi.ConsoleConnectionsPath+"/other", "").into(p.w.t, &start)
	to, err := url.Parse(start.Location)
	if err != nil {
		p.w.t.Fatal(err)
	}
	return to
}

// consent allows the access at the other gateway, and returns the query with which the browser comes
// back to the console.
func (p *person) consent(at *url.URL) string {
	p.w.t.Helper()
	t := p.w.t
	if got := send(t, p.browser, http.MethodGet, at.String(), "", nil); got.status != http.StatusSeeOther {
		t.Fatal(got)
	}
	var shown sdkapi.ConsoleConsent
	p.by(http.MethodGet, p.w.other+sdkapi.ConsoleConsentPath+"?"+at.RawQuery, "").into(t, &shown)
	body, _ := json.Marshal(sdkapi.ConsoleConsentDecision{Query: at.RawQuery, Proof: shown.Proof, Allow: true, Scopes: shown.Scopes})
	var done sdkapi.ConsoleConsentResult
	p.by(http.MethodPost, p.w.other+sdkapi.ConsoleConsentPath, string(body)).into(t, &done)
	back := send(t, p.browser, http.MethodGet, done.Location, "", nil)
	_, query, found := strings.Cut(back.to, "/console/#/connected?")
	if back.status != http.StatusSeeOther || !found {
		t.Fatal(back)
	}
	return query
}

// finish completes a sign-in by the query of consent.
func (p *person) finish(query string) answer {
	p.w.t.Helper()
	body, _ := json.Marshal(sdkapi.ConsoleConnectionResult{Query: query})
	return p.by(http.MethodPost, p.w.url+sdkapi.ConsoleConnectionsPath, string(body))
}

// connect signs the person in to the other gateway, and waits for its tools.
func (p *person) connect() {
	p.w.t.Helper()
	p.w.signsIn()
	var done sdkapi.ConsoleConnectionDone
	p.finish(p.consent(p.begin())).into(p.w.t, &done)
	if done.Server != "other" {
		p.w.t.Fatal(done)
	}
	testkit.Eventually(p.w.t, "the tools are listed", func() (bool, bool) {
		_, ok := p.w.tools.View().Get("other.web_whoami")
		return ok, ok
	})
}

// signsIn waits until the gateway knows that users sign in to the other one.
func (w *world) signsIn() {
	w.t.Helper()
	testkit.Eventually(w.t, "the gateway finds out that users sign in", func() (int, bool) {
		n := len(w.servers.SignIns())
		return n, n == 1
	})
}

// call calls a tool of the other gateway by the HTTP API.
func (p *person) call(tool, arguments string) answer {
	p.w.t.Helper()
	return send(p.w.t, http.DefaultClient, http.MethodPost, p.w.url+sdkapi.ToolPath("other."+tool), arguments,
		map[string]string{"Authorization": "Bearer " + p.token, sdkapi.UserHeader: p.user, "Content-Type": "application/json"})
}

// state returns the state of the person's connection.
func (p *person) state() string {
	p.w.t.Helper()
	var all sdkapi.ConsoleConnections
	p.by(http.MethodGet, p.w.url+sdkapi.ConsoleConnectionsPath, "").into(p.w.t, &all)
	if len(all.Connections) != 1 {
		p.w.t.Fatal(all)
	}
	return all.Connections[0].State
}
