package doors_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/identity"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/memory"
	"github.com/windieos/windie/sdkapi"
)

// operatorsToken is the token of the operator of hosted gateways.
const operatorsToken = "a token that nobody guesses"

// hosted returns a hosted gateway with all there is on it, and its identities.
func hosted(t *testing.T) (gateway.Config, *identity.Identity) {
	t.Helper()
	cfg := withPlugins(t)
	talking, _ := scripted(t)
	cfg.Sessions, cfg.Journal, cfg.Models = talking.Sessions, talking.Journal, talking.Models
	cfg.Audit = gatewaytest.Audit(t)
	cfg.Memory, cfg.Embeddings, cfg.Digests = gatewaytest.Memory(t, memory.Options{}), countingService(), new(digest.Digester)
	cfg.Identity, cfg.Hosted, cfg.OperatorToken = gatewaytest.Identity(t), true, operatorsToken
	return cfg, cfg.Identity
}

// registered returns an install and its token.
func registered(t *testing.T, ids *identity.Identity) (identity.Install, string) {
	t.Helper()
	install, token, err := ids.Register(t.Context(), "Windows")
	if err != nil {
		t.Fatal(err)
	}
	return install, token
}

// route is one of the API document.
type route struct {
	method, path string
	asks         []string // for which schemes of security
}

func (r route) String() string { return r.method + " " + r.path }

// routesOf lists what the API document of a gateway describes.
func routesOf(t *testing.T, url string) []route {
	t.Helper()
	_, body := get(t, url+"/openapi.json")
	var doc struct {
		Paths map[string]map[string]struct {
			Security []map[string][]string
			Statuses []int `json:"x-statuses"`
		}
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	var routes []route
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			r := route{method: strings.ToUpper(method), path: path}
			for _, scheme := range operation.Security {
				r.asks = append(r.asks, slices.Sorted(maps.Keys(scheme))...)
			}
			asksWho := len(r.asks) > 0 && !slices.Equal(r.asks, []string{"key"}) // which is not about who asks, and missing is a 403
			if told := slices.Contains(operation.Statuses, http.StatusUnauthorized); told != asksWho {
				t.Errorf("%s asks for %v, and documents a 401: %v", r, r.asks, told)
			}
			routes = append(routes, r)
		}
	}
	return routes
}

var pathParameter = regexp.MustCompile(`\{[^}]+\}`)

