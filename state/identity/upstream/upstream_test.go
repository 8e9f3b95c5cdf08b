package upstream_test

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity/upstream"
)

// A sign-in asks for the server's scopes and resource, with PKCE, and its code is used once.
func TestSignIn(t *testing.T) {
	on(t, func(t *testing.T, db *database.DB) {
		f := newFake(t)
		f.challenge = f.URL + "/.well-known/oauth-protected-resource/mcp"
		s := open(db, f.server())
		asked := begun(t, s, ada)
		for name, want := range map[string]string{
			"client_id": "windie-1", "code_challenge_method": "S256", "resource": f.URL + "/mcp", "response_type": "code",
			"redirect_uri": "https://windie.example/oauth/callback", "scope": "read write",
		} {
			if got := asked.Get(name); got != want {
				t.Errorf("%s is %q; want %q", name, got, want)
			}
		}
		other := url.Values{"state": begun(t, s, ada)["state"], "code": {"code-1"}, "iss": {"https://evil.example"}} // though the issuer names itself nowhere
		_, err := s.Finish(t.Context(), ada, other)
		has(t, err, sdkapi.AuthRequired)
		query := url.Values{"state": asked["state"], "code": {"code-1"}}
		if server, err := s.Finish(t.Context(), ada, query); err != nil || server != "other" {
			t.Fatal(server, err)
		}
		_, err = s.Finish(t.Context(), ada, query)
		has(t, err, sdkapi.AuthRequired)
		forms := f.asked()
		if len(forms) != 1 || forms[0].Get("resource") != f.URL+"/mcp" || forms[0].Get("code_verifier") == "" || forms[0].Get("code") != "code-1" {
			t.Error(forms)
		}
		token, err := s.Token(t.Context(), f.server(), "ada", "")
		if err != nil || token.Access != "access-1" {
			t.Error(token, err)
		}
		_, err = s.Token(t.Context(), f.server(), "eve", "")
		has(t, err, sdkapi.ConnectionRequired)
		list, err := s.List(t.Context(), "ada")
		if err != nil || len(list) != 1 || list[0].State != upstream.Connected || strings.Join(list[0].Scopes, " ") != "read write" {
			t.Error(list, err)
		}
	})
}

// A sign-in ends: by its age, by the person's refusal, and by a change of the server.
func TestSignInEnds(t *testing.T) {
	on(t, func(t *testing.T, db *database.DB) {
		f := newFake(t)
		s := open(db, f.server())
		old := begun(t, s, ada)
		change(t, db, "UPDATE upstream_sign_ins SET expires = 1")
		_, err := s.Finish(t.Context(), ada, url.Values{"state": old["state"], "code": {"c"}})
		has(t, err, sdkapi.AuthRequired)
		_, err = s.Finish(t.Context(), ada, url.Values{"state": begun(t, s, ada)["state"], "error": {"access_denied"}})
		has(t, err, sdkapi.PermissionDenied)
		moved := begun(t, s, ada)
		elsewhere := open(db, upstream.Server{Name: "other", URL: f.URL + "/elsewhere"})
		_, err = elsewhere.Finish(t.Context(), ada, url.Values{"state": moved["state"], "code": {"c"}})
		has(t, err, sdkapi.AuthRequired)
		if n := len(f.asked()); n != 0 {
			t.Errorf("%d requests for tokens", n)
		}
		for range upstream.MaxSignIns + 3 {
			begun(t, s, ada)
		}
		if n := count(t, db, "SELECT count(*) FROM upstream_sign_ins"); n != upstream.MaxSignIns {
			t.Errorf("%d sign-ins; want %d", n, upstream.MaxSignIns)
		}
	})
}

