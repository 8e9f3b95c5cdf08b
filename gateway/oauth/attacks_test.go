package oauth_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// refuses checks that an answer is a refusal with a status and a code, of OAuth or of the gateway, and
// leads nowhere.
func refuses(t *testing.T, got answer, status int, code string) {
	t.Helper()
	if got.status != status || !strings.Contains(got.body, code) || got.header.Get("Location") != "" || strings.Contains(got.body, `"location"`) ||
		strings.Contains(got.body, `"access_token"`) {
		t.Errorf("%s; expected %d with %s", got, status, code)
	}
}

// Requests of clients that a person never gets to allow. The browser is led nowhere.
func TestAttacksOnRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oauth.Config{}, nil)
	web := w.register(`{"client_name":"Web","redirect_uris":["https://claude.ai/api/callback"]}`)
	of := func(id string, redirects ...string) map[string]string {
		queries := map[string]string{}
		for _, redirect := range redirects {
			queries["redirect to "+redirect] = w.query("client_id", id, "redirect_uri", redirect)
		}
		return queries
	}
	attacks := []map[string]string{
		{
			"no PKCE":                           w.query("code_challenge", "", "code_challenge_method", ""),
			"plain PKCE":                        w.query("code_challenge", verifier, "code_challenge_method", "plain"),
			"PKCE without a method":             w.query("code_challenge_method", ""),
			"a short challenge":                 w.query("code_challenge", "abc"),
			"a challenge that is not base64url": w.query("code_challenge", strings.Repeat("+", 43)),
			"a token in the fragment":           w.query("response_type", "token"),
			"a hybrid response":                 w.query("response_type", "code token"),
			"no response type":                  w.query("response_type", ""),
			"a fragment response":               w.query("response_mode", "fragment"),
			"a posted response":                 w.query("response_mode", "form_post"),
			"a request by reference":            w.query("request_uri", "https://evil.example/request"),
			"a request object":                  w.query("request", "eyJhbGciOiJub25lIn0.e30."),
			"another resource":                  w.query("resource", "https://other.example/mcp"),
			"another path as the resource":      w.query("resource", w.url+"/api"),
			"an unknown client":                 w.query("client_id", "client_aaaaaaaaaaaaaaaaaaaaaaaaaa"),
			"no client":                         w.query("client_id", ""),
			"a very long client":                w.query("client_id", "client_"+strings.Repeat("a", 4000)),
			"an unknown scope":                  w.query("scope", "screens admin"),
			"a very long scope":                 w.query("scope", strings.Repeat("screens ", 100)),
			"a very long state":                 w.query("state", strings.Repeat("s", 2049)),
			"two redirects":                     w.query() + "&redirect_uri=https%3A%2F%2Fevil.example%2F",
			"two clients":                       w.query() + "&client_id=" + web,
			"a query that is no form":           w.query() + "&a=%zz",
			"another client's redirect":         w.query("client_id", web),
			"no redirect":                       w.query("redirect_uri", ""),
		},
		of(w.client, "http://127.0.0.1:33418/other", "http://127.0.0.1:33418/callback/", "http://127.0.0.1:33418/callback/../callback", "http://127.0.0.1:33418/callback?next=https://evil.example",
			"http://127.0.0.1:33418/callback#x", "http://localhost:33418/callback", "http://[::1]:33418/callback", "http://127.0.0.2:33418/callback", "https://127.0.0.1:33418/callback",
			"http://ada@127.0.0.1:33418/callback", "http://127.0.0.1:33418@evil.example/callback", "http://127.0.0.1.evil.example/callback", "http://evil.example/callback", "//127.0.0.1:33418/callback",
			"http://127.0.0.1:33418\\@evil.example/callback", "http://127.0.0.1:33418/%63allback", "HTTP://127.0.0.1:33418/callback", "http://127.0.0.1:/callback", "javascript:alert(1)//127.0.0.1/callback",
			"data:text/html,<script>alert(1)</script>", "http://127.0.0.1:33418/callback\r\nSet-Cookie: a=b", " http://127.0.0.1:33418/callback", "http://2130706433:33418/callback"),
		of(web, "https://claude.ai:8443/api/callback", "http://claude.ai/api/callback", "https://claude.ai.evil.example/api/callback", "https://evil.claude.ai/api/callback", "https://claude.ai/api/callback2",
			"https://claude.ai/api/", "https://claude.ai@evil.example/api/callback", "https://CLAUDE.ai/api/callback", "https://claude.ai/api/callback?x=1", "https://claude.ai/api/callback#", "https://claude.ai./api/callback"),
	}
	for _, queries := range attacks {
		for name, query := range queries {
			t.Run(name, func(t *testing.T) {
				refuses(t, w.ask(query), http.StatusUnprocessableEntity, "VALIDATION_ERROR")
				good := w.shown(w.query())
				refuses(t, w.decide(decision(query, good.Proof, true, "screens")), http.StatusUnprocessableEntity, "VALIDATION_ERROR")
			})
		}
	}
	t.Run("a very long query", func(t *testing.T) {
		refuses(t, w.send(http.MethodGet, sdkapi.OAuthAuthorizePath+"?state="+strings.Repeat("s", 8<<10), "", nil), http.StatusBadRequest, "invalid_request")
	})
	t.Run("a header in the query", func(t *testing.T) {
		got := w.send(http.MethodGet, sdkapi.OAuthAuthorizePath+"?state=a%0d%0aSet-Cookie:%20a=b&redirect_uri=https://evil.example/", "", nil)
		if at := got.header.Get("Location"); got.status != http.StatusSeeOther || !strings.HasPrefix(at, "/console/#/connect?") || got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s to %s", got, at)
		}
	})
	t.Run("another Host", func(t *testing.T) {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+sdkapi.OAuthServerPath, nil)
		request.Host = "evil.example"
		resp, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var server sdkapi.OAuthServer
		if err := json.NewDecoder(resp.Body).Decode(&server); err != nil || server.Issuer != w.url || server.TokenEndpoint != w.url+sdkapi.OAuthTokenPath {
			t.Errorf("%+v, %v", server, err)
		}
	})
}