// dump sends a request and returns all of its answer but what no two answers
// have in common.
func dump(t *testing.T, method, url string, header map[string]string) (status int, all string) {
	t.Helper()
	var body io.Reader
	if method == http.MethodPost || method == http.MethodPut {
		body = strings.NewReader(`{"operating_system":1}`)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("X-Request-ID") == "" {
		t.Error("an answer without an id")
	}
	resp.Header.Del("X-Request-ID")
	resp.Header.Del("Date")
	if resp.Header.Del("Content-Length"); method == http.MethodHead {
		content = nil
	}
	return resp.StatusCode, fmt.Sprintf("%s %v\n%s", resp.Status, resp.Header, strings.TrimSpace(string(content)))
}

// Whoever brings no token that is known gets one answer, at every route there
// is and at those that are not: nothing shows which there are, whether a token
// was ever valid, or whose it was.
func TestWithoutATokenEverythingLooksAlike(t *testing.T) {
	t.Parallel()
	cfg, ids := hosted(t)
	url := gatewaytest.Start(t, cfg)
	revoked, revokedToken := registered(t, ids)
	if err := ids.Revoke(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	routes := routesOf(t, url)
	guarded := 0
	for _, r := range append(routes,
		route{"GET", "/api/nothing", []string{"install"}}, route{"POST", "/v1/chat", []string{"install"}}, route{"GET", "/ws", []string{"install"}},
		route{"GET", "/ws/transcription", []string{"install"}}, route{"PATCH", "/api/tools", []string{"install"}}, route{"GET", "/no/such/route", []string{"install"}},
		route{"GET", "/metrics", []string{"install"}}, route{"GET", "/API/Tools/", []string{"install"}}, route{"OPTIONS", "/api/tools", []string{"install"}},
	) {
		if len(r.asks) == 0 {
			continue
		}
		guarded++
		for name, header := range map[string]map[string]string{
			"no token":  {sdkapi.UserHeader: revoked.User},
			"malformed": {sdkapi.UserHeader: revoked.User, "Authorization": "Bearer wnd_install_x"},
			"unknown":   {sdkapi.UserHeader: revoked.User, "Authorization": "Bearer wnd_install_" + strings.Repeat("A", 43)},
			"revoked":   {sdkapi.UserHeader: revoked.User, "Authorization": "Bearer " + revokedToken},
			"a cookie":  {"Cookie": "token=" + revokedToken},
			"two":       {"Authorization": "Bearer " + revokedToken + ", Bearer " + cfg.OperatorToken},
		} {
			t.Run(name, func(t *testing.T) {
				path := pathParameter.ReplaceAllString(r.path, "x")
				_, want := dump(t, r.method, url+"/api/capabilities", nil)
				if status, got := dump(t, r.method, url+path, header); status != http.StatusUnauthorized || got != want {
					t.Errorf("%s, %s:\n%s\nand not\n%s", r, name, got, want)
				}
			})
		}
	}
	if guarded < 25 {
		t.Errorf("only %d routes were tried", guarded)
	}
}

// A token opens what is its user's, and says so of nobody else.
func TestAnothersToken(t *testing.T) {
	t.Parallel()
	cfg, ids := hosted(t)
	url := gatewaytest.Start(t, cfg)
	ada, adasToken := registered(t, ids)
	eve, evesToken := registered(t, ids)
	want := map[string]string{}
	for _, r := range routesOf(t, url) {
		path := pathParameter.ReplaceAllString(r.path, "x")
		status, got := dump(t, r.method, url+path, map[string]string{"Authorization": "Bearer " + evesToken, sdkapi.UserHeader: ada.User})
		for _, secret := range []string{ada.User, ada.ID, adasToken, evesToken, eve.ID, cfg.OperatorToken} {
			if strings.Contains(got, secret) {
				t.Errorf("%s tells %s:\n%s", r, secret, got)
			}
		}
		kind := strings.Join(r.asks, " ")
		switch kind {
		case "install user", "operator":
			if want[kind] == "" {
				want[kind] = got
			}
			if status != http.StatusForbidden || got != want[kind] {
				t.Errorf("%s, which asks for %s:\n%s\nand not\n%s", r, kind, got, want[kind])
			}
		case "install", "":
			if status == http.StatusUnauthorized {
				t.Errorf("%s: %s", r, got)
			}
		default:
			t.Errorf("%s asks for %s", r, kind)
		}
	}
	if !strings.Contains(want["install user"], string(sdkapi.PermissionDenied)) || !strings.Contains(want["operator"], string(sdkapi.OperatorOnly)) {
		t.Errorf("refusals: %v", want)
	}
}

// What is open stays open, and nothing else is.
func TestOpenRoutes(t *testing.T) {
	t.Parallel()
	cfg, _ := hosted(t)
	url := gatewaytest.Start(t, cfg)
	var open []string
	for _, r := range routesOf(t, url) {
		if len(r.asks) == 0 {
			open = append(open, r.String())
		}
	}
	slices.Sort(open)
	if got := strings.Join(open, ", "); got != "GET /health, GET /ready, POST "+sdkapi.InstallRegisterPath {
		t.Errorf("open routes: %s", got)
	}
	for path, want := range map[string]int{
		"/health": 200, "/docs": 200, "/docs/docs.js": 200, "/openapi.json": 200, "/openapi.yaml": 200, "/openapi-3.0.json": 200,
		"/ready/x": 401, "/healthy": 401, "/docsx": 401, "/docs/../api/tools": 404,
	} {
		t.Run(path, func(t *testing.T) {
			resp, _ := get(t, url+path)
			if resp.StatusCode != want && path != "/health" { // which may miss its reader
				t.Errorf("%s: %s", path, resp.Status)
			}
		})
	}
}

// A revoked install is out with its next request, on a connection it has already.
func TestRevokedAtOnce(t *testing.T) {
	t.Parallel()
	cfg, ids := hosted(t)
	url := gatewaytest.Start(t, cfg)
	install, token := registered(t, ids)
	header := map[string]string{"Authorization": "Bearer " + token, sdkapi.UserHeader: install.User}
	if status, got := dump(t, http.MethodGet, url+sdkapi.ToolsPath, header); status != http.StatusOK {
		t.Fatal(got)
	}
	if err := ids.Revoke(t.Context(), install.ID); err != nil {
		t.Fatal(err)
	}
	if status, got := dump(t, http.MethodGet, url+sdkapi.ToolsPath, header); status != http.StatusUnauthorized {
		t.Error(got)
	}
}

// Without a token of their own operators are nobody at a hosted gateway: a
// request from its machine may come from a proxy there.
func TestHostedWithoutAnOperator(t *testing.T) {
	t.Parallel()
	cfg, ids := hosted(t)
	cfg.OperatorToken = ""
	url := gatewaytest.Start(t, cfg)
	_, token := registered(t, ids)
	for authorization, want := range map[string]int{"": 401, "Bearer ": 401, "Bearer " + token: 403} {
		t.Run(authorization, func(t *testing.T) {
			if status, got := dump(t, http.MethodGet, url+sdkapi.PluginsPath, map[string]string{"Authorization": authorization}); status != want {
				t.Errorf("%q: %s", authorization, got)
			}
		})
	}
}

// A page of another site gets nowhere, by whatever method, with a token or without.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	cfg, ids := hosted(t)
	url := gatewaytest.Start(t, cfg)
	_, token := registered(t, ids)
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
		for _, path := range []string{"/api/tools", "/api/plugins/x", "/api/install/register", "/ws", "/v1/sessions", "/health", "/nothing"} {
			header := map[string]string{"Origin": "https://evil.example", "Authorization": "Bearer " + token}
			if path == "/ws" {
				header["Connection"], header["Upgrade"] = "Upgrade", "websocket"
			}
			status, got := dump(t, method, url+path, header)
			if status != http.StatusForbidden || strings.Contains(got, "Access-Control-") || method != "HEAD" && !strings.Contains(got, string(sdkapi.OriginRefused)) {
				t.Errorf("%s %s: %s", method, path, got)
			}
		}
	}
}
