package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// handler returns the OAuth client of the Go SDK, whose browser is that of the person.
func (w *world) handler(id string, refuses *atomic.Bool) auth.OAuthHandler {
	w.t.Helper()
	cfg := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: callback,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if refuses.Load() {
				return nil, errors.New("the person is away")
			}
			got := w.by(&w.Client, http.MethodGet, strings.TrimPrefix(args.URL, w.url), "", nil)
			_, query, ok := strings.Cut(got.header.Get("Location"), "/console/#/connect?")
			if !ok {
				return nil, fmt.Errorf("not led to the console: %s", got)
			}
			to := w.allowed(query)
			return &auth.AuthorizationResult{Code: to.Query().Get("code"), State: to.Query().Get("state"), Iss: to.Query().Get("iss")}, nil
		},
	}
	if id != "" {
		cfg.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: id}
	} else {
		cfg.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Go SDK", RedirectURIs: []string{callback}, GrantTypes: []string{"authorization_code", "refresh_token"},
		}}
	}
	h, err := auth.NewAuthorizationCodeHandler(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

// The OAuth client of the Go SDK needs only the URL of the gateway and a browser. It asks for more
// scopes when a tool needs them, and its connection ends when the person disconnects it.
func TestConnectByURL(t *testing.T) {
	t.Parallel()
	var id string
	at, documents, _ := documentHost(t, func(_ string, rw http.ResponseWriter) {
		_, _ = fmt.Fprintf(rw, `{"client_id":%q,"client_name":"Go SDK","redirect_uris":[%q]}`, id, callback)
	})
	id = at
	w := newWorld(t, oauth.Config{Documents: documents}, nil)
	for name, id := range map[string]string{"registered": "", "by its document": id} {
		t.Run(name, func(t *testing.T) {
			var refuses atomic.Bool
			client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: w.url + "/mcp", OAuthHandler: w.handler(id, &refuses)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if got := namesOf(t, session); !slices.Contains(got, "ocr_read") || slices.Contains(got, "memory_write") {
				t.Errorf("tools without the scope risky: %v", got)
			}
			// The server answers 403, and the client asks the person for the scope risky too.
			res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_write", Arguments: map[string]any{}})
			if err != nil || !strings.Contains(fmt.Sprint(res.Content[0].(*mcp.TextContent).Text), "a person must approve") {
				t.Errorf("a risky tool after the step up: %+v, %v", res, err)
			}
			if got := namesOf(t, session); !slices.Contains(got, "memory_write") {
				t.Errorf("tools with the scope risky: %v", got)
			}
			var list sdkapi.ConsoleClients
			w.by(&w.Client, http.MethodGet, sdkapi.ConsoleClientsPath, "", console).into(t, &list)
			if list.Clients[0].Client != "Go SDK" || len(list.Clients[0].Scopes) != 3 || list.Clients[0].RedirectHost != "127.0.0.1:33418" {
				t.Errorf("%+v", list.Clients)
			}
			for _, c := range list.Clients {
				if got := w.by(&w.Client, http.MethodDelete, sdkapi.ConsoleClientsPath+"/"+c.ID, "", console); got.status != http.StatusNoContent {
					t.Error(got)
				}
			}
			refuses.Store(true)
			defer refuses.Store(false)
			testkit.Eventually(t, "the session is over", func() (any, bool) {
				_, err := session.ListTools(t.Context(), nil)
				return err, err != nil
			})
		})
	}
}

// namesOf returns the names of the tools that a client lists.
func namesOf(t *testing.T, session *mcp.ClientSession) (names []string) {
	t.Helper()
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

// By hand: what the metadata says is where the routes are, and each step leads to the next.
func TestConnectByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oauth.Config{}, nil)
	refused := w.mcp("", "tools/list", "")
	want := `Bearer resource_metadata="` + w.url + `/.well-known/oauth-protected-resource/mcp", scope="screens tools"`
	if refused.status != http.StatusUnauthorized || refused.header.Get("WWW-Authenticate") != want {
		t.Fatal(refused)
	}
	for _, path := range []string{"", "/mcp"} {
		var resource sdkapi.OAuthResource
		w.send(http.MethodGet, sdkapi.OAuthResourcePath+path, "", nil).into(t, &resource)
		if resource.Resource != w.url+"/mcp" || len(resource.Scopes) != 2 || !slices.Equal(resource.AuthorizationServers, []string{w.url}) {
			t.Fatalf("%+v", resource)
		}
	}
	var server sdkapi.OAuthServer
	w.send(http.MethodGet, sdkapi.OAuthServerPath, "", nil).into(t, &server)
	if server.Issuer != w.url || !server.IssInResponse || !server.ClientDocuments || !slices.Equal(server.ChallengeMethods, []string{"S256"}) ||
		server.TokenEndpoint != w.url+sdkapi.OAuthTokenPath {
		t.Fatalf("%+v", server)
	}
	to := w.allowed(w.query("redirect_uri", "http://127.0.0.1:40000/callback"))
	if got := to.Query(); to.Host != "127.0.0.1:40000" || got.Get("state") != "xyz" || got.Get("iss") != w.url {
		t.Errorf("redirect to %s", to)
	}
	got := w.exchange(to.Query().Get("code"), "redirect_uri", "http://127.0.0.1:40000/callback")
	var first, second sdkapi.OAuthTokens
	got.into(t, &first)
	if got.header.Get("Cache-Control") != "no-store" || first.TokenType != "Bearer" || first.ExpiresIn != 3600 || first.Scope != "screens tools" || !w.opens(first.AccessToken) {
		t.Fatal(got)
	}
	w.refresh(first.RefreshToken).into(t, &second)
	if !w.opens(second.AccessToken) || !w.opens(first.AccessToken) || second.RefreshToken == first.RefreshToken {
		t.Error("the refreshed tokens open nothing, or end the tokens before")
	}
	narrow := sdkapi.OAuthTokens{}
	w.refresh(second.RefreshToken, "scope", "screens").into(t, &narrow)
	if narrow.Scope != "screens" {
		t.Errorf("%+v", narrow)
	}
	if got := w.send(http.MethodPost, sdkapi.OAuthRevokePath, url.Values{"token": {narrow.RefreshToken}, "client_id": {w.client}}.Encode(), form); got.status != http.StatusOK {
		t.Error(got)
	}
	if w.opens(first.AccessToken) || w.opens(narrow.AccessToken) {
		t.Error("a revoked token still opens the server")
	}
}

