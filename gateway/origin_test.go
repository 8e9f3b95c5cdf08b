package gateway_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// local returns a local gateway with all there is on it.
func local(t *testing.T) gateway.App {
	t.Helper()
	cfg := doorstest.WithPlugins(t)
	talking, _ := doorstest.Scripted(t)
	cfg.Sessions, cfg.Journal, cfg.Models = talking.Sessions, talking.Journal, talking.Models
	cfg.Audit, cfg.Memory, cfg.Identity = gatewaytest.Audit(t), gatewaytest.Memory(t, memory.Options{}), gatewaytest.Identity(t)
	cfg.ApprovalKey = doorstest.LocalKey
	return cfg
}

// statusFor makes a request with headers, and a host where it names one.
func statusFor(t *testing.T, method, url, host string, header http.Header) (status int, code sdkapi.Code) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Content-Type", "application/json")
	if host != "" {
		r.Host = host
	}
	resp, err := doorstest.Stays.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	var envelope sdkapi.ErrorResponse
	_ = json.Unmarshal(body, &envelope)
	return resp.StatusCode, envelope.Error.Code
}

// everyRoute lists all routes of a gateway, those that the API document does not
// describe too.
func everyRoute(t *testing.T, url string) []doorstest.Route {
	t.Helper()
	others := []doorstest.Route{{Method: http.MethodGet, Path: sdkapi.WSPath, Asks: nil}, {Method: http.MethodPost, Path: sdkapi.MCPPath, Asks: nil}, {Method: http.MethodGet, Path: sdkapi.MCPPath, Asks: nil},
		{Method: http.MethodDelete, Path: sdkapi.MCPPath, Asks: nil}, {Method: http.MethodGet, Path: "/docs", Asks: nil}, {Method: http.MethodGet, Path: "/openapi.json", Asks: nil}, {Method: http.MethodGet, Path: "/nowhere", Asks: nil}}
	routes := append(doorstest.RoutesOf(t, url), others...)
	if len(routes) < 40 {
		t.Fatalf("only %d routes", len(routes))
	}
	return routes
}

// A page whose name was made to point at this machine gets nothing from a local
// gateway, by whichever route, nor does a page of another site that has a browser
// ask without an Origin. Its health is for everybody.
func TestLocalRoutesAreNotForPages(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, local(t))
	_, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
	for _, r := range everyRoute(t, url) {
		path := url + doorstest.PathParameter.ReplaceAllString(r.Path, "x")
		for name, tt := range map[string]struct {
			host   string
			header http.Header
		}{
			"another name":           {"evil.example:" + port, nil},
			"another name, fetched":  {"evil.example:" + port, http.Header{"Sec-Fetch-Site": {"same-origin"}}},
			"an image":               {"", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}, "Sec-Fetch-Dest": {"image"}}},
			"of another port":        {"", http.Header{"Sec-Fetch-Site": {"same-site"}, "Sec-Fetch-Mode": {"no-cors"}, "Referer": {"http://localhost:3000/"}}},
			"in a frame":             {"", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"iframe"}}},
			"a form, without Origin": {"", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"iframe"}, "Referer": {"https://evil.example/"}}},
		} {
			t.Run(name, func(t *testing.T) {
				status, code := statusFor(t, r.Method, path, tt.host, tt.header)
				open := r.Path == sdkapi.HealthPath || r.Path == sdkapi.ReadyPath
				if refused := status == http.StatusForbidden && (code == sdkapi.OriginRefused || r.Method == http.MethodHead); refused == open {
					t.Errorf("%s by %s: %d %s", r, name, status, code)
				}
			})
		}
	}
}

