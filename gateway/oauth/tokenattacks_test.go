package oauth_test

import (
	"bufio"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// Requests for tokens of somebody who has a part of what they take.
func TestAttacksOnTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oauth.Config{}, nil)
	other := w.register(`{"client_name":"Other","redirect_uris":["` + callback + `"]}`)
	for name, tt := range map[string]struct {
		changes []string
		status  int
		code    string
	}{
		"a code for another client":        {[]string{"client_id", other}, 400, "invalid_grant"},
		"no client":                        {[]string{"client_id", ""}, 401, "invalid_client"},
		"another redirect":                 {[]string{"redirect_uri", "http://127.0.0.1:1/callback"}, 400, "invalid_grant"},
		"no redirect":                      {[]string{"redirect_uri", ""}, 400, "invalid_grant"},
		"another verifier":                 {[]string{"code_verifier", strings.Repeat("w", 43)}, 400, "invalid_grant"},
		"no verifier":                      {[]string{"code_verifier", ""}, 400, "invalid_grant"},
		"the challenge as the verifier":    {[]string{"code_verifier", challengeOf(verifier)}, 400, "invalid_grant"},
		"a short verifier":                 {[]string{"code_verifier", "v"}, 400, "invalid_grant"},
		"a huge verifier":                  {[]string{"code_verifier", strings.Repeat("v", 4000)}, 400, "invalid_grant"},
		"another resource":                 {[]string{"resource", "https://other.example/mcp"}, 400, "invalid_target"},
		"a secret":                         {[]string{"client_secret", "x"}, 401, "invalid_client"},
		"a password":                       {[]string{"grant_type", "password"}, 400, "unsupported_grant_type"},
		"client credentials":               {[]string{"grant_type", "client_credentials"}, 400, "unsupported_grant_type"},
		"token exchange":                   {[]string{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"}, 400, "unsupported_grant_type"},
		"no grant type":                    {[]string{"grant_type", ""}, 400, "unsupported_grant_type"},
		"a code as a refresh token":        {[]string{"grant_type", "refresh_token"}, 400, "invalid_grant"},
		"a code that nobody has given":     {[]string{"code", secretLike("wnd_code_")}, 400, "invalid_grant"},
		"a code of another form":           {[]string{"code", "' OR 1=1 --"}, 400, "invalid_grant"},
		"a huge code":                      {[]string{"code", strings.Repeat("c", 10<<10)}, 400, "invalid_grant"},
		"an install's token as the code":   {[]string{"code", w.token}, 400, "invalid_grant"},
		"a body of more than 16 KiB":       {[]string{"x", strings.Repeat("c", 16<<10)}, 413, "PAYLOAD_TOO_LARGE"},
		"a client with a zero byte":        {[]string{"client_id", w.client + "\x00"}, 400, "invalid_grant"},
		"a client in upper case":           {[]string{"client_id", strings.ToUpper(w.client)}, 400, "invalid_grant"},
		"a redirect with another spelling": {[]string{"redirect_uri", "http://127.0.0.1:33418/%63allback"}, 400, "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			refuses(t, w.exchange(w.code(w.query()), tt.changes...), tt.status, tt.code)
		})
	}
	t.Run("a wrong try uses the code up", func(t *testing.T) {
		code := w.code(w.query())
		refuses(t, w.exchange(code, "code_verifier", strings.Repeat("w", 43)), 400, "invalid_grant")
		refuses(t, w.exchange(code), 400, "invalid_grant")
	})
	t.Run("a code twice ends the grant", func(t *testing.T) {
		code := w.code(w.query())
		var tokens sdkapi.OAuthTokens
		w.exchange(code).into(t, &tokens)
		refuses(t, w.exchange(code), 400, "invalid_grant")
		if w.opens(tokens.AccessToken) {
			t.Error("the tokens of a stolen code still open the server")
		}
		refuses(t, w.refresh(tokens.RefreshToken), 400, "invalid_grant")
	})
	t.Run("a code in many hands at once", func(t *testing.T) {
		code := w.code(w.query())
		answers := make(chan answer, 8)
		for range cap(answers) {
			go func() { answers <- w.exchange(code) }()
		}
		given := 0
		for range cap(answers) {
			if got := <-answers; got.status == http.StatusOK {
				given++
			}
		}
		if given > 1 {
			t.Errorf("%d got tokens", given)
		}
	})
	t.Run("a parameter twice", func(t *testing.T) {
		body := url.Values{"grant_type": {"authorization_code"}, "code": {w.code(w.query())}, "client_id": {w.client, other}, "redirect_uri": {callback}, "code_verifier": {verifier}}.Encode()
		refuses(t, w.send(http.MethodPost, sdkapi.OAuthTokenPath, body, form), 400, "invalid_request")
	})
	t.Run("as JSON", func(t *testing.T) {
		refuses(t, w.send(http.MethodPost, sdkapi.OAuthTokenPath, `{"grant_type":"authorization_code"}`, map[string]string{"Content-Type": "application/json"}), 400, "invalid_request")
	})
	t.Run("in the URL", func(t *testing.T) {
		refuses(t, w.send(http.MethodGet, sdkapi.OAuthTokenPath+"?grant_type=authorization_code", "", nil), 405, "METHOD_NOT_ALLOWED")
	})
	t.Run("of a page of another site", func(t *testing.T) {
		refuses(t, w.send(http.MethodPost, sdkapi.OAuthTokenPath, "grant_type=refresh_token", map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example"}), 403, "ORIGIN_REFUSED")
	})
	t.Run("with another client's name in a header", func(t *testing.T) {
		body := url.Values{"grant_type": {"authorization_code"}, "code": {w.code(w.query())}, "client_id": {w.client}, "redirect_uri": {callback}, "code_verifier": {verifier}}.Encode()
		refuses(t, w.send(http.MethodPost, sdkapi.OAuthTokenPath, body, map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Authorization": "Basic Y2xpZW50Og=="}), 401, "invalid_client")
	})
}

// Refresh tokens and access tokens in wrong hands.
func TestAttacksByTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oauth.Config{}, nil)
	other := w.register(`{"client_name":"Other","redirect_uris":["` + callback + `"]}`)
	t.Run("a refresh token twice ends the family", func(t *testing.T) {
		first := w.connected("screens tools")
		var second sdkapi.OAuthTokens
		w.refresh(first.RefreshToken).into(t, &second)
		refuses(t, w.refresh(first.RefreshToken), 400, "invalid_grant")
		if w.opens(first.AccessToken) || w.opens(second.AccessToken) {
			t.Error("a token of the family still opens the server")
		}
		refuses(t, w.refresh(second.RefreshToken), 400, "invalid_grant")
	})
	tokens := w.connected("screens")
	for name, changes := range map[string][]string{
		"of another client":     {"client_id", other},
		"for another resource":  {"resource", "https://other.example/mcp"},
		"for more scopes":       {"scope", "screens risky"},
		"for an unknown scope":  {"scope", "admin"},
		"an access token":       {"refresh_token", tokens.AccessToken},
		"that nobody has given": {"refresh_token", secretLike("wnd_refresh_")},
		"none":                  {"refresh_token", ""},
	} {
		t.Run("a refresh token "+name, func(t *testing.T) {
			refuses(t, w.refresh(tokens.RefreshToken, changes...), 400, `"invalid_`)
		})
	}
	for name, token := range map[string]string{
		"a refresh token":        tokens.RefreshToken,
		"a code":                 w.code(w.query()),
		"nobody's token":         secretLike(oauth.AccessPrefix),
		"a longer token":         tokens.AccessToken + "A",
		"a shorter token":        tokens.AccessToken[:len(tokens.AccessToken)-1],
		"a token in upper case":  strings.ToUpper(tokens.AccessToken),
		"a JWT with alg none":    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.",
		"a JWT signed by HS256":  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.AAAA",
		"the operator's token":   "operator",
		"a very long token":      oauth.AccessPrefix + strings.Repeat("A", 8<<10),
		"a token with a comment": tokens.AccessToken + " x",
	} {
		t.Run("the server by "+name, func(t *testing.T) {
			got := w.mcp(token, "tools/list", "")
			refuses(t, got, 401, "AUTH_REQUIRED")
			if said := got.header.Get("WWW-Authenticate"); !strings.HasPrefix(said, `Bearer error="invalid_token", resource_metadata="`+w.url) {
				t.Error(said)
			}
		})
	}
	t.Run("a token in the URL", func(t *testing.T) {
		refuses(t, w.send(http.MethodPost, sdkapi.MCPPath+"?access_token="+tokens.AccessToken, `{}`, map[string]string{"Content-Type": "application/json"}), 401, "AUTH_REQUIRED")
	})
	for name, path := range map[string]string{
		"tools": sdkapi.ToolsPath, "decisions": "/api/decisions", "artifacts": sdkapi.ArtifactsPath, "rules": "/api/rules", "the memory": "/api/memory/files", "below the server": sdkapi.MCPPath + "/x",
	} {
		t.Run("another resource of the gateway: "+name, func(t *testing.T) {
			refuses(t, w.send(http.MethodGet, path, "", map[string]string{"Authorization": "Bearer " + tokens.AccessToken}), 401, "AUTH_REQUIRED")
		})
	}
	t.Run("the console", func(t *testing.T) {
		for _, token := range []string{tokens.AccessToken, tokens.RefreshToken} {
			refuses(t, w.by(browser(t), http.MethodPost, sdkapi.ConsoleVisitPath, `{"token":"`+token+`"}`, console), 401, "AUTH_REQUIRED")
		}
	})
	t.Run("another user by a header", func(t *testing.T) {
		refuses(t, w.send(http.MethodPost, sdkapi.MCPPath, `{}`, map[string]string{"Authorization": "Bearer " + tokens.AccessToken, "X-User-Id": "user_other", "Content-Type": "application/json"}), 403, "PERMISSION_DENIED")
	})
	t.Run("revoked by another client", func(t *testing.T) {
		refuses(t, w.send(http.MethodPost, sdkapi.OAuthRevokePath, url.Values{"token": {tokens.AccessToken}, "client_id": {other}}.Encode(), form), 401, "invalid_client")
		if !w.opens(tokens.AccessToken) {
			t.Error("the token is revoked")
		}
	})
}

// Calls that the person has not allowed.
func TestAttacksOnScopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oauth.Config{}, nil)
	screens, tools, risky, all := w.connected("screens"), w.connected("tools"), w.connected("tools risky"), w.connected("screens tools risky computer")
	for name, tt := range map[string]struct{ token, tool, asks string }{
		"a tool by screens":             {screens.AccessToken, "web_search", "screens tools"},
		"a risky tool by screens":       {screens.AccessToken, "memory_write", "screens tools risky"},
		"a screen by tools":             {tools.AccessToken, "ocr_read", "screens tools"},
		"a risky tool by tools":         {tools.AccessToken, "memory_write", "tools risky"},
		"the computer by tools":         {risky.AccessToken, "computer_look", "tools risky computer"},
		"a tool by its registered name": {tools.AccessToken, "memory.write", "tools risky"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.mcp(tt.token, "tools/call", `"name":"`+tt.tool+`","arguments":{}`)
			refuses(t, got, 403, "PERMISSION_DENIED")
			want := `Bearer error="insufficient_scope", resource_metadata="` + w.url + `/.well-known/oauth-protected-resource/mcp", scope="` + tt.asks + `"`
			if said := got.header.Get("WWW-Authenticate"); said != want {
				t.Error(said)
			}
		})
	}
	t.Run("an artifact by tools", func(t *testing.T) {
		refuses(t, w.mcp(tools.AccessToken, "resources/read", `"uri":"windie://artifacts/x"`), 403, "PERMISSION_DENIED")
	})
	t.Run("a risky call in a batch", func(t *testing.T) {
		body := `[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_write","arguments":{}}}]`
		refuses(t, w.send(http.MethodPost, sdkapi.MCPPath, body, map[string]string{"Authorization": "Bearer " + tools.AccessToken, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}), 403, "PERMISSION_DENIED")
	})
	t.Run("hidden in another spelling of the fields", func(t *testing.T) {
		body := `{"jsonrpc":"2.0","id":2,"method":"tools/call","Method":"tools/list","params":{"name":"memory_write","Name":"ocr_read","arguments":{}}}`
		got := w.send(http.MethodPost, sdkapi.MCPPath, body, map[string]string{"Authorization": "Bearer " + tools.AccessToken, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"})
		if strings.Contains(got.body, `"content":[`) && !strings.Contains(got.body, "isError") {
			t.Error(got)
		}
	})
	if calls := w.calls.Load(); calls != 0 {
		t.Errorf("%d calls were made", calls)
	}
	for name, tt := range map[string]struct{ token, lists, hides string }{
		"screens": {screens.AccessToken, "ocr_read", "web_search memory_write computer_look"},
		"tools":   {tools.AccessToken, "web_search", "ocr_read memory_write computer_look"},
		"risky":   {risky.AccessToken, "web_search memory_write", "ocr_read computer_look"},
		"all":     {all.AccessToken, "ocr_read web_search memory_write computer_look", ""},
		"install": {w.token, "ocr_read web_search memory_write computer_look", ""},
	} {
		t.Run("the list by "+name, func(t *testing.T) {
			got := w.mcp(tt.token, "tools/list", "")
			if own := strings.Contains(got.body, `"cacheScope":"private"`); own != (name != "install") {
				t.Errorf("caches may share the list: %s", got)
			}
			for _, tool := range strings.Fields(tt.lists) {
				if !strings.Contains(got.body, `"`+tool+`"`) {
					t.Errorf("lacks %s: %s", tool, got)
				}
			}
			for _, tool := range strings.Fields(tt.hides) {
				if strings.Contains(got.body, `"`+tool+`"`) {
					t.Errorf("lists %s", tool)
				}
			}
		})
	}
	t.Run("a risky tool still needs approval", func(t *testing.T) {
		if got := w.mcp(risky.AccessToken, "tools/call", `"name":"memory_write","arguments":{}`); !strings.Contains(got.body, "a person must approve") || w.calls.Load() != 0 {
			t.Errorf("%d calls, %s", w.calls.Load(), got)
		}
	})
	t.Run("allowed calls are made", func(t *testing.T) {
		if got := w.mcp(tools.AccessToken, "tools/call", `"name":"web_search","arguments":{}`); got.status != 200 || w.calls.Load() != 1 {
			t.Errorf("%d calls, %s", w.calls.Load(), got)
		}
	})
	t.Run("a session of a token with more scopes", func(t *testing.T) {
		headers := map[string]string{"Authorization": "Bearer " + all.AccessToken, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
		began := w.send(http.MethodPost, sdkapi.MCPPath, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, headers)
		headers["Authorization"], headers["Mcp-Session-Id"] = "Bearer "+screens.AccessToken, began.header.Get("Mcp-Session-Id")
		refuses(t, w.send(http.MethodPost, sdkapi.MCPPath, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"web_search","arguments":{}}}`, headers), 403, "PERMISSION_DENIED")
		if got := w.send(http.MethodPost, sdkapi.MCPPath, `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}}`, headers); strings.Contains(got.body, "web_search") || !strings.Contains(got.body, "ocr_read") {
			t.Error(got)
		}
	})
}

// What a token opened ends with it, whoever ends it.
func TestRevocationEndsWhatIsOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oauth.Config{}, nil)
	for name, revoke := range map[string]func(t *testing.T, tokens sdkapi.OAuthTokens){
		"by the client": func(t *testing.T, tokens sdkapi.OAuthTokens) {
			got := w.send(http.MethodPost, sdkapi.OAuthRevokePath, url.Values{"token": {tokens.RefreshToken}, "client_id": {w.client}}.Encode(), form)
			if got.status != http.StatusOK {
				t.Error(got)
			}
		},
		"by the person": func(t *testing.T, _ sdkapi.OAuthTokens) {
			var list sdkapi.ConsoleClients
			w.by(&w.Client, http.MethodGet, sdkapi.ConsoleClientsPath, "", console).into(t, &list)
			for _, c := range list.Clients {
				w.by(&w.Client, http.MethodDelete, sdkapi.ConsoleClientsPath+"/"+c.ID, "", console)
			}
		},
		"by a thief's refresh": func(t *testing.T, tokens sdkapi.OAuthTokens) {
			w.refresh(tokens.RefreshToken)
			refuses(t, w.refresh(tokens.RefreshToken), 400, "invalid_grant")
		},
	} {
		t.Run(name, func(t *testing.T) {
			tokens := w.connected("screens")
			over := w.listen(tokens.AccessToken)
			revoke(t, tokens)
			ends(t, over)
			if w.opens(tokens.AccessToken) {
				t.Error("the token still opens the server")
			}
		})
	}
	t.Run("with the token that signed the person in", func(t *testing.T) { // last: it ends the person's sign-in
		tokens := w.connected("screens")
		unused := w.code(w.query())
		over := w.listen(tokens.AccessToken)
		if err := w.ids.Revoke(t.Context(), w.ada.ID); err != nil {
			t.Fatal(err)
		}
		ends(t, over)
		if w.opens(tokens.AccessToken) {
			t.Error("the token still opens the server")
		}
		refuses(t, w.exchange(unused), 400, "invalid_grant")
	})
}

// ends waits until a stream ends.
func ends(t *testing.T, over <-chan struct{}) {
	t.Helper()
	testkit.Eventually(t, "the stream ends", func() (any, bool) {
		select {
		case <-over:
			return nil, true
		default:
			return "open", false
		}
	})
}

// listen opens a stream of a new session. The channel is closed when the stream ends.
func (w *world) listen(token string) <-chan struct{} {
	w.t.Helper()
	headers := map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	began := w.send(http.MethodPost, sdkapi.MCPPath, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, headers)
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+sdkapi.MCPPath, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Mcp-Session-Id", began.header.Get("Mcp-Session-Id"))
	resp, err := http.DefaultClient.Do(request)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%v, %v", resp, err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer resp.Body.Close()
		for scan := bufio.NewScanner(resp.Body); scan.Scan(); {
			_ = scan.Text()
		}
	}()
	return over
}
