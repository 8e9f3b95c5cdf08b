package console_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/openid"
	"github.com/windieos/windie/state/identity/openid/openidtest"
)

// publicly is where the world finds the gateway of these tests; browser asks it under that name.
const publicly = "http://windie.example/windie"

var atPublicly = map[string]string{"Host": "windie.example"}

// withProvider is a hosted gateway below a prefix, which lets in whom a provider knows.
func withProvider(t *testing.T, p *openidtest.Provider) (string, *identity.Identity) {
	t.Helper()
	cfg := gateway.App{
		Hosted: true, Identity: gatewaytest.Identity(t), PublicURL: publicly, PathPrefix: "/windie",
		OpenID: openid.New(p.Config(publicly + sdkapi.ConsoleOpenIDPath + "/callback")),
	}
	return gatewaytest.Start(t, cfg) + "/windie", cfg.Identity
}

// atProvider goes from the console to the provider, and returns where it leads back to, by the path below the prefix.
func (b *browser) atProvider(to string) (back string) {
	b.t.Helper()
	resp, _ := b.send(http.MethodGet, sdkapi.ConsoleOpenIDPath+"?to="+url.QueryEscape(to), "", with(atPublicly, "Sec-Fetch-Site", "same-origin"))
	cookie := resp.Header.Get("Set-Cookie")
	for _, has := range []string{"HttpOnly", "SameSite=Lax", "path=/windie/console/openid;", "max-age=600"} {
		if !strings.Contains(cookie, has) {
			b.t.Errorf("the cookie %q lacks %s", cookie, has)
		}
	}
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, resp.Header.Get("Location"), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	asked := request.URL.Query()
	if asked.Get("redirect_uri") != publicly+"/console/openid/callback" || asked.Get("code_challenge_method") != "S256" || asked.Get("response_type") != "code" || asked.Get("scope") != "openid profile" {
		b.t.Errorf("the provider is asked for %s", request.URL)
	}
	resp, err = http.DefaultTransport.RoundTrip(request)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return strings.TrimPrefix(resp.Header.Get("Location"), publicly)
}

// comesBack returns where the gateway leads a browser that the provider led back.
func (b *browser) comesBack(path string) string {
	b.t.Helper()
	resp, _ := b.send(http.MethodGet, path, "", with(atPublicly, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"))
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Cache-Control") != "no-store" {
		b.t.Errorf("coming back: %d %v", resp.StatusCode, resp.Header)
	}
	return resp.Header.Get("Location")
}

// here returns who the gateway takes the browser for.
func (b *browser) here() (v sdkapi.ConsoleVisit) {
	b.t.Helper()
	_, body := b.send(http.MethodGet, sdkapi.ConsoleVisitPath, "", with(console, "Host", "windie.example"))
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		b.t.Fatal(err)
	}
	return v
}

