package console_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
	"github.com/windieos/windie/state/runs"
)

// browser is a client with cookies, as a browser is.
type browser struct {
	t    *testing.T
	base string
	http.Client
}

func newBrowser(t *testing.T, base string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, base, http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// console are the headers of the console's own requests.
var console = map[string]string{sdkapi.ConsoleHeader: "1", "Sec-Fetch-Site": "same-origin"}

func (b *browser) send(method, path, body string, headers map[string]string) (*http.Response, string) {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	if host := headers["Host"]; host != "" {
		request.Host = host
	}
	resp, err := b.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return resp, string(raw)
}

// wants checks an answer's status, and its code where it is a refusal.
func (b *browser) wants(status int, code sdkapi.Code, method, path, body string, headers map[string]string) string {
	b.t.Helper()
	resp, text := b.send(method, path, body, headers)
	var failure sdkapi.ErrorResponse
	_ = json.Unmarshal([]byte(text), &failure)
	if resp.StatusCode != status || failure.Error.Code != code {
		b.t.Errorf("%s %s: %d %s; expected %d %s", method, path, resp.StatusCode, text, status, code)
	}
	return text
}

const key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// localGateway is a local gateway with what asks for a person: the decisions.
func localGateway(t *testing.T, cfg gateway.App) (string, *identity.Identity) {
	t.Helper()
	log := journaltest.NewMemory()
	t.Cleanup(func() { _ = log.Close() })
	cfg.Journal, cfg.Identity, cfg.ApprovalKey = journal.Count(log), gatewaytest.Identity(t), key
	return gatewaytest.Start(t, cfg), cfg.Identity
}

// enter signs a browser in by a link.
func enter(t *testing.T, b *browser, ids *identity.Identity) {
	t.Helper()
	code, err := ids.MakeCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.wants(http.StatusOK, "", http.MethodPost, sdkapi.ConsoleVisitPath, `{"code":"`+code+`"}`, console)
}

// with returns headers and others besides.
func with(headers map[string]string, others ...string) map[string]string {
	out := map[string]string{}
	for name, value := range headers {
		out[name] = value
	}
	for i := 0; i < len(others); i += 2 {
		out[others[i]] = others[i+1]
	}
	return out
}

// Nobody comes in without a code or a token, and each refusal says why.
func TestComingInIsRefused(t *testing.T) {
	t.Parallel()
	url, ids := localGateway(t, gateway.App{OperatorToken: "operator"})
	b := newBrowser(t, url)
	used, err := ids.MakeCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := ids.UseCode(t.Context(), used); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		status  int
		code    sdkapi.Code
		body    string
		headers map[string]string
	}{
		"without the console's header":    {403, sdkapi.OriginRefused, `{"code":"x"}`, nil},
		"from a page of another site":     {403, sdkapi.OriginRefused, `{"code":"x"}`, with(console, "Origin", "http://evil.example", "Sec-Fetch-Site", "cross-site")},
		"from another port":               {403, sdkapi.OriginRefused, `{"code":"x"}`, with(console, "Origin", "http://127.0.0.1:3000", "Sec-Fetch-Site", "same-site")},
		"under a name made to point here": {403, sdkapi.OriginRefused, `{"code":"x"}`, with(console, "Host", "evil.example")},
		"a code that nobody made":         {401, sdkapi.AuthRequired, `{"code":"x"}`, console},
		"a code that was used":            {401, sdkapi.AuthRequired, `{"code":"` + used + `"}`, console},
		"another token":                   {401, sdkapi.AuthRequired, `{"token":"x"}`, console},
		"neither":                         {422, sdkapi.ValidationError, `{}`, console},
		"both":                            {422, sdkapi.ValidationError, `{"code":"x","token":"operator"}`, console},
		"a field twice":                   {422, sdkapi.ValidationError, `{"code":"x","code":"y"}`, console},
		"no JSON":                         {400, sdkapi.MalformedBody, `code=x`, console},
		"too much":                        {413, sdkapi.PayloadTooLarge, `{"code":"` + strings.Repeat("x", 4<<10) + `"}`, console},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrowser(t, b.base)
			b.wants(tt.status, tt.code, http.MethodPost, sdkapi.ConsoleVisitPath, tt.body, tt.headers)
			if resp, _ := b.send(http.MethodPost, sdkapi.ConsoleVisitPath, tt.body, tt.headers); resp.Header.Get("Set-Cookie") != "" {
				t.Error("a cookie was given all the same")
			}
		})
	}
}

