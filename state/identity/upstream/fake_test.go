package upstream_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity/upstream"
)

// fake is an MCP server with its issuer. The fields change its answers.
type fake struct {
	*httptest.Server

	mu      sync.Mutex
	forms   []url.Values // of requests for tokens
	revoked []string
	n       int

	lasts     int                                          // seconds that a token lasts
	issuer    string                                       // in the metadata of the resource; default the fake itself
	metadata  func(w http.ResponseWriter, r *http.Request) // instead of the metadata of the resource
	challenge string                                       // URL of the metadata in the challenge; default none
	refuse    atomic.Int32                                 // status of the answer to a request for tokens
	pause     time.Duration                                // of a refresh
}

// newFake starts a fake.
func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{lasts: 3600}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) {
		if f.challenge != "" {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+f.challenge+`", scope="read write"`)
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, r *http.Request) {
		if f.metadata != nil {
			f.metadata(w, r)
			return
		}
		at := f.issuer
		if at == "" {
			at = f.URL
		}
		reply(w, map[string]any{"resource": f.URL + "/mcp", "authorization_servers": []string{at}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": f.URL, "authorization_endpoint": f.URL + "/authorize", "token_endpoint": f.URL + "/token", "registration_endpoint": f.URL + "/register",
			"revocation_endpoint": f.URL + "/revoke", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		})
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"resource": f.URL + "/mcp", "authorization_servers": []string{f.URL}})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"client_id":"windie-1","token_endpoint_auth_method":"none"}`))
	})
	mux.HandleFunc("/token", f.token)
	mux.HandleFunc("/revoke", func(_ http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.revoked = append(f.revoked, r.FormValue("token"))
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

// reply sends JSON.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// token answers a request for tokens: the tokens have numbers, and a refresh token works once.
func (f *fake) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	if f.pause > 0 && r.PostForm.Get("grant_type") == "refresh_token" {
		time.Sleep(f.pause)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forms = append(f.forms, r.PostForm)
	if status := f.refuse.Load(); status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(status))
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	if got := r.PostForm.Get("refresh_token"); r.PostForm.Get("grant_type") == "refresh_token" && got != fmt.Sprintf("refresh-%d", f.n) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	f.n++
	reply(w, map[string]any{"access_token": fmt.Sprintf("access-%d", f.n), "token_type": "Bearer", "expires_in": f.lasts, "refresh_token": fmt.Sprintf("refresh-%d", f.n)})
}

// asked returns the requests for tokens.
func (f *fake) asked() []url.Values {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]url.Values{}, f.forms...)
}

// gone returns the revoked tokens.
func (f *fake) gone() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.revoked)
}

// server returns the server of a fake.
func (f *fake) server() upstream.Server { return upstream.Server{Name: "other", URL: f.URL + "/mcp"} }

// open returns a store for servers.
func open(db *database.DB, servers ...upstream.Server) *upstream.Store {
	return upstream.Open(db, upstream.Config{
		Key: bytes.Repeat([]byte{7}, upstream.KeyBytes), Console: "https://windie.example/console/", Timeout: 2 * time.Second,
		Servers: func() []upstream.Server { return servers },
	})
}

// ada is the visitor of the tests.
var ada = upstream.Visitor{User: "ada", Visit: "visit-1"}

// begun begins a sign-in and returns its state.
func begun(t *testing.T, s *upstream.Store, by upstream.Visitor) url.Values {
	t.Helper()
	to, err := s.Begin(t.Context(), by, "other", "https://windie.example")
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return at.Query()
}

// connect signs a visitor in.
func connect(t *testing.T, s *upstream.Store, by upstream.Visitor) {
	t.Helper()
	asked := begun(t, s, by)
	if _, err := s.Finish(t.Context(), by, url.Values{"state": asked["state"], "code": {"code-1"}}); err != nil {
		t.Fatal(err)
	}
}

// has fails the test unless err has a code.
func has(t *testing.T, err error, code sdkapi.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("%v; want %s", err, code)
	}
}

// on runs a test on both databases.
func on(t *testing.T, test func(t *testing.T, db *database.DB)) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) { test(t, databasetest.Open(t, cfg)) })
}