// Those who may ask still can: a program, by an address, localhost or a name that is set
// or has no dot; a person who follows a link to what people read; and a page of an
// origin that is allowed, also for an image.
func TestLocalRoutesAreForPeople(t *testing.T) {
	t.Parallel()
	cfg := local(t)
	cfg.PublicURL, cfg.AllowedOrigins = "https://windie.example/below", []string{"http://localhost:3000", "http://host.docker.internal:8765"}
	url := gatewaytest.Start(t, cfg)
	link := func(site, dest string) http.Header {
		return http.Header{"Sec-Fetch-Site": {site}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {dest}}
	}
	for name, tt := range map[string]struct {
		method, path, host string
		header             http.Header
		refused            bool
	}{
		"by the public URL":           {"GET", sdkapi.ToolsPath, "windie.example", nil, false},
		"by it, in capitals":          {"GET", sdkapi.ToolsPath, "Windie.Example", nil, false},
		"by it, at another port":      {"GET", sdkapi.ToolsPath, "windie.example:81", nil, true},
		"by an allowed origin's name": {"GET", sdkapi.ToolsPath, "host.docker.internal:8765", nil, false},
		"from a container":            {"GET", sdkapi.ToolsPath, "windie:8765", nil, false},
		"by localhost":                {"GET", sdkapi.ToolsPath, "localhost:8765", nil, false},
		"by an IPv6 address":          {"GET", sdkapi.ToolsPath, "[::1]:8765", nil, false},
		"by an address elsewhere":     {"GET", sdkapi.ToolsPath, "192.0.2.7:8765", nil, false},
		"by a name that begins so":    {"GET", sdkapi.ToolsPath, "windie.example.evil.example", nil, true},
		"by an address with more":     {"GET", sdkapi.ToolsPath, "127.0.0.1.evil.example", nil, true},
		"by a name with a dot behind": {"GET", sdkapi.ToolsPath, "localhost.", nil, true},
		"a person":                    {"GET", sdkapi.ToolsPath, "", link("none", "document"), false},
		"a page of ours":              {"GET", sdkapi.ToolsPath, "", link("same-origin", "empty"), false},
		"a link to the docs":          {"GET", "/docs", "", link("cross-site", "document"), false},
		"a link to the document":      {"GET", "/openapi.json", "", link("same-site", "document"), false},
		"a link to an artifact":       {"GET", sdkapi.ArtifactsPath + "a.png", "", link("cross-site", "document"), false},
		"a link to anything else":     {"GET", sdkapi.ToolsPath, "", link("cross-site", "document"), true},
		"a form to the docs":          {"POST", "/docs", "", link("cross-site", "document"), true},
		"the docs in a frame":         {"GET", "/docs", "", link("cross-site", "iframe"), true},
		"an allowed page's image":     {"GET", sdkapi.ArtifactsPath + "a.png", "", http.Header{"Sec-Fetch-Site": {"same-site"}, "Referer": {"http://localhost:3000/page"}}, false},
		"another page's image":        {"GET", sdkapi.ArtifactsPath + "a.png", "", http.Header{"Sec-Fetch-Site": {"same-site"}, "Referer": {"http://localhost:3001/page"}}, true},
		"a page that says nothing":    {"GET", sdkapi.ArtifactsPath + "a.png", "", http.Header{"Sec-Fetch-Site": {"same-site"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if status, code := statusFor(t, tt.method, url+tt.path, tt.host, tt.header); (code == sdkapi.OriginRefused) != tt.refused {
				t.Errorf("%d %s", status, code)
			}
		})
	}
}

// What says who asks is said once. Of two, a proxy may go by the other.
func TestHeadersSaidOnce(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, local(t))
	for _, name := range []string{sdkapi.UserHeader, sdkapi.KeyHeader, "Authorization", "Origin"} {
		for _, r := range everyRoute(t, url) {
			status, code := statusFor(t, r.Method, url+doorstest.PathParameter.ReplaceAllString(r.Path, "x"), "", http.Header{name: {"ada", "ada"}})
			if status != http.StatusUnprocessableEntity || code != sdkapi.ValidationError && r.Method != http.MethodHead {
				t.Errorf("%s with two %s: %d %s", r, name, status, code)
			}
		}
	}
}

// HEAD asks what GET does, also of what supervisors ask.
func TestHeadOfHealth(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, local(t))
	for _, path := range []string{sdkapi.HealthPath, sdkapi.ReadyPath} {
		resp, err := http.Head(url + path) //nolint:noctx // a test
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || len(body) > 0 || resp.ContentLength <= 0 {
			t.Errorf("HEAD %s: %d, %d bytes of %d", path, resp.StatusCode, len(body), resp.ContentLength)
		}
	}
}

// What the library that speaks MCP refuses in plain text has the envelope of all
// errors, and the same status.
func TestMCPErrorsHaveTheEnvelope(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, local(t)) + sdkapi.MCPPath
	both := http.Header{"Accept": {"application/json, text/event-stream"}}
	var codes []sdkapi.Code
	for name, tt := range map[string]struct {
		method string
		header http.Header
		want   int
	}{
		"no Accept":            {"POST", nil, 400},
		"not for events":       {"GET", http.Header{"Accept": {"application/json"}}, 400},
		"events of no session": {"GET", http.Header{"Accept": {"text/event-stream"}}, 400},
		"an end of no session": {"DELETE", both, 400},
		"another method":       {"PUT", both, 405},
		"a later version":      {"POST", http.Header{"Accept": both["Accept"], sdkapi.MCPVersionHeader: {"2099-01-01"}}, 400},
	} {
		t.Run(name, func(t *testing.T) {
			status, code := statusFor(t, tt.method, url, "", tt.header)
			if status != tt.want || code == "" && name != "a later version" { // which is an answer of the protocol
				t.Errorf("%s: %d %q", name, status, code)
			}
			codes = append(codes, code)
		})
	}
	if !slices.Contains(codes, sdkapi.MalformedBody) || !slices.Contains(codes, sdkapi.MethodNotAllowed) {
		t.Errorf("codes %q", codes)
	}
}

// The log names the setting for a page that was refused, once: a browser shows its user only that it failed.
func TestRefusedPageIsLogged(t *testing.T) {
	t.Parallel()
	log, cfg := new(doorstest.LockedBuffer), local(t)
	cfg.Log = slog.New(slog.NewTextHandler(log, nil))
	url := gatewaytest.Start(t, cfg)
	for _, origin := range []string{"http://webui.example:3000", "http://webui.example:3000", "http://other.example"} {
		header := http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"GET"}}
		if status, code := statusFor(t, http.MethodOptions, url+sdkapi.OpenAIModelsPath, "", header); status != http.StatusForbidden || code != sdkapi.OriginRefused {
			t.Errorf("%s: %d %s", origin, status, code)
		}
	}
	for text, want := range map[string]int{"origin=http://webui.example:3000": 1, "origin=http://other.example": 1, "WINDIE_ALLOWED_ORIGINS": 2} {
		if got := strings.Count(log.String(), text); got != want {
			t.Errorf("%q is in the log %d times, expected %d:\n%s", text, got, want, log.String())
		}
	}
}