// The provider's people come in as operators and users, see what those see, and their visits end with the user.
func TestComingInByAProvider(t *testing.T) {
	t.Parallel()
	provider := openidtest.New(t)
	at, ids := withProvider(t, provider)
	user, err := ids.CreateUser(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	operator, person := newBrowser(t, at), newBrowser(t, at)
	if v := operator.here(); v.Visit != nil || v.OpenID == "" {
		t.Errorf("a stranger: %+v", v)
	}
	provider.Is(map[string]any{"groups": []string{"ops"}})
	if to := operator.comesBack(operator.atProvider("gateway/health")); to != "/windie/console/#/gateway/health" {
		t.Errorf("the operator comes back to %s", to)
	}
	provider.Is(map[string]any{"windie_user": user.ID})
	if to := person.comesBack(person.atProvider("")); to != "/windie/console/#/" {
		t.Errorf("the user comes back to %s", to)
	}
	if v := operator.here(); v.Visit == nil || v.Visit.Kind != identity.VisitOpenIDOperator || v.Decides || v.Visit.ExpiresAt.Sub(v.Visit.CreatedAt) != identity.OpenIDAge {
		t.Errorf("the operator: %+v", v)
	}
	if v := person.here(); v.Visit == nil || v.Visit.UserID != user.ID || !v.Decides {
		t.Errorf("the user: %+v", v)
	}
	mine := with(console, "Host", "windie.example", sdkapi.UserHeader, user.ID)
	operator.wants(200, "", http.MethodGet, sdkapi.MetricsPath, "", mine)
	operator.wants(401, sdkapi.AuthRequired, http.MethodGet, sdkapi.ToolsPath, "", mine)
	person.wants(200, "", http.MethodGet, sdkapi.ToolsPath, "", mine)
	person.wants(401, sdkapi.AuthRequired, http.MethodGet, sdkapi.ToolsPath, "", with(atPublicly, sdkapi.UserHeader, user.ID)) // without the console's header
	person.wants(403, sdkapi.PermissionDenied, http.MethodGet, sdkapi.ToolsPath, "", with(mine, sdkapi.UserHeader, "user_b"))
	person.wants(403, sdkapi.OperatorOnly, http.MethodGet, sdkapi.MetricsPath, "", mine)
	var list sdkapi.ConsoleGuests
	if err := json.Unmarshal([]byte(person.wants(200, "", http.MethodGet, sdkapi.ConsoleVisitsPath, "", mine)), &list); err != nil || len(list.Visits) != 1 {
		t.Errorf("the user sees the visits %+v, %v", list, err)
	}
	if err := ids.DeleteUser(t.Context(), user.ID); err != nil {
		t.Fatal(err)
	}
	person.wants(401, sdkapi.AuthRequired, http.MethodGet, sdkapi.ToolsPath, "", mine)
	if v := person.here(); v.Visit != nil {
		t.Errorf("a user who is deleted is here: %+v", v)
	}
	operator.wants(204, "", http.MethodDelete, sdkapi.ConsoleVisitPath, "", mine)
	operator.wants(401, sdkapi.AuthRequired, http.MethodGet, sdkapi.MetricsPath, "", mine)
}

// Whoever cannot show that the provider let them in, here and now, comes back as nobody.
func TestAttacksOnComingIn(t *testing.T) {
	t.Parallel()
	provider := openidtest.New(t)
	at, ids := withProvider(t, provider)
	gone, err := ids.CreateUser(t.Context())
	if err == nil {
		err = ids.DeleteUser(t.Context(), gone.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	ops := map[string]any{"groups": "ops"}
	for name, tt := range map[string]struct {
		attack func(t *testing.T, b *browser) (to string)
		want   sdkapi.Code
	}{
		"without having begun": {func(_ *testing.T, b *browser) string {
			return b.comesBack(sdkapi.ConsoleOpenIDPath + "/callback?code=x&state=y")
		}, sdkapi.AuthRequired},
		"nothing": {func(_ *testing.T, b *browser) string { return b.comesBack(sdkapi.ConsoleOpenIDPath + "/callback") }, sdkapi.AuthRequired},
		"another's code and state": {func(t *testing.T, b *browser) string {
			b.atProvider("")
			return b.comesBack(newBrowser(t, at).atProvider(""))
		}, sdkapi.AuthRequired},
		"another's code with the own state": {func(t *testing.T, b *browser) string {
			own, other := b.atProvider(""), newBrowser(t, at).atProvider("")
			mine, _ := url.Parse(own)
			theirs, _ := url.Parse(other)
			query := mine.Query()
			query.Set("code", theirs.Query().Get("code"))
			return b.comesBack(mine.Path + "?" + query.Encode())
		}, sdkapi.AuthRequired},
		"the same again": {func(_ *testing.T, b *browser) string {
			back := b.atProvider("")
			b.comesBack(back)
			b.send(http.MethodDelete, sdkapi.ConsoleVisitPath, "", with(console, "Host", "windie.example"))
			return b.comesBack(back)
		}, sdkapi.AuthRequired},
		"the same again with the cookie of before": {func(_ *testing.T, b *browser) string {
			back := b.atProvider("")
			where, _ := url.Parse(b.base + sdkapi.ConsoleOpenIDPath)
			kept := b.Jar.Cookies(where)
			b.comesBack(back)
			b.send(http.MethodDelete, sdkapi.ConsoleVisitPath, "", with(console, "Host", "windie.example"))
			b.Jar.SetCookies(where, kept)
			return b.comesBack(back)
		}, sdkapi.AuthRequired},
		"a query that cannot be read": {func(_ *testing.T, b *browser) string { return b.comesBack(b.atProvider("") + "&a;b") }, sdkapi.AuthRequired},
		"a user without the group": {func(_ *testing.T, b *browser) string {
			provider.Is(map[string]any{"groups": "staff"})
			return b.comesBack(b.atProvider(""))
		}, sdkapi.PermissionDenied},
		"a user who is deleted": {func(_ *testing.T, b *browser) string {
			provider.Is(map[string]any{"windie_user": gone.ID})
			return b.comesBack(b.atProvider(""))
		}, sdkapi.PermissionDenied},
		"a user whom nobody made": {func(_ *testing.T, b *browser) string {
			provider.Is(map[string]any{"windie_user": "local"})
			return b.comesBack(b.atProvider(""))
		}, sdkapi.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			provider.Is(ops)
			b := newBrowser(t, at)
			if to := tt.attack(t, b); to != "/windie/console/#refused="+string(tt.want) {
				t.Errorf("it leads to %s", to)
			}
			if v := b.here(); v.Visit != nil {
				t.Errorf("somebody came in: %+v", v)
			}
		})
	}
}

// The place to come back to is one in the console, whatever a link says; and another site's link begins nothing.
func TestComingBackStaysHere(t *testing.T) {
	t.Parallel()
	provider := openidtest.New(t)
	at, _ := withProvider(t, provider)
	provider.Is(map[string]any{"groups": "ops"})
	for _, to := range []string{"//evil.example", "https://evil.example", "\\\\evil.example", "../../evil", "javascript:alert(1)", "x\r\nSet-Cookie: a=b", "code=abc", "@evil.example", strings.Repeat("x", 300)} {
		t.Run(to[:min(len(to), 30)], func(t *testing.T) {
			b := newBrowser(t, at)
			back, err := url.Parse(b.comesBack(b.atProvider(to)))
			if err != nil || back.Host != "" || back.Scheme != "" || back.Path != "/windie/console/" || !strings.HasPrefix(back.Fragment, "/") || len(back.Fragment) > 201 {
				t.Errorf("it leads to %+v, %v", back, err)
			}
		})
	}
	b := newBrowser(t, at)
	for _, site := range []string{"cross-site", "same-site"} {
		resp, _ := b.send(http.MethodGet, sdkapi.ConsoleOpenIDPath, "", with(atPublicly, "Sec-Fetch-Site", site, "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"))
		if to := resp.Header.Get("Location"); to != "/windie/console/" || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("a link of a %s page leads to %s with %q", site, to, resp.Header.Get("Set-Cookie"))
		}
	}
}

// Without a provider there are no such routes, and of a provider that is away the console says so.
func TestProvidersThatAreNotThere(t *testing.T) {
	t.Parallel()
	none := newBrowser(t, gatewaytest.Start(t, gateway.App{Hosted: true, Identity: gatewaytest.Identity(t)}))
	none.wants(404, sdkapi.NotFound, http.MethodGet, sdkapi.ConsoleOpenIDPath, "", nil)
	none.wants(404, sdkapi.NotFound, http.MethodGet, sdkapi.ConsoleOpenIDPath+"/callback", "", nil)
	away := gateway.App{Hosted: true, Identity: gatewaytest.Identity(t), OpenID: openid.New(openid.Config{Issuer: "http://127.0.0.1:1", ClientSecret: "secret"})}
	resp, _ := newBrowser(t, gatewaytest.Start(t, away)).send(http.MethodGet, sdkapi.ConsoleOpenIDPath, "", nil)
	if to := resp.Header.Get("Location"); to != "/console/#refused=FEATURE_UNAVAILABLE" || resp.Header.Get("Set-Cookie") != "" {
		t.Errorf("a provider that is away leads to %s", to)
	}
}
