package identity_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// secretIs returns a function that has one secret for all kinds.
func secretIs(secret string) func(string) string { return func(string) string { return secret } }

// The code of a link begins one visit, and none once it is too old.
func TestCodesAreUsedOnce(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		ids := identity.Open(db)
		code, err := ids.MakeCode(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := ids.UseCode(t.Context(), code+"x"); fault.CodeOf(err) != sdkapi.AuthRequired {
			t.Errorf("another code: %v", err)
		}
		if err := ids.UseCode(t.Context(), code); err != nil {
			t.Error(err)
		}
		if err := ids.UseCode(t.Context(), code); fault.CodeOf(err) != sdkapi.AuthRequired {
			t.Errorf("the code again: %v", err)
		}
		old, err := ids.MakeCode(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		change(t, db, "UPDATE console_codes SET expires = expires - ?", identity.CodeAge.Microseconds())
		if err := ids.UseCode(t.Context(), old); fault.CodeOf(err) != sdkapi.AuthRequired {
			t.Errorf("a code that is too old: %v", err)
		}
	})
}

// change runs a statement.
func change(t *testing.T, db *database.DB, statement string, args ...any) {
	t.Helper()
	err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(statement, args...).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A cookie lets in for as long as its secret is the gateway's, and its visit neither too old, nor idle, nor ended.
func TestVisitsEnd(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		ids := identity.Open(db)
		for name, tt := range map[string]struct {
			end func(t *testing.T, v identity.Visit)
			now string // the secret then
			in  bool
		}{
			"nothing happened": {func(*testing.T, identity.Visit) {}, "key", true},
			"another secret":   {func(*testing.T, identity.Visit) {}, "other key", false},
			"no secret":        {func(*testing.T, identity.Visit) {}, "", false},
			"ended": {func(t *testing.T, v identity.Visit) {
				if err := ids.EndVisit(t.Context(), v.ID, ""); err != nil {
					t.Error(err)
				}
			}, "key", false},
			"a minute before it is too old": {func(t *testing.T, v identity.Visit) {
				change(t, db, "UPDATE console_visits SET expires = expires - ? WHERE id = ?", (identity.VisitAge - time.Minute).Microseconds(), v.ID)
			}, "key", true},
			"too old": {func(t *testing.T, v identity.Visit) {
				change(t, db, "UPDATE console_visits SET expires = expires - ? WHERE id = ?", identity.VisitAge.Microseconds(), v.ID)
			}, "key", false},
			"a minute before it is idle": {func(t *testing.T, v identity.Visit) {
				change(t, db, "UPDATE console_visits SET seen = seen - ? WHERE id = ?", (identity.VisitIdle - time.Minute).Microseconds(), v.ID)
			}, "key", true},
			"idle": {func(t *testing.T, v identity.Visit) {
				change(t, db, "UPDATE console_visits SET seen = seen - ? WHERE id = ?", identity.VisitIdle.Microseconds(), v.ID)
			}, "key", false},
		} {
			t.Run(name, func(t *testing.T) {
				v, cookie, err := ids.BeginVisit(t.Context(), identity.Visit{Kind: identity.VisitPerson, Agent: "Fire\x1bfox " + strings.Repeat("x", 300)}, "key")
				if err != nil || v.Agent[:8] != "Firefox " || len(v.Agent) != 200 {
					t.Fatalf("%+v, %v", v, err)
				}
				tt.end(t, v)
				found, err := ids.FindVisit(t.Context(), cookie, secretIs(tt.now))
				if err != nil || (found != nil) != tt.in {
					t.Errorf("the cookie lets in: %v, %v; expected %v", found != nil, err, tt.in)
				}
				if other, err := ids.FindVisit(t.Context(), cookie+"A", secretIs(tt.now)); other != nil || err != nil {
					t.Errorf("another cookie lets in: %v, %v", other, err)
				}
			})
		}
	})
}