// change runs a statement.
func change(t *testing.T, db *database.DB, statement string, values ...any) {
	t.Helper()
	_, err := db.Change(t.Context(), "test", func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw(statement, values...).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// count returns the number of a query.
func count(t *testing.T, db *database.DB, query string) (n int) {
	t.Helper()
	if err := db.Read().NewRaw(query).Scan(t.Context(), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Of many callers of two gateways, one refreshes. The next refresh sends the new refresh token.
func TestOneRefresh(t *testing.T) {
	on(t, func(t *testing.T, db *database.DB) {
		f := newFake(t)
		f.pause = 200 * time.Millisecond
		stores := []*upstream.Store{open(db, f.server()), open(db, f.server())}
		connect(t, stores[0], ada)
		stale := "access-1"
		for round := range 2 {
			var all sync.WaitGroup
			var wrong atomic.Int32
			for i := range 20 {
				all.Go(func() {
					token, err := stores[i%2].Token(t.Context(), f.server(), "ada", stale)
					if want := []string{"access-2", "access-3"}[round]; err != nil || token.Access != want {
						wrong.Add(1)
						t.Error(token.Access, err)
					}
				})
			}
			all.Wait()
			if n := len(f.asked()); n != round+2 || wrong.Load() != 0 {
				t.Fatalf("round %d: %d requests for tokens", round, n)
			}
			stale = "access-2"
		}
		last := f.asked()[2]
		if last.Get("refresh_token") != "refresh-2" || last.Get("resource") != f.URL+"/mcp" {
			t.Error(last)
		}
	})
}

// A token that ends soon is refreshed before its end, and without an issuer it is used until its end.
func TestRefreshBeforeTheEnd(t *testing.T) {
	on(t, func(t *testing.T, db *database.DB) {
		f := newFake(t)
		s := open(db, f.server())
		f.lasts = 50 // less than a minute
		connect(t, s, ada)
		f.refuse.Store(http.StatusBadGateway)
		if token, err := s.Token(t.Context(), f.server(), "ada", ""); err != nil || token.Access != "access-1" {
			t.Error(token, err)
		}
		_, err := s.Token(t.Context(), f.server(), "ada", "access-1")
		has(t, err, sdkapi.ToolError)
		f.refuse.Store(0)
		f.lasts = 3600
		if token, err := s.Token(t.Context(), f.server(), "ada", ""); err != nil || token.Access != "access-2" {
			t.Error(token, err)
		}
	})
}

// If the issuer refuses a refresh, the user must sign in again, and the issuer is not asked again.
func TestRefusedRefresh(t *testing.T) {
	on(t, func(t *testing.T, db *database.DB) {
		f := newFake(t)
		s := open(db, f.server())
		connect(t, s, ada)
		connect(t, s, upstream.Visitor{User: "eve", Visit: "v"})
		f.refuse.Store(http.StatusBadRequest)
		for range 3 {
			_, err := s.Token(t.Context(), f.server(), "ada", "access-1")
			has(t, err, sdkapi.ConnectionRequired)
		}
		if n := len(f.asked()); n != 3 {
			t.Errorf("%d requests for tokens; want 3", n)
		}
		if list, _ := s.List(t.Context(), "ada"); list[0].State != upstream.Refused {
			t.Error(list)
		}
		if token, err := s.Token(t.Context(), f.server(), "eve", ""); err != nil || token.Access != "access-2" {
			t.Error("another user's connection ended too:", err)
		}
		f.refuse.Store(0)
		connect(t, s, ada)
		if _, err := s.Token(t.Context(), f.server(), "ada", ""); err != nil {
			t.Error(err)
		}
	})
}

// Tokens open only for their user, their server, its URL and their key. No row has them in clear.
func TestTokensAreSealed(t *testing.T) {
	on(t, func(t *testing.T, db *database.DB) {
		f := newFake(t)
		s := open(db, f.server())
		connect(t, s, ada)
		connect(t, s, upstream.Visitor{User: "eve", Visit: "v"})
		var sealed []string
		if err := db.Read().NewRaw("SELECT sealed FROM upstream_connections ORDER BY user_id").Scan(t.Context(), &sealed); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(sealed, " "); len(sealed) != 2 || strings.Contains(text, "access") || strings.Contains(text, "refresh") {
			t.Error(sealed)
		}
		change(t, db, "UPDATE upstream_connections SET sealed = ? WHERE user_id = 'eve'", sealed[0])
		_, err := s.Token(t.Context(), f.server(), "eve", "")
		has(t, err, sdkapi.ConnectionRequired)
		moved := f.server()
		moved.URL = "https://evil.example/mcp"
		_, err = s.Token(t.Context(), moved, "ada", "")
		has(t, err, sdkapi.ConnectionRequired)
		key := upstream.Open(db, upstream.Config{Key: make([]byte, upstream.KeyBytes), Servers: func() []upstream.Server { return nil }})
		_, err = key.Token(t.Context(), f.server(), "ada", "")
		has(t, err, sdkapi.ConnectionRequired)
	})
}

// Disconnect revokes both tokens at the issuer, of this user alone. So does another sign-in for the old
// tokens. EraseUser deletes all of a user.
func TestEnds(t *testing.T) {
	on(t, func(t *testing.T, db *database.DB) {
		f := newFake(t)
		s := open(db, f.server())
		connect(t, s, ada)
		connect(t, s, ada)
		if n := f.gone(); n != 2 {
			t.Errorf("%d tokens revoked by another sign-in; want 2", n)
		}
		connect(t, s, upstream.Visitor{User: "eve", Visit: "v"})
		if err := s.Disconnect(t.Context(), "ada", "other"); err != nil {
			t.Error(err)
		}
		has(t, s.Disconnect(t.Context(), "ada", "other"), sdkapi.NotFound)
		if n := f.gone(); n != 4 {
			t.Errorf("%d tokens revoked; want 4", n)
		}
		connect(t, s, ada)
		begun(t, s, ada)
		if n, err := s.EraseUser(t.Context(), "ada"); n != 2 || err != nil {
			t.Error(n, err)
		}
		if n := count(t, db, "SELECT count(*) FROM upstream_connections"); n != 1 {
			t.Error(n)
		}
	})
}

// A server cannot lead the gateway to an address that the operator has not named, nor make it read or
// wait without end.
func TestHostileMetadata(t *testing.T) {
	on(t, func(t *testing.T, db *database.DB) {
		var hits atomic.Int32
		inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			hits.Add(1)
			w.WriteHeader(http.StatusNotFound)
		}))
		t.Cleanup(inside.Close)
		for name, change := range map[string]func(f *fake){
			"an issuer inside": func(f *fake) { f.issuer = inside.URL },
			"metadata inside":  func(f *fake) { f.challenge = inside.URL + "/meta"; f.issuer = inside.URL },
			"an internal name": func(f *fake) { f.issuer = "https://169.254.169.254" },
			"plain HTTP":       func(f *fake) { f.issuer = "http://issuer.example" },
			"a redirect inside": func(f *fake) {
				f.metadata = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside.URL, http.StatusFound) }
			},
			"a redirect": func(f *fake) {
				f.metadata = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, f.URL+"/moved", http.StatusFound) }
			},
			"another resource": func(f *fake) {
				f.metadata = func(w http.ResponseWriter, _ *http.Request) {
					reply(w, map[string]any{"resource": "https://bank.example/mcp", "authorization_servers": []string{f.URL}})
				}
			},
			"a huge answer":      func(f *fake) { f.metadata = huge(f) },
			"an endless answer":  func(f *fake) { f.metadata = func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() } },
			"no PKCE of issuers": func(f *fake) { f.issuer = f.URL + "/none" },
		} {
			t.Run(name, func(t *testing.T) {
				f := newFake(t)
				change(f)
				s := open(db, f.server())
				began := time.Now()
				_, err := s.Begin(t.Context(), ada, "other", "https://windie.example")
				has(t, err, sdkapi.FeatureUnavailable)
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		}
		if n := hits.Load(); n != 0 {
			t.Errorf("%d requests went inside", n)
		}
	})
}

// huge sends valid metadata with a megabyte of spaces before it.
func huge(f *fake) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(strings.Repeat(" ", 1<<20-4096)))
		reply(w, map[string]any{"resource": f.URL + "/mcp", "authorization_servers": []string{f.URL}})
	}
}

// An issuer that the operator names may be at a private address, and is the only one.
func TestNamedIssuer(t *testing.T) {
	on(t, func(t *testing.T, db *database.DB) {
		f, other := newFake(t), newFake(t)
		f.issuer = other.URL
		server := f.server()
		server.Issuer = other.URL
		begun(t, open(db, server), ada)
		server.Issuer = f.URL
		_, err := open(db, server).Begin(t.Context(), ada, "other", "https://windie.example")
		has(t, err, sdkapi.FeatureUnavailable)
	})
}