// Registrations that could trick a person, or fill the gateway.
func TestAttacksOnRegistration(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oauth.Config{}, nil)
	asJSON := map[string]string{"Content-Type": "application/json"}
	for _, uri := range []string{
		"http://evil.example/callback", "ftp://evil.example/", "javascript:alert(1)", "javascript://evil.example/%0aalert(1)", "data:text/html,x", "data://x/", "file:///etc/passwd", "view-source://evil.example/", "intent://evil.example/", "ms-msdt://x/",
		"c:/windows", "Cursor://callback", "cursor:callback", "cursor:", "cursor://ada@callback", "cursor://callback#x", "://callback", "https:/callback", "http:/callback", "https://", "https:///callback", "https://ada:b@evil.example/", "https://evil.example/#x",
		"https://evil.example/a b", "https://evil.example/\r\nX: y", "https://evil.example\\@claude.ai/", "/callback", "", "https://evil.example/" + strings.Repeat("a", 1024), "http://127.0.0.1.evil.example/", "http://0.0.0.0/callback",
	} {
		t.Run("redirect to "+uri[:min(len(uri), 60)], func(t *testing.T) {
			body, _ := json.Marshal(map[string]any{"redirect_uris": []string{callback, uri}})
			refuses(t, w.send(http.MethodPost, sdkapi.OAuthRegisterPath, string(body), asJSON), http.StatusBadRequest, "invalid_redirect_uri")
		})
	}
	many := strings.TrimSuffix(strings.Repeat(`"`+callback+`",`, 11), ",")
	for name, tt := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"no redirects":         {`{"client_name":"x"}`, 400, "invalid_redirect_uri"},
		"eleven redirects":     {`{"redirect_uris":[` + many + `]}`, 400, "invalid_redirect_uri"},
		"a huge body":          {`{"redirect_uris":["` + callback + `"],"client_name":"` + strings.Repeat("x", 16<<10) + `"}`, 413, "PAYLOAD_TOO_LARGE"},
		"a field twice":        {`{"redirect_uris":["` + callback + `"],"redirect_uris":["https://evil.example/"]}`, 400, "invalid_client_metadata"},
		"a field in two cases": {`{"redirect_uris":["` + callback + `"],"Redirect_URIs":["https://evil.example/"]}`, 400, "invalid_client_metadata"},
		"no JSON":              {`redirect_uris`, 400, "invalid_client_metadata"},
		"other grants":         {`{"redirect_uris":["` + callback + `"],"grant_types":["client_credentials"]}`, 400, "invalid_client_metadata"},
		"an implicit response": {`{"redirect_uris":["` + callback + `"],"response_types":["token"]}`, 400, "invalid_client_metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			refuses(t, w.send(http.MethodPost, sdkapi.OAuthRegisterPath, tt.body, asJSON), tt.status, tt.code)
		})
	}
	t.Run("as a form", func(t *testing.T) {
		refuses(t, w.send(http.MethodPost, sdkapi.OAuthRegisterPath, `{"redirect_uris":["`+callback+`"]}`, map[string]string{"Content-Type": "text/plain"}), 400, "invalid_request")
	})
	t.Run("of a page of another site", func(t *testing.T) {
		refuses(t, w.send(http.MethodPost, sdkapi.OAuthRegisterPath, `{"redirect_uris":["`+callback+`"]}`, map[string]string{"Content-Type": "application/json", "Origin": "https://evil.example"}), 403, "ORIGIN_REFUSED")
	})
	t.Run("a name that misleads", func(t *testing.T) {
		id := w.register(`{"redirect_uris":["` + callback + `"],"client_name":"Claude\u202egnp.exe\n\u0000<b>` + strings.Repeat("x", 200) + `"}`)
		if shown := w.shown(w.query("client_id", id)); strings.ContainsAny(shown.Client, "\u202e\n\u0000") || len(shown.Client) != 80 {
			t.Errorf("%q", shown.Client)
		}
	})
	t.Run("many from one address", func(t *testing.T) {
		w := newWorld(t, oauth.Config{}, func(app *gateway.App) { app.Limits = quota.Limits{AddressRegistrations: 3} })
		refused := 0
		for range 5 {
			if got := w.send(http.MethodPost, sdkapi.OAuthRegisterPath, `{"redirect_uris":["`+callback+`"]}`, asJSON); got.status == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused != 3 { // newWorld registers one too
			t.Errorf("%d of 5 are refused", refused)
		}
	})
}

