package oauth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
	"github.com/windieos/windie/state/identity/openid"
	"github.com/windieos/windie/state/identity/openid/openidtest"
)

// Another issuer takes the place of the gateway's authorization server. Only its own tokens count, for
// this audience and for users of the gateway.
func TestAttacksByTokensOfAnotherIssuer(t *testing.T) {
	t.Parallel()
	const audience = "https://windie.example/mcp"
	provider, evil := openidtest.New(t), openidtest.New(t)
	own := newWorld(t, oauth.Config{}, nil)
	w := &world{t: t}
	shared := newWorld(t, oauth.Config{}, nil)
	w.url = serve(t, shared, func(app *gateway.App) {
		app.Issuer = openid.NewTokens(openid.TokensConfig{Issuer: provider.URL, Audience: audience})
	})
	ada := func(more ...any) map[string]any {
		claims := map[string]any{"sub": shared.ada.User, "scope": "screens tools other"}
		for i := 0; i+1 < len(more); i += 2 {
			claims[more[i].(string)] = more[i+1]
		}
		return claims
	}
	raw, _ := json.Marshal(ada("iss", provider.URL, "aud", audience, "exp", time.Now().Add(time.Minute).Unix()))
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	good := provider.Access(audience, ada())
	for name, token := range map[string]string{
		"of another issuer":                 evil.Access(audience, ada()),
		"that names the issuer, of another": evil.Access(audience, ada("iss", provider.URL)),
		"for another audience":              provider.Access("https://other.example/mcp", ada()),
		"for a longer audience":             provider.Access(audience+"/x", ada()),
		"without an audience":               provider.Access(audience, ada("aud", nil)),
		"without an issuer":                 provider.Access(audience, ada("iss", nil)),
		"that has expired":                  provider.Access(audience, ada("exp", time.Now().Add(-time.Second).Unix())),
		"without an end":                    provider.Access(audience, ada("exp", nil)),
		"that is not valid yet":             provider.Access(audience, ada("nbf", time.Now().Add(time.Hour).Unix())),
		"of nobody":                         provider.Access(audience, ada("sub", nil)),
		"of two people":                     provider.Access(audience, ada("sub", []string{shared.ada.User, "user_x"})),
		"of a stranger":                     provider.Access(audience, ada("sub", "user_stranger")),
		"with alg none":                     openidtest.Unsigned(raw),
		"by HS256 with the public key's id": openidtest.Sign(jose.HS256, []byte(strings.Repeat("k", 32)), raw),
		"signed by another key":             openidtest.Sign(jose.ES256, key, raw),
		"with a changed claim":              strings.Replace(good, ".", ".e30", 1),
		"without a signature":               good[:strings.LastIndex(good, ".")+1],
		"in two parts":                      good[:strings.LastIndex(good, ".")],
		"of 9 KiB":                          good + strings.Repeat("A", 9<<10),
		"of the gateway":                    own.connected("screens").AccessToken,
	} {
		t.Run("a token "+name, func(t *testing.T) {
			refuses(t, w.mcp(token, "tools/list", ""), 401, "AUTH_REQUIRED")
		})
	}
	t.Run("a token that never gives scopes", func(t *testing.T) {
		token := provider.Access(audience, ada("scope", nil))
		refuses(t, w.mcp(token, "tools/call", `"name":"ocr_read","arguments":{}`), 403, "PERMISSION_DENIED")
		if got := w.mcp(token, "tools/list", ""); strings.Contains(got.body, "ocr_read") {
			t.Error(got)
		}
	})
	t.Run("good", func(t *testing.T) {
		for _, token := range []string{good, provider.Access(audience, ada("scope", nil, "scp", []string{"screens", "tools"})), shared.token} {
			if got := w.mcp(token, "tools/call", `"name":"ocr_read","arguments":{}`); got.status != 200 {
				t.Error(got)
			}
		}
		refuses(t, w.mcp(good, "tools/call", `"name":"memory_write","arguments":{}`), 403, "PERMISSION_DENIED")
		refuses(t, w.send(http.MethodGet, sdkapi.ToolsPath, "", map[string]string{"Authorization": "Bearer " + good}), 401, "AUTH_REQUIRED")
	})
	t.Run("the gateway issues nothing", func(t *testing.T) {
		for _, path := range []string{sdkapi.OAuthServerPath, sdkapi.OAuthAuthorizePath} {
			refuses(t, w.send(http.MethodGet, path, "", nil), 404, "NOT_FOUND")
		}
		refuses(t, w.send(http.MethodPost, sdkapi.OAuthRegisterPath, "{}", nil), 404, "NOT_FOUND")
		var resource sdkapi.OAuthResource
		w.send(http.MethodGet, sdkapi.OAuthResourcePath, "", nil).into(t, &resource)
		if resource.AuthorizationServers[0] != provider.URL {
			t.Errorf("%+v", resource)
		}
	})
	t.Run("a stream ends with its token", func(t *testing.T) {
		select {
		case <-w.listen(provider.Access(audience, ada("exp", time.Now().Add(2*time.Second).Unix()))):
		case <-time.After(30 * time.Second):
			t.Error("the stream is still open")
		}
	})
}

// Local mode and a gateway without a public URL have no OAuth.
func TestWithoutOAuth(t *testing.T) {
	t.Parallel()
	shared := newWorld(t, oauth.Config{}, nil)
	hosted := &world{t: t, url: serve(t, shared, func(app *gateway.App) { app.OAuth = nil })}
	local := &world{t: t, url: serve(t, shared, func(app *gateway.App) { app.Hosted = false })}
	for _, path := range []string{sdkapi.OAuthServerPath, sdkapi.OAuthResourcePath, sdkapi.OAuthAuthorizePath} {
		refuses(t, hosted.send(http.MethodGet, path, "", nil), 404, "NOT_FOUND")
		refuses(t, local.send(http.MethodGet, path, "", nil), 404, "NOT_FOUND")
	}
	if got := hosted.mcp("", "tools/list", ""); got.status != 401 || got.header.Get("WWW-Authenticate") != "Bearer" {
		t.Error(got)
	}
	if got := local.mcp("", "tools/list", ""); got.status != 200 {
		t.Error(got)
	}
}
