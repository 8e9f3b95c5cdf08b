package oauth_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"golang.org/x/oauth2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/oauth"
)

const redirect = "http://127.0.0.1/callback"

var verifier = strings.Repeat("v", 43)

// kept is a store with a user and a registered client.
type kept struct {
	*oauth.Store

	t      *testing.T
	db     *database.DB
	ids    *identity.Identity
	ada    identity.Install
	client oauth.Client
}

// onBoth runs a test on a store in an empty database of each kind.
func onBoth(t *testing.T, run func(t *testing.T, k *kept)) {
	t.Helper()
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		k := &kept{t: t, db: db, ids: identity.Open(db)}
		k.Store = oauth.Open(db, k.ids, oauth.Config{Issuer: "https://windie.example", Resource: "https://windie.example/mcp"})
		var err error
		if k.ada, _, err = k.ids.Register(t.Context(), "Linux"); err != nil {
			t.Fatal(err)
		}
		if k.client, err = k.Register(t.Context(), "Claude", []string{redirect}); err != nil {
			t.Fatal(err)
		}
		run(t, k)
	})
}

// code returns a code for all scopes.
func (k *kept) code() string {
	k.t.Helper()
	code, err := k.Allow(k.t.Context(), oauth.Consent{
		User: k.ada.User, Parent: k.ada.ID, Client: k.client, Redirect: redirect, Challenge: oauth2.S256ChallengeFromVerifier(verifier), Scopes: oauth.DefaultScopes(),
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return code
}

// exchange exchanges a code.
func (k *kept) exchange(code string) (oauth.Tokens, error) {
	return k.Exchange(k.t.Context(), oauth.Exchange{Code: code, ClientID: k.client.ID, Redirect: redirect, Verifier: verifier})
}

// connected returns the tokens of a new grant.
func (k *kept) connected() oauth.Tokens {
	k.t.Helper()
	tokens, err := k.exchange(k.code())
	if err != nil {
		k.t.Fatal(err)
	}
	return tokens
}

// exec changes the database.
func (k *kept) exec(statement string, args ...any) {
	k.t.Helper()
	err := k.db.Write(k.t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(statement, args...).Exec(ctx)
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
}

// refused checks that an error is the refusal of a grant.
func refused(t *testing.T, err error) {
	t.Helper()
	if refusal := oauth.RefusalOf(err); refusal == nil || refusal.Code != oauth.InvalidGrant {
		t.Errorf("%v", err)
	}
}

// valid checks whether an access token is valid.
func (k *kept) valid(token string, want bool) {
	k.t.Helper()
	access, err := k.Authenticate(k.t.Context(), token)
	if want && (err != nil || access.User != k.ada.User || access.Scopes.String() != "screens tools") || !want && fault.CodeOf(err) != sdkapi.AuthRequired {
		k.t.Errorf("%+v, %v; expected to be valid: %v", access, err, want)
	}
}

func TestLifetimes(t *testing.T) {
	past := time.Now().Add(-time.Second).UnixMicro()
	onBoth(t, func(t *testing.T, k *kept) {
		t.Run("of a code", func(t *testing.T) {
			code := k.code()
			k.exec("UPDATE oauth_codes SET expires = ? WHERE install_id = ''", past)
			_, err := k.exchange(code)
			refused(t, err)
		})
		t.Run("of an access token", func(t *testing.T) {
			tokens := k.connected()
			k.valid(tokens.Access, true)
			k.exec("UPDATE oauth_tokens SET expires = ? WHERE kind = 'access'", past)
			k.valid(tokens.Access, false)
		})
		t.Run("of a refresh token", func(t *testing.T) {
			tokens := k.connected()
			k.exec("UPDATE oauth_tokens SET expires = ? WHERE kind = 'refresh'", past)
			_, err := k.Refresh(t.Context(), oauth.Refresh{Token: tokens.Refresh, ClientID: k.client.ID})
			refused(t, err)
		})
		t.Run("of a grant", func(t *testing.T) {
			tokens := k.connected()
			k.exec("UPDATE oauth_grants SET expires = ?", past)
			k.connected()
			k.valid(tokens.Access, false)
		})
		t.Run("of an unused registration", func(t *testing.T) {
			client, err := k.Register(t.Context(), "x", []string{redirect})
			if err != nil {
				t.Fatal(err)
			}
			k.exec("UPDATE oauth_clients SET expires = ? WHERE id = ?", past, client.ID)
			if _, err := k.Client(t.Context(), client.ID); oauth.RefusalOf(err) == nil {
				t.Error(err)
			}
		})
	})
}

// A token is for one resource: that of another gateway, which shares the database, refuses it.
func TestAudience(t *testing.T) {
	onBoth(t, func(t *testing.T, k *kept) {
		tokens, code := k.connected(), k.code()
		other := oauth.Open(k.db, k.ids, oauth.Config{Issuer: "https://other.example", Resource: "https://other.example/mcp"})
		if _, err := other.Authenticate(t.Context(), tokens.Access); fault.CodeOf(err) != sdkapi.AuthRequired {
			t.Error(err)
		}
		_, err := other.Refresh(t.Context(), oauth.Refresh{Token: tokens.Refresh, ClientID: k.client.ID})
		refused(t, err)
		_, err = other.Exchange(t.Context(), oauth.Exchange{Code: code, ClientID: k.client.ID, Redirect: redirect, Verifier: verifier})
		refused(t, err)
		k.valid(tokens.Access, true)
	})
}

// Neither a code nor a token is in the database.
func TestOnlyHashesAreKept(t *testing.T) {
	onBoth(t, func(t *testing.T, k *kept) {
		code := k.code()
		tokens, err := k.exchange(code)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{code, tokens.Access, tokens.Refresh} {
			for _, table := range []string{"oauth_codes", "oauth_tokens", "oauth_grants", "installs"} {
				var rows []map[string]any
				if err := k.db.Read().NewRaw("SELECT * FROM ?", bun.Ident(table)).Scan(t.Context(), &rows); err != nil || len(rows) == 0 {
					t.Fatal(rows, err)
				}
				if strings.Contains(fmt.Sprint(rows), secret) {
					t.Errorf("%s has a secret", table)
				}
			}
		}
	})
}

// A user who is deleted leaves no code, grant or token.
func TestDeletedUser(t *testing.T) {
	onBoth(t, func(t *testing.T, k *kept) {
		tokens, code := k.connected(), k.code()
		if err := k.ids.DeleteUser(t.Context(), k.ada.User); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"oauth_codes", "oauth_tokens", "oauth_grants", "installs"} {
			var count int
			if err := k.db.Read().NewRaw("SELECT count(*) FROM ?", bun.Ident(table)).Scan(t.Context(), &count); err != nil || count != 0 {
				t.Errorf("%s has %d rows, %v", table, count, err)
			}
		}
		k.valid(tokens.Access, false)
		_, err := k.exchange(code)
		refused(t, err)
	})
}

// A grant ends in each way once, is listed as revoked, and leaves other grants alone.
func TestEnds(t *testing.T) {
	onBoth(t, func(t *testing.T, k *kept) {
		other, err := k.ids.CreateUser(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		stays := k.connected()
		for name, end := range map[string]func(tokens oauth.Tokens, install string) error{
			"by the access token":  func(tokens oauth.Tokens, _ string) error { return k.Revoke(t.Context(), tokens.Access, k.client.ID) },
			"by the refresh token": func(tokens oauth.Tokens, _ string) error { return k.Revoke(t.Context(), tokens.Refresh, k.client.ID) },
			"by the user":          func(_ oauth.Tokens, install string) error { return k.End(t.Context(), install, k.ada.User) },
			"by the operator":      func(_ oauth.Tokens, install string) error { return k.ids.Revoke(t.Context(), install) },
		} {
			t.Run(name, func(t *testing.T) {
				tokens := k.connected()
				list, err := k.Grants(t.Context(), k.ada.User)
				if err != nil || len(list) != 2 || list[0].Client != "Claude" || list[0].Scopes.String() != "screens tools" {
					t.Fatalf("%+v, %v", list, err)
				}
				if err := k.End(t.Context(), list[0].Install, other.ID); fault.CodeOf(err) != sdkapi.NotFound {
					t.Errorf("another user: %v", err)
				}
				before, _ := k.ids.LastRevocation(t.Context())
				if err := end(tokens, list[0].Install); err != nil {
					t.Fatal(err)
				}
				revoked, err := k.ids.Revocations(t.Context(), before)
				if err != nil || len(revoked) != 1 || revoked[0].Install != list[0].Install {
					t.Errorf("%+v, %v", revoked, err)
				}
				k.valid(tokens.Access, false)
				k.valid(stays.Access, true)
				if gone, err := k.ids.Revoked(t.Context(), k.ada.User, list[0].Install); err != nil || !gone {
					t.Errorf("the install of the grant is there: %v", err)
				}
				_, err = k.Refresh(t.Context(), oauth.Refresh{Token: tokens.Refresh, ClientID: k.client.ID})
				refused(t, err)
			})
		}
	})
}

// A user has at most MaxGrants grants, and a grant refreshes at most 60 times at once.
func TestBounds(t *testing.T) {
	onBoth(t, func(t *testing.T, k *kept) {
		first := k.connected()
		for range oauth.MaxGrants {
			k.connected()
		}
		k.valid(first.Access, false)
		if list, err := k.Grants(t.Context(), k.ada.User); err != nil || len(list) != oauth.MaxGrants {
			t.Errorf("%d grants, %v", len(list), err)
		}
		tokens, refreshed := k.connected(), 0
		for range 70 {
			next, err := k.Refresh(t.Context(), oauth.Refresh{Token: tokens.Refresh, ClientID: k.client.ID})
			if err != nil {
				if refusal := oauth.RefusalOf(err); refusal == nil || refusal.Code != oauth.Unavailable {
					t.Fatal(err)
				}
				break
			}
			tokens = next
			refreshed++
		}
		if refreshed != 60 {
			t.Errorf("refreshed %d times", refreshed)
		}
	})
}

// Of many who bring the same code or refresh token at once, at most one gets tokens.
func TestOnceAtMost(t *testing.T) {
	onBoth(t, func(t *testing.T, k *kept) {
		code, refresh := k.code(), k.connected().Refresh
		for name, take := range map[string]func() (oauth.Tokens, error){
			"code": func() (oauth.Tokens, error) { return k.exchange(code) },
			"refresh token": func() (oauth.Tokens, error) {
				return k.Refresh(t.Context(), oauth.Refresh{Token: refresh, ClientID: k.client.ID})
			},
		} {
			t.Run(name, func(t *testing.T) {
				results := make(chan oauth.Tokens, 8)
				for range cap(results) {
					go func() {
						tokens, _ := take()
						results <- tokens
					}()
				}
				var given []oauth.Tokens
				for range cap(results) {
					if tokens := <-results; tokens.Access != "" {
						given = append(given, tokens)
					}
				}
				if len(given) > 1 {
					t.Errorf("%d got tokens", len(given))
				}
				for _, tokens := range given {
					k.valid(tokens.Access, false) // the others ended the grant
				}
			})
		}
	})
}