// TestTriesAreLimited brings wrong codes and tokens until an address may bring no more: neither may it bring a right one then, but another
// address may.
func TestTriesAreLimited(t *testing.T) {
	t.Parallel()
	url, ids := localGateway(t, gateway.App{OperatorToken: "operator", TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	b := newBrowser(t, url)
	from := func(address string) map[string]string { return with(console, "X-Forwarded-For", address) }
	enter(t, b, ids) // right ones count for nothing
	tries := 0
	for status := 0; status != http.StatusTooManyRequests; tries++ {
		if tries == 1000 {
			t.Fatal("1000 wrong codes are not too many")
		}
		resp, text := b.send(http.MethodPost, sdkapi.ConsoleVisitPath, []string{`{"code":"x"}`, `{"token":"x"}`}[tries%2], from("192.0.2.1"))
		if status = resp.StatusCode; status == http.StatusTooManyRequests && resp.Header.Get("Retry-After") == "" || status != http.StatusTooManyRequests && status != http.StatusUnauthorized {
			t.Fatalf("%d %s", status, text)
		}
	}
	if tries <= 20 {
		t.Errorf("it is over after %d tries", tries)
	}
	b.wants(200, "", http.MethodPost, sdkapi.ConsoleVisitPath, `{"token":"operator"}`, from("192.0.2.2"))
}

// Who came in by a link may decide; the cookie alone, without the console's header, may not.
func TestDecidingTakesTheConsole(t *testing.T) {
	t.Parallel()
	url, ids := localGateway(t, gateway.App{})
	b := newBrowser(t, url)
	b.wants(403, sdkapi.KeyRequired, http.MethodGet, sdkapi.DecisionsPath, "", console)
	code, err := ids.MakeCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	resp, _ := b.send(http.MethodPost, sdkapi.ConsoleVisitPath, `{"code":"`+code+`"}`, console)
	cookie := resp.Header.Get("Set-Cookie")
	for _, has := range []string{"HttpOnly", "SameSite=Strict", "path=/", "max-age=604800"} {
		if !strings.Contains(cookie, has) {
			t.Errorf("the cookie %q lacks %s", cookie, has)
		}
	}
	b.wants(200, "", http.MethodGet, sdkapi.DecisionsPath, "", console)
	b.wants(403, sdkapi.KeyRequired, http.MethodGet, sdkapi.DecisionsPath, "", nil)
	b.wants(403, sdkapi.KeyRequired, http.MethodGet, sdkapi.DecisionsPath, "", with(console, "Authorization", "Bearer x"))
	b.wants(403, sdkapi.OriginRefused, http.MethodGet, sdkapi.DecisionsPath, "", with(console, "Origin", "http://127.0.0.1:3000"))
	preflight, _ := b.send(http.MethodOptions, sdkapi.DecisionsPath, "", map[string]string{"Origin": url, "Access-Control-Request-Method": "POST"})
	if strings.Contains(strings.ToLower(preflight.Header.Get("Access-Control-Allow-Headers")), "console") {
		t.Error("pages of other origins may send the console's header")
	}
	b.wants(200, "", http.MethodGet, sdkapi.DecisionsPath, "", map[string]string{sdkapi.KeyHeader: key}) // as before
	b.wants(204, "", http.MethodDelete, sdkapi.ConsoleVisitPath, "", console)
	b.wants(403, sdkapi.KeyRequired, http.MethodGet, sdkapi.DecisionsPath, "", console)
}

// The browsers that are let in are listed, and each may end the others.
func TestBrowsersAreEnded(t *testing.T) {
	t.Parallel()
	url, ids := localGateway(t, gateway.App{})
	first, second := newBrowser(t, url), newBrowser(t, url)
	first.wants(401, sdkapi.AuthRequired, http.MethodGet, sdkapi.ConsoleVisitsPath, "", console)
	first.wants(401, sdkapi.AuthRequired, http.MethodDelete, sdkapi.ConsoleVisitsPath+"/visit_x", "", console)
	enter(t, first, ids)
	enter(t, first, ids) // again: a browser has one visit
	enter(t, second, ids)
	var list sdkapi.ConsoleGuests
	if err := json.Unmarshal([]byte(first.wants(200, "", http.MethodGet, sdkapi.ConsoleVisitsPath, "", console)), &list); err != nil || len(list.Visits) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if list.Visits[0].Here || !list.Visits[1].Here {
		t.Errorf("which is here: %+v", list.Visits)
	}
	first.wants(403, sdkapi.OriginRefused, http.MethodDelete, sdkapi.ConsoleVisitsPath+"/"+list.Visits[0].ID, "", nil)
	first.wants(204, "", http.MethodDelete, sdkapi.ConsoleVisitsPath+"/"+list.Visits[0].ID, "", console)
	first.wants(404, sdkapi.NotFound, http.MethodDelete, sdkapi.ConsoleVisitsPath+"/"+list.Visits[0].ID, "", console)
	second.wants(403, sdkapi.KeyRequired, http.MethodGet, sdkapi.DecisionsPath, "", console)
	first.wants(200, "", http.MethodGet, sdkapi.DecisionsPath, "", console)
}

// On a hosted gateway a cookie is worth what the token is: an install's is its user's, and the
// operator's opens what the operator may see.
func TestHostedTokens(t *testing.T) {
	t.Parallel()
	ids := gatewaytest.Identity(t)
	url := gatewaytest.Start(t, gateway.App{Hosted: true, Identity: ids, OperatorToken: "operator"})
	install, token, err := ids.Register(t.Context(), "Linux")
	if err != nil {
		t.Fatal(err)
	}
	user, operator := newBrowser(t, url), newBrowser(t, url)
	code, err := ids.MakeCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	user.wants(401, sdkapi.AuthRequired, http.MethodPost, sdkapi.ConsoleVisitPath, `{"code":"`+code+`"}`, console)
	user.wants(401, sdkapi.AuthRequired, http.MethodPost, sdkapi.ConsoleVisitPath, `{"token":"wnd_install_x"}`, console)
	user.wants(200, "", http.MethodPost, sdkapi.ConsoleVisitPath, `{"token":"`+token+`"}`, console)
	mine := with(console, sdkapi.UserHeader, install.User)
	user.wants(200, "", http.MethodGet, sdkapi.ToolsPath, "", mine)
	user.wants(401, sdkapi.AuthRequired, http.MethodGet, sdkapi.ToolsPath, "", map[string]string{sdkapi.UserHeader: install.User})
	user.wants(403, sdkapi.PermissionDenied, http.MethodGet, sdkapi.ToolsPath, "", with(console, sdkapi.UserHeader, "ada"))
	user.wants(401, sdkapi.AuthRequired, http.MethodGet, sdkapi.MetricsPath, "", mine)
	operator.wants(200, "", http.MethodPost, sdkapi.ConsoleVisitPath, `{"token":"operator"}`, console)
	operator.wants(200, "", http.MethodGet, sdkapi.MetricsPath, "", console)
	operator.wants(401, sdkapi.AuthRequired, http.MethodGet, sdkapi.ToolsPath, "", with(console, sdkapi.UserHeader, install.User))
	if err := ids.Revoke(t.Context(), install.ID); err != nil {
		t.Fatal(err)
	}
	user.wants(401, sdkapi.AuthRequired, http.MethodGet, sdkapi.ToolsPath, "", mine)
}

// The operator, and on a local gateway the person who reads its data folder, sees runs without their key; an
// install's user does not.
func TestRunsFromTheConsole(t *testing.T) {
	t.Parallel()
	const runsKey = "a key that nobody guesses"
	cfg := gateway.App{RunsKey: runsKey}
	cfg.Runs = gatewaytest.Runs(t, runs.Options{})
	url, ids := localGateway(t, cfg)
	person := newBrowser(t, url)
	person.wants(403, sdkapi.KeyRequired, http.MethodGet, sdkapi.RunsPath, "", console)
	enter(t, person, ids)
	person.wants(200, "", http.MethodGet, sdkapi.RunsPath, "", console)
	person.wants(200, "", http.MethodPost, sdkapi.RunsStopAllPath, `{}`, console)
	person.wants(403, sdkapi.KeyRequired, http.MethodGet, sdkapi.RunsPath, "", nil)

	ids = gatewaytest.Identity(t)
	cfg.Hosted, cfg.Identity, cfg.OperatorToken = true, ids, "operator"
	url = gatewaytest.Start(t, cfg)
	_, token, err := ids.Register(t.Context(), "Linux")
	if err != nil {
		t.Fatal(err)
	}
	user, operator := newBrowser(t, url), newBrowser(t, url)
	user.wants(200, "", http.MethodPost, sdkapi.ConsoleVisitPath, `{"token":"`+token+`"}`, console)
	user.wants(403, sdkapi.KeyRequired, http.MethodGet, sdkapi.RunsPath, "", console)
	operator.wants(200, "", http.MethodPost, sdkapi.ConsoleVisitPath, `{"token":"operator"}`, console)
	operator.wants(200, "", http.MethodGet, sdkapi.RunsPath, "", console)
}
