package identity_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// A session is kept for its user, until it expires, is ended, or its install or user is gone.
func TestMCPSessions(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		ids, other := identity.Open(db), identity.Open(databasetest.Open(t, cfg)) // another gateway
		for name, tt := range map[string]struct {
			change func(s identity.MCPSession) error
			there  bool
		}{
			"as it is": {func(identity.MCPSession) error { return nil }, true},
			"expired": {func(s identity.MCPSession) error {
				_, err := ids.UsedMCPSession(t.Context(), s.ID, s.User, 0)
				return err
			}, false},
			"expired, and used again": {func(s identity.MCPSession) error {
				if _, err := ids.UsedMCPSession(t.Context(), s.ID, s.User, 0); err != nil {
					return err
				}
				there, err := ids.UsedMCPSession(t.Context(), s.ID, s.User, time.Hour)
				if !there {
					return fmt.Errorf("it is gone: %w", err)
				}
				return err
			}, true},
			"ended":                 {func(s identity.MCPSession) error { return ids.EndMCPSession(t.Context(), s.ID, s.User) }, false},
			"ended by somebody":     {func(s identity.MCPSession) error { return ids.EndMCPSession(t.Context(), s.ID, "somebody") }, true},
			"of a revoked install":  {func(s identity.MCPSession) error { return ids.Revoke(t.Context(), s.Install) }, false},
			"of a user who is gone": {func(s identity.MCPSession) error { return ids.DeleteUser(t.Context(), s.User) }, false},
		} {
			t.Run(name, func(t *testing.T) {
				install, _, err := ids.Register(t.Context(), "Windows")
				if err != nil {
					t.Fatal(err)
				}
				s := identity.MCPSession{ID: "id of " + name, User: install.User, Install: install.ID, Start: []byte(`{"id":1}`)}
				if err := ids.KeepMCPSession(t.Context(), s, time.Hour); err != nil {
					t.Fatal(err)
				}
				if err := tt.change(s); err != nil {
					t.Fatal(err)
				}
				got, err := other.FindMCPSession(t.Context(), s.ID, s.User)
				if err != nil || (got != nil) != tt.there {
					t.Fatalf("found %+v, %v", got, err)
				}
				if got != nil && (string(got.Start) != string(s.Start) || got.Install != s.Install || got.ID != s.ID || got.User != s.User) {
					t.Errorf("found %+v", got)
				}
				for _, of := range [][2]string{{s.ID, "somebody"}, {s.ID + "x", s.User}, {"", s.User}, {strings.Repeat("x", 100), s.User}} {
					if got, err := other.FindMCPSession(t.Context(), of[0], of[1]); err != nil || got != nil {
						t.Errorf("%q of %s: %+v, %v", of[0], of[1], got, err)
					}
				}
			})
		}
	})
}

// Of a user's sessions the newest are kept; others' stay.
func TestMCPSessionsAreBounded(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		ids := identity.Open(db)
		keep := func(id, user string) {
			t.Helper()
			if err := ids.KeepMCPSession(t.Context(), identity.MCPSession{ID: id, User: user, Start: []byte("{}")}, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		keep("first", "ada")
		change(t, db, "UPDATE mcp_sessions SET created = created - 1000000")
		keep("other", "bob")
		for i := range identity.MaxMCPSessions {
			keep(fmt.Sprint(i), "ada")
		}
		for of, there := range map[[2]string]bool{{"first", "ada"}: false, {"0", "ada"}: true, {"other", "bob"}: true} {
			if got, err := ids.FindMCPSession(t.Context(), of[0], of[1]); err != nil || (got != nil) != there {
				t.Errorf("%v: %+v, %v", of, got, err)
			}
		}
		change(t, db, "UPDATE mcp_sessions SET expires = created - ?", (48 * time.Hour).Microseconds())
		keep("last", "bob")
		if there, err := ids.UsedMCPSession(t.Context(), "other", "bob", time.Hour); err != nil || there {
			t.Errorf("one that expired long ago is kept: %v", err)
		}
	})
}
