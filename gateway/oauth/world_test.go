package oauth_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/oauth"
)

// callback is where the client of the tests gets its codes.
const callback = "http://127.0.0.1:33418/callback"

// world is a hosted gateway with a user, whose browser is signed in, and a registered client.
type world struct {
	t      *testing.T
	url    string
	ids    *identity.Identity
	store  *oauth.Store
	ada    identity.Install
	token  string // of ada's install
	client string // id of the registered client
	calls  atomic.Int32
	http.Client
}

// newWorld starts a gateway. The function change may change its settings; it may be nil.
func newWorld(t *testing.T, cfg oauth.Config, change func(*gateway.App)) *world {
	t.Helper()
	w := &world{t: t}
	w.url = gatewaytest.StartAt(t, func(url string) gateway.App {
		app, _ := doorstest.Hosted(t)
		cfg.Issuer, cfg.Resource = url, url+sdkapi.MCPPath
		w.ids, w.store = gatewaytest.OAuth(t, cfg)
		app.Identity, app.OAuth, app.PublicURL = w.ids, w.store, url
		w.addTools(app.Tools)
		if change != nil {
			change(&app)
		}
		return app
	})
	w.ada, w.token = doorstest.Registered(t, w.ids)
	w.Client = *browser(t)
	w.signIn(&w.Client, w.token)
	if _, err := w.store.Client(t.Context(), "client_none"); oauth.RefusalOf(err) == nil {
		t.Fatal(err)
	}
	w.client = w.register(`{"client_name":"Claude","redirect_uris":["` + callback + `"]}`)
	return w
}

// serve starts another gateway with the users of w, and returns its URL.
func serve(t *testing.T, w *world, change func(*gateway.App)) string {
	t.Helper()
	return gatewaytest.StartAt(t, func(url string) gateway.App {
		app, _ := doorstest.Hosted(t)
		app.Identity, app.OAuth, app.PublicURL = w.ids, w.store, url
		w.addTools(app.Tools)
		change(&app)
		return app
	})
}

// addTools registers a tool of each kind, which counts its calls.
func (w *world) addTools(tools *agent.Registry) {
	w.t.Helper()
	for _, d := range []agent.Descriptor{
		{Name: "ocr.read", Tag: "OCR", Risk: agent.Safe}, {Name: "web.search", Tag: "Web", Risk: agent.Safe},
		{Name: "memory.write", Tag: "Memory", Risk: agent.Risky}, {Name: "computer.look", Tag: "computer", Risk: agent.Safe},
	} {
		err := tools.Register(agent.Func(d, func(context.Context, agent.Call, struct{}) (struct{}, error) {
			w.calls.Add(1)
			return struct{}{}, nil
		}))
		if err != nil {
			w.t.Fatal(err)
		}
	}
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

// signIn signs a browser in at the console by the token of an install.
func (w *world) signIn(b *http.Client, token string) {
	w.t.Helper()
	if got := w.by(b, http.MethodPost, sdkapi.ConsoleVisitPath, `{"token":"`+token+`"}`, console); got.status != http.StatusOK {
		w.t.Fatal(got)
	}
}

// console are the headers of the console's own requests.
var console = map[string]string{sdkapi.ConsoleHeader: "1", "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}

// form are the headers of a client's requests for tokens.
var form = map[string]string{"Content-Type": "application/x-www-form-urlencoded"}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

// String returns the response in one line.
func (a answer) String() string {
	return fmt.Sprintf("%d %s %s", a.status, a.body, a.header.Get("WWW-Authenticate"))
}

// into decodes the body.
func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), v); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
}

// by sends a request of a client.
func (w *world) by(client *http.Client, method, path, body string, headers map[string]string) answer {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	resp, err := client.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(raw)}
}

// send sends a request of a client without cookies.
func (w *world) send(method, path, body string, headers map[string]string) answer {
	w.t.Helper()
	return w.by(&http.Client{CheckRedirect: w.CheckRedirect}, method, path, body, headers)
}

// register registers a client and returns its id.
func (w *world) register(body string) string {
	w.t.Helper()
	got := w.send(http.MethodPost, sdkapi.OAuthRegisterPath, body, map[string]string{"Content-Type": "application/json"})
	var made sdkapi.OAuthRegistration
	got.into(w.t, &made)
	if got.status != http.StatusCreated || made.ClientID == "" || made.AuthMethod != "none" {
		w.t.Fatal(got)
	}
	return made.ClientID
}

// verifier is a PKCE verifier of the tests.
var verifier = strings.Repeat("v", 43)

// challengeOf returns the S256 challenge of a verifier.
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// query returns the query of a good request, with changes: a value that is empty removes its parameter.
func (w *world) query(changes ...string) string {
	values := url.Values{
		"response_type": {"code"}, "client_id": {w.client}, "redirect_uri": {callback}, "state": {"xyz"}, "scope": {"screens tools"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"}, "resource": {w.url + "/mcp"},
	}
	for i := 0; i+1 < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			values.Del(changes[i])
		}
	}
	return values.Encode()
}