// Clients whose id is a URL: what the gateway must not load, and what must not count.
func TestAttacksByDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oauth.Config{}, nil)
	for _, id := range []string{
		"https://127.0.0.1/client.json", "https://localhost/client.json", "https://[::1]/client.json", "https://169.254.169.254/latest/meta-data", "https://10.0.0.1/client.json", "https://192.168.0.1/c.json",
		"https://0.0.0.0/c.json", "https://2130706433/c.json", "https://0x7f000001/c.json", "https://[::ffff:127.0.0.1]/c.json", "https://metadata.google.internal/c.json",
		"https://ada:b@example.com/c.json", "https://example.com/", "https://example.com", "https://example.com/a/../c.json", "https://example.com/%2e%2e/c.json", "https://example.com/c.json#x", "https://example.com:/c.json",
		"http://example.com/c.json", "file:///etc/passwd", "gopher://127.0.0.1/c", "https://example.com/" + strings.Repeat("a", 512),
	} {
		t.Run("SSRF by "+id[:min(len(id), 60)], func(t *testing.T) {
			refuses(t, w.ask(w.query("client_id", id)), http.StatusUnprocessableEntity, "invalid_client")
		})
	}
	t.Run("SSRF reaches nothing", func(t *testing.T) {
		ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var reached atomic.Bool
		go func() {
			if conn, err := ln.Accept(); err == nil {
				reached.Store(true)
				_ = conn.Close()
			}
		}()
		refuses(t, w.ask(w.query("client_id", "https://"+ln.Addr().String()+"/c.json")), http.StatusUnprocessableEntity, "invalid_client")
		if _ = ln.Close(); reached.Load() {
			t.Error("the gateway connected to its own machine")
		}
	})
	good := func(id string) string { return fmt.Sprintf(`{"client_id":%q,"redirect_uris":[%q]}`, id, callback) }
	for name, answer := range map[string]func(id string, rw http.ResponseWriter){
		"a document about another client": func(id string, rw http.ResponseWriter) { _, _ = rw.Write([]byte(good(id + "2"))) },
		"a redirect": func(_ string, rw http.ResponseWriter) {
			rw.Header().Set("Location", "https://169.254.169.254/")
			rw.WriteHeader(http.StatusFound)
		},
		"a huge document": func(id string, rw http.ResponseWriter) {
			_, _ = rw.Write([]byte(good(id) + strings.Repeat(" ", 16<<10)))
		},
		"no JSON":      func(_ string, rw http.ResponseWriter) { _, _ = rw.Write([]byte("<html>")) },
		"no redirects": func(id string, rw http.ResponseWriter) { _, _ = fmt.Fprintf(rw, `{"client_id":%q}`, id) },
		"a redirect to another host": func(id string, rw http.ResponseWriter) {
			_, _ = fmt.Fprintf(rw, `{"client_id":%q,"redirect_uris":["http://evil.example/"]}`, id)
		},
		"a client with a secret": func(id string, rw http.ResponseWriter) {
			_, _ = fmt.Fprintf(rw, `{"client_id":%q,"redirect_uris":[%q],"token_endpoint_auth_method":"client_secret_post"}`, id, callback)
		},
		"a page": func(id string, rw http.ResponseWriter) {
			rw.Header().Set("Content-Type", "text/html")
			_, _ = rw.Write([]byte(good(id)))
		},
		"a failure": func(id string, rw http.ResponseWriter) {
			rw.WriteHeader(http.StatusNotFound)
			_, _ = rw.Write([]byte(good(id)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			id, documents, loaded := documentHost(t, answer)
			w := newWorld(t, oauth.Config{Documents: documents}, nil)
			for range 3 {
				refuses(t, w.ask(w.query("client_id", id)), http.StatusUnprocessableEntity, "(invalid_")
			}
			if loaded.Load() != 1 {
				t.Errorf("loaded %d times", loaded.Load())
			}
		})
	}
	t.Run("a stranger makes the gateway load nothing", func(t *testing.T) {
		id, documents, loaded := documentHost(t, func(id string, rw http.ResponseWriter) { _, _ = rw.Write([]byte(good(id))) })
		w := newWorld(t, oauth.Config{Documents: documents}, nil)
		w.send(http.MethodGet, sdkapi.OAuthAuthorizePath+"?"+w.query("client_id", id), "", nil)
		refuses(t, w.send(http.MethodGet, sdkapi.ConsoleConsentPath+"?"+w.query("client_id", id), "", console), http.StatusUnauthorized, "AUTH_REQUIRED")
		w.exchange(secretLike("wnd_code_"), "client_id", id)
		if loaded.Load() != 0 {
			t.Errorf("loaded %d times", loaded.Load())
		}
	})
}

