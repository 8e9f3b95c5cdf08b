package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

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
	cfg, ids := doorstest.Hosted(t)
	url := gatewaytest.Start(t, cfg)
	revoked, revokedToken := doorstest.Registered(t, ids)
	if err := ids.Revoke(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	routes := doorstest.RoutesOf(t, url)
	guarded := 0
	for _, r := range append(routes,
		doorstest.Route{Method: "GET", Path: "/api/nothing", Asks: []string{"install"}}, doorstest.Route{Method: "POST", Path: "/v1/chat", Asks: []string{"install"}}, doorstest.Route{Method: "GET", Path: "/ws", Asks: []string{"install"}},
		doorstest.Route{Method: "GET", Path: "/ws/transcription", Asks: []string{"install"}}, doorstest.Route{Method: "PATCH", Path: "/api/tools", Asks: []string{"install"}}, doorstest.Route{Method: "GET", Path: "/no/such/route", Asks: []string{"install"}},
		doorstest.Route{Method: "GET", Path: "/metrics", Asks: []string{"install"}}, doorstest.Route{Method: "GET", Path: "/API/Tools/", Asks: []string{"install"}}, doorstest.Route{Method: "OPTIONS", Path: "/api/tools", Asks: []string{"install"}},
	) {
		if len(r.Asks) == 0 {
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
				path := doorstest.PathParameter.ReplaceAllString(r.Path, "x")
				known := "/api/capabilities"
				if strings.HasPrefix(path, sdkapi.OpenAIPath+"/") { // errors have more fields there, at any path
					known = sdkapi.OpenAIPath + "/nothing"
				}
				_, want := dump(t, r.Method, url+known, nil)
				if status, got := dump(t, r.Method, url+path, header); status != http.StatusUnauthorized || got != want {
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
	cfg, ids := doorstest.Hosted(t)
	url := gatewaytest.Start(t, cfg)
	ada, adasToken := doorstest.Registered(t, ids)
	eve, evesToken := doorstest.Registered(t, ids)
	want := map[string]string{}
	for _, r := range doorstest.RoutesOf(t, url) {
		path := doorstest.PathParameter.ReplaceAllString(r.Path, "x")
		status, got := dump(t, r.Method, url+path, map[string]string{"Authorization": "Bearer " + evesToken, sdkapi.UserHeader: ada.User})
		for _, secret := range []string{ada.User, ada.ID, adasToken, evesToken, eve.ID, cfg.OperatorToken} {
			if strings.Contains(got, secret) {
				t.Errorf("%s tells %s:\n%s", r, secret, got)
			}
		}
		kind := strings.Join(r.Asks, " ")
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
	cfg, _ := doorstest.Hosted(t)
	url := gatewaytest.Start(t, cfg)
	var open []string
	for _, r := range doorstest.RoutesOf(t, url) {
		if len(r.Asks) == 0 {
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
			resp, _ := doorstest.Get(t, url+path)
			if resp.StatusCode != want && path != "/health" { // which may miss its reader
				t.Errorf("%s: %s", path, resp.Status)
			}
		})
	}
}

// A revoked install is out with its next request, on a connection it has already.
func TestRevokedAtOnce(t *testing.T) {
	t.Parallel()
	cfg, ids := doorstest.Hosted(t)
	url := gatewaytest.Start(t, cfg)
	install, token := doorstest.Registered(t, ids)
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
	cfg, ids := doorstest.Hosted(t)
	cfg.OperatorToken = ""
	url := gatewaytest.Start(t, cfg)
	_, token := doorstest.Registered(t, ids)
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
	cfg, ids := doorstest.Hosted(t)
	url := gatewaytest.Start(t, cfg)
	_, token := doorstest.Registered(t, ids)
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