// ask asks what the console shows for a client's request.
func (w *world) ask(query string) answer {
	w.t.Helper()
	return w.by(&w.Client, http.MethodGet, sdkapi.ConsoleConsentPath+"?"+query, "", console)
}

// shown returns what the console shows for a client's request, which must be good.
func (w *world) shown(query string) (shown sdkapi.ConsoleConsent) {
	w.t.Helper()
	got := w.ask(query)
	if got.status != http.StatusOK {
		w.t.Fatal(got)
	}
	got.into(w.t, &shown)
	return shown
}

// decision returns the body of a decision.
func decision(query, proof string, allow bool, scopes ...string) string {
	raw, _ := json.Marshal(sdkapi.ConsoleConsentDecision{Query: query, Proof: proof, Allow: allow, Scopes: scopes})
	return string(raw)
}

// decide sends a decision of the person.
func (w *world) decide(body string) answer {
	w.t.Helper()
	return w.by(&w.Client, http.MethodPost, sdkapi.ConsoleConsentPath, body, console)
}

// allowed lets the person allow all that a request asks for, and returns the redirect to the client.
func (w *world) allowed(query string) *url.URL {
	w.t.Helper()
	shown := w.shown(query)
	got := w.decide(decision(query, shown.Proof, true, shown.Scopes...))
	var result sdkapi.ConsoleConsentResult
	got.into(w.t, &result)
	to, err := url.Parse(result.Location)
	if err != nil || to.Query().Get("code") == "" {
		w.t.Fatal(got)
	}
	return to
}

// code returns a code for a request.
func (w *world) code(query string) string {
	w.t.Helper()
	return w.allowed(query).Query().Get("code")
}

// exchange exchanges a code, with changes as in query.
func (w *world) exchange(code string, changes ...string) answer {
	w.t.Helper()
	values := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {w.client}, "redirect_uri": {callback}, "code_verifier": {verifier}, "resource": {w.url + "/mcp"},
	}
	return w.tokens(values, changes...)
}

// refresh exchanges a refresh token, with changes as in query.
func (w *world) refresh(token string, changes ...string) answer {
	w.t.Helper()
	return w.tokens(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {w.client}}, changes...)
}

func (w *world) tokens(values url.Values, changes ...string) answer {
	w.t.Helper()
	for i := 0; i+1 < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			values.Del(changes[i])
		}
	}
	return w.send(http.MethodPost, sdkapi.OAuthTokenPath, values.Encode(), form)
}

// connected returns the tokens of a client that the person has allowed some scopes.
func (w *world) connected(scopes string) (tokens sdkapi.OAuthTokens) {
	w.t.Helper()
	got := w.exchange(w.code(w.query("scope", scopes)))
	if got.status != http.StatusOK {
		w.t.Fatal(got)
	}
	got.into(w.t, &tokens)
	return tokens
}

// mcp sends a message without a session to the MCP server.
func (w *world) mcp(token, method, params string) answer {
	w.t.Helper()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		params += ","
	}
	headers := map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method,
	}
	if token != "" {
		headers["Authorization"] = "Bearer " + token
	}
	if method == "tools/call" {
		var named struct{ Name string }
		_ = json.Unmarshal([]byte("{"+strings.TrimSuffix(params, ",")+"}"), &named)
		headers["Mcp-Name"] = named.Name
	}
	return w.send(http.MethodPost, sdkapi.MCPPath, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+meta+`}}`, headers)
}

// opens reports whether a token opens the MCP server.
func (w *world) opens(token string) bool {
	w.t.Helper()
	switch got := w.mcp(token, "tools/list", ""); got.status {
	case http.StatusOK:
		return true
	case http.StatusUnauthorized:
		return false
	default:
		w.t.Fatal(got)
		return false
	}
}

// documentHost serves a document of a client by HTTPS. It returns the URL of the document, what loads it,
// and how often it was loaded.
func documentHost(t *testing.T, answer func(id string, w http.ResponseWriter)) (id string, documents *egress.Client, loaded *atomic.Int32) {
	t.Helper()
	loaded = new(atomic.Int32)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		loaded.Add(1)
		w.Header().Set("Content-Type", "application/json")
		answer(id, w)
	}))
	t.Cleanup(server.Close)
	at := netip.MustParseAddrPort(server.Listener.Addr().String())
	host := fmt.Sprintf("example.com:%d", at.Port())
	id = "https://" + host + "/client.json"
	documents, err := egress.New(egress.Config{
		Rules: []egress.Rule{{Host: host, Private: true}}, Limits: oauth.DocumentLimits(), Roots: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
		Resolver: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{at.Addr()}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = documents.Close() })
	return id, documents, loaded
}

// secretLike returns a text with the form of a token that nobody has issued.
func secretLike(prefix string) string {
	var random [32]byte
	_, _ = rand.Read(random[:])
	return prefix + base64.RawURLEncoding.EncodeToString(random[:])
}