// Decisions that the person did not make.
func TestAttacksOnConsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oauth.Config{}, nil)
	query := w.query()
	shown := w.shown(query)
	body := decision(query, shown.Proof, true, "screens")
	with := func(name, value string) map[string]string {
		headers := map[string]string{}
		for name, value := range console {
			headers[name] = value
		}
		headers[name] = value
		return headers
	}
	post := func(b *http.Client, body string, headers map[string]string) answer {
		return w.by(b, http.MethodPost, sdkapi.ConsoleConsentPath, body, headers)
	}
	t.Run("without a sign-in", func(t *testing.T) { refuses(t, post(browser(t), body, console), 401, "AUTH_REQUIRED") })
	t.Run("by a token in place of the cookie", func(t *testing.T) {
		refuses(t, post(browser(t), body, with("Authorization", "Bearer "+w.token)), 401, "AUTH_REQUIRED")
		refuses(t, post(&w.Client, body, with("Authorization", "Bearer "+w.token)), 401, "AUTH_REQUIRED")
	})
	t.Run("CSRF by a form", func(t *testing.T) {
		refuses(t, post(&w.Client, body, map[string]string{"Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site"}), 403, "ORIGIN_REFUSED")
		refuses(t, post(&w.Client, body, map[string]string{"Content-Type": "application/json"}), 401, "AUTH_REQUIRED")
	})
	t.Run("CSRF by a script of another site", func(t *testing.T) {
		refuses(t, post(&w.Client, body, with("Origin", "https://evil.example")), 403, "ORIGIN_REFUSED")
		refuses(t, post(&w.Client, body, with("Sec-Fetch-Site", "same-site")), 403, "ORIGIN_REFUSED")
	})
	t.Run("no script of another site may ask", func(t *testing.T) {
		got := w.by(&w.Client, http.MethodOptions, sdkapi.ConsoleConsentPath, "", map[string]string{"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"})
		if got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Error(got.header)
		}
	})
	for name, proof := range map[string]string{"no proof": "", "a wrong proof": strings.Repeat("0", 64), "the proof of another request": w.shown(w.query("state", "other")).Proof} {
		t.Run(name, func(t *testing.T) {
			refuses(t, w.decide(decision(query, proof, true, "screens")), 403, "PERMISSION_DENIED")
		})
	}
	t.Run("the proof of another browser", func(t *testing.T) {
		eve := browser(t)
		_, token := doorstest.Registered(t, w.ids)
		w.signIn(eve, token)
		refuses(t, post(eve, body, console), 403, "PERMISSION_DENIED")
	})
	t.Run("the proof of an earlier sign-in", func(t *testing.T) {
		again := browser(t)
		w.signIn(again, w.token)
		refuses(t, post(again, body, console), 403, "PERMISSION_DENIED")
	})
	for name, scopes := range map[string][]string{"more scopes than requested": {"screens", "risky"}, "no scopes": nil, "an unknown scope": {"admin"}, "a scope twice": {"screens", "screens"}} {
		t.Run(name, func(t *testing.T) {
			refuses(t, w.decide(decision(query, shown.Proof, true, scopes...)), 422, "VALIDATION_ERROR")
		})
	}
	t.Run("an operator", func(t *testing.T) {
		operator := browser(t)
		w.signIn(operator, doorstest.OperatorsToken)
		refuses(t, post(operator, body, console), 403, "PERMISSION_DENIED")
		refuses(t, w.by(operator, http.MethodGet, sdkapi.ConsoleConsentPath+"?"+query, "", console), 403, "an operator has no tools")
		refuses(t, w.by(operator, http.MethodGet, sdkapi.ConsoleClientsPath, "", console), 403, "an operator has no tools")
	})
	t.Run("a field twice", func(t *testing.T) {
		refuses(t, w.decide(strings.Replace(body, `"allow":true`, `"allow":false,"allow":true`, 1)), 422, "VALIDATION_ERROR")
	})
	t.Run("a huge body", func(t *testing.T) {
		refuses(t, w.decide(decision(query, strings.Repeat("0", 16<<10), true)), 413, "PAYLOAD_TOO_LARGE")
	})
	t.Run("by a link", func(t *testing.T) {
		got := w.by(&w.Client, http.MethodGet, sdkapi.OAuthAuthorizePath+"?"+query+"&allow=true", "", nil)
		if at := got.header.Get("Location"); !strings.HasPrefix(at, "/console/#/connect?") {
			t.Errorf("led to %s", at)
		}
	})
	t.Run("in a frame", func(t *testing.T) {
		for _, path := range []string{"/console/", sdkapi.OAuthAuthorizePath + "?" + query} {
			got := w.send(http.MethodGet, path, "", nil)
			if got.header.Get("X-Frame-Options") != "DENY" || !strings.Contains(got.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("%s: %v", path, got.header)
			}
		}
	})
	t.Run("a denial gives no code", func(t *testing.T) {
		var result sdkapi.ConsoleConsentResult
		w.decide(decision(query, shown.Proof, false, "screens")).into(t, &result)
		to, _ := url.Parse(result.Location)
		if got := to.Query(); got.Get("error") != "access_denied" || got.Get("code") != "" || got.Get("state") != "xyz" || got.Get("iss") != w.url {
			t.Error(result.Location)
		}
	})
	t.Run("another user's client is disconnected", func(t *testing.T) {
		tokens := w.connected("screens")
		var list sdkapi.ConsoleClients
		w.by(&w.Client, http.MethodGet, sdkapi.ConsoleClientsPath, "", console).into(t, &list)
		eve := browser(t)
		_, token := doorstest.Registered(t, w.ids)
		w.signIn(eve, token)
		refuses(t, w.by(eve, http.MethodDelete, sdkapi.ConsoleClientsPath+"/"+list.Clients[0].ID, "", console), 404, "NOT_FOUND")
		refuses(t, w.by(&w.Client, http.MethodDelete, sdkapi.ConsoleClientsPath+"/"+w.ada.ID, "", console), 404, "NOT_FOUND")
		if !w.opens(tokens.AccessToken) {
			t.Error("the client is disconnected")
		}
	})
}