// A visit by an install's token ends with the install, and is its user's to see and end.
func TestVisitsOfInstalls(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		ids := identity.Open(db)
		var cookies []string
		var visits []identity.Visit
		for range 2 {
			install, _, err := ids.Register(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			v, cookie, err := ids.BeginVisit(t.Context(), identity.Visit{Kind: identity.VisitInstall, User: install.User, Install: install.ID}, "")
			if err != nil {
				t.Fatal(err)
			}
			visits, cookies = append(visits, v), append(cookies, cookie)
		}
		listed, err := ids.Visits(t.Context(), visits[0].User)
		if err != nil || len(listed) != 1 || listed[0].ID != visits[0].ID {
			t.Errorf("visits of the first user: %+v, %v", listed, err)
		}
		if err := ids.EndVisit(t.Context(), visits[1].ID, visits[0].User); fault.CodeOf(err) != sdkapi.NotFound {
			t.Errorf("the first user ends the second's visit: %v", err)
		}
		if err := ids.Revoke(t.Context(), visits[0].Install); err != nil {
			t.Fatal(err)
		}
		if err := ids.DeleteUser(t.Context(), visits[1].User); err != nil {
			t.Fatal(err)
		}
		for i, cookie := range cookies {
			if v, err := ids.FindVisit(t.Context(), cookie, secretIs("")); v != nil || err != nil {
				t.Errorf("cookie %d of an install that is gone: %v, %v", i, v, err)
			}
		}
		if left, err := ids.Visits(t.Context(), visits[1].User); err != nil || len(left) != 0 {
			t.Errorf("visits of a user who is deleted: %+v, %v", left, err)
		}
	})
}

// A visit that a provider let in ends by another secret as others do, after OpenIDAge, and with its user.
func TestVisitsByAProvider(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		ids := identity.Open(db)
		user, err := ids.CreateUser(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for name, tt := range map[string]struct {
			kind, user, secret string
			after              time.Duration
			in                 bool
		}{
			"an operator":                     {identity.VisitOpenIDOperator, "", "proof", 0, true},
			"a user":                          {identity.VisitOpenIDUser, user.ID, "proof", 0, true},
			"by other settings":               {identity.VisitOpenIDOperator, "", "other proof", 0, false},
			"without a provider":              {identity.VisitOpenIDUser, user.ID, "", 0, false},
			"a minute before it ends":         {identity.VisitOpenIDOperator, "", "proof", identity.OpenIDAge - time.Minute, true},
			"at its end":                      {identity.VisitOpenIDOperator, "", "proof", identity.OpenIDAge, false},
			"a user, at its end":              {identity.VisitOpenIDUser, user.ID, "proof", identity.OpenIDAge, false},
			"a user whom the gateway has not": {identity.VisitOpenIDUser, "user_other", "proof", 0, false},
		} {
			t.Run(name, func(t *testing.T) {
				v, cookie, err := ids.BeginVisit(t.Context(), identity.Visit{Kind: tt.kind, User: tt.user}, "proof")
				if err != nil || v.Operates() != (tt.user == "") {
					t.Fatalf("%+v, %v", v, err)
				}
				change(t, db, "UPDATE console_visits SET expires = expires - ? WHERE id = ?", tt.after.Microseconds(), v.ID)
				if found, err := ids.FindVisit(t.Context(), cookie, secretIs(tt.secret)); err != nil || (found != nil) != tt.in {
					t.Errorf("the cookie lets in: %v, %v; expected %v", found != nil, err, tt.in)
				}
			})
		}
	})
}

// Of more visits than there may be, the oldest end.
func TestVisitsAreBounded(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		ids := identity.Open(db)
		var began []string
		for range identity.MaxVisits + 1 {
			v, _, err := ids.BeginVisit(t.Context(), identity.Visit{Kind: identity.VisitPerson}, "key")
			if err != nil {
				t.Fatal(err)
			}
			began = append(began, v.ID)
		}
		left, err := ids.Visits(t.Context(), "")
		gone := slices.ContainsFunc(left, func(v identity.Visit) bool { return v.ID == began[0] })
		if err != nil || len(left) != identity.MaxVisits || gone {
			t.Errorf("%d visits are left, the oldest among them: %v, %v", len(left), gone, err)
		}
	})
}

// A visitor is let in where nothing can be written.
func TestVisitsOfAReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, databasetest.InFile(t))
	ids := identity.Open(db)
	_, cookie, err := ids.BeginVisit(t.Context(), identity.Visit{Kind: identity.VisitOperator}, "secret")
	if err != nil {
		t.Fatal(err)
	}
	change(t, db, "UPDATE console_visits SET seen = seen - ?", (2 * time.Minute).Microseconds())
	change(t, db, "PRAGMA query_only = 1")
	if v, err := ids.FindVisit(t.Context(), cookie, secretIs("secret")); v == nil || err != nil {
		t.Errorf("%+v, %v", v, err)
	}
}