// Below a path, the metadata is where the standards put it, and where the gateway's own paths are.
func TestBelowAPath(t *testing.T) {
	t.Parallel()
	shared := newWorld(t, oauth.Config{}, nil)
	var public string
	url := serve(t, shared, func(app *gateway.App) {
		public = app.PublicURL + "/windie"
		app.PublicURL, app.PathPrefix = public, "/windie"
		_, app.OAuth = gatewaytest.OAuth(t, oauth.Config{Issuer: public, Resource: public + sdkapi.MCPPath})
	})
	w := &world{t: t, url: url, Client: *browser(t)}
	for _, path := range []string{"/windie" + sdkapi.OAuthServerPath, sdkapi.OAuthServerPath + "/windie"} {
		var server sdkapi.OAuthServer
		w.send(http.MethodGet, path, "", nil).into(t, &server)
		if server.Issuer != public || server.TokenEndpoint != public+sdkapi.OAuthTokenPath {
			t.Errorf("%s: %+v", path, server)
		}
	}
	for _, path := range []string{"/windie" + sdkapi.OAuthResourcePath + "/mcp", sdkapi.OAuthResourcePath + "/windie/mcp"} {
		var resource sdkapi.OAuthResource
		w.send(http.MethodGet, path, "", nil).into(t, &resource)
		if resource.Resource != public+"/mcp" || resource.AuthorizationServers[0] != public {
			t.Errorf("%s: %+v", path, resource)
		}
	}
	got := w.send(http.MethodGet, "/windie"+sdkapi.OAuthAuthorizePath+"?a=b", "", nil)
	if at := got.header.Get("Location"); at != "/windie/console/#/connect?a=b" {
		t.Errorf("led to %s", at)
	}
}

// An app on the person's machine may register a scheme of its own. The person sees which, the code goes there
// and nowhere else, and it needs PKCE as every code does.
func TestConnectAnApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oauth.Config{}, nil)
	for uri, app := range map[string]string{
		"cursor://anysphere.cursor-mcp/oauth/callback": "cursor", "com.example.app:/callback": "com.example.app", "app+1://callback?window=1": "app+1",
	} {
		t.Run(app, func(t *testing.T) {
			id := w.register(fmt.Sprintf(`{"client_name":"An app","redirect_uris":[%q,"https://www.example.com/callback"]}`, uri))
			query := w.query("client_id", id, "redirect_uri", uri)
			if shown := w.shown(query); shown.RedirectApp != app || shown.RedirectHost != "" || !shown.Local || shown.RedirectURI != uri {
				t.Errorf("%+v", shown)
			}
			to := w.allowed(query)
			if !strings.HasPrefix(to.String(), uri) || to.Query().Get("state") != "xyz" {
				t.Errorf("redirect to %s", to)
			}
			if got := w.exchange(to.Query().Get("code"), "client_id", id, "redirect_uri", uri); got.status != http.StatusOK {
				t.Error(got)
			}
			var list sdkapi.ConsoleClients
			w.by(&w.Client, http.MethodGet, sdkapi.ConsoleClientsPath, "", console).into(t, &list)
			if !slices.ContainsFunc(list.Clients, func(c sdkapi.ConsoleClient) bool { return c.RedirectApp == app && c.RedirectHost == "" }) {
				t.Errorf("%+v", list.Clients)
			}
			for name, bad := range map[string]string{
				"another path": w.query("client_id", id, "redirect_uri", uri+"x"), "another scheme": w.query("client_id", id, "redirect_uri", "x"+uri),
				"no PKCE": w.query("client_id", id, "redirect_uri", uri, "code_challenge", "", "code_challenge_method", ""),
			} {
				if got := w.ask(bad); got.status == http.StatusOK {
					t.Errorf("%s: %s", name, got)
				}
			}
		})
	}
}

// A gateway that cannot reach public addresses does not offer to load documents, and loads no document. So clients register.
func TestConnectWithoutDocuments(t *testing.T) {
	t.Parallel()
	id, documents, loaded := documentHost(t, func(id string, rw http.ResponseWriter) {
		_, _ = fmt.Fprintf(rw, `{"client_id":%q,"redirect_uris":[%q]}`, id, callback)
	})
	w := newWorld(t, oauth.Config{Documents: documents, NoDocuments: true}, nil)
	var server sdkapi.OAuthServer
	w.send(http.MethodGet, sdkapi.OAuthServerPath, "", nil).into(t, &server)
	if server.ClientDocuments {
		t.Errorf("%+v", server)
	}
	refuses(t, w.ask(w.query("client_id", id)), http.StatusUnprocessableEntity, "register")
	if loaded.Load() != 0 {
		t.Error("the gateway loaded a document")
	}
	if got := w.exchange(w.code(w.query())); got.status != http.StatusOK {
		t.Error(got)
	}
}
