package identity_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// A ticket lets one socket in, at its path, for as long as it is good and its install is let in; any use uses it up.
func TestTickets(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		ids, other := identity.Open(db), identity.Open(databasetest.Open(t, cfg)) // another gateway
		for name, tt := range map[string]struct {
			before func(t *testing.T, install identity.Install, ticket string) // it is used
			path   string
			in     bool
		}{
			"at another gateway": {func(*testing.T, identity.Install, string) {}, "/ws", true},
			"another path":       {func(*testing.T, identity.Install, string) {}, "/ws/transcription", false},
			"used": {func(t *testing.T, _ identity.Install, ticket string) {
				if _, err := ids.UseTicket(t.Context(), ticket, "/ws"); err != nil {
					t.Error(err)
				}
			}, "/ws", false},
			"tried at another path": {func(t *testing.T, _ identity.Install, ticket string) {
				if _, err := ids.UseTicket(t.Context(), ticket, "/other"); fault.CodeOf(err) != sdkapi.AuthRequired {
					t.Error(err)
				}
			}, "/ws", false},
			"a second before its end": {func(t *testing.T, install identity.Install, _ string) {
				change(t, db, "UPDATE socket_tickets SET expires = expires - ? WHERE install_id = ?", (identity.TicketAge - 10*time.Second).Microseconds(), install.ID)
			}, "/ws", true},
			"too old": {func(t *testing.T, install identity.Install, _ string) {
				change(t, db, "UPDATE socket_tickets SET expires = expires - ? WHERE install_id = ?", identity.TicketAge.Microseconds(), install.ID)
			}, "/ws", false},
			"of a revoked install": {func(t *testing.T, install identity.Install, _ string) {
				if err := ids.Revoke(t.Context(), install.ID); err != nil {
					t.Error(err)
				}
			}, "/ws", false},
			"of a deleted user": {func(t *testing.T, install identity.Install, _ string) {
				if err := ids.DeleteUser(t.Context(), install.User); err != nil {
					t.Error(err)
				}
			}, "/ws", false},
		} {
			t.Run(name, func(t *testing.T) {
				install, _, err := ids.Register(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				ticket, _, err := ids.MakeTicket(t.Context(), install.User, install.ID, "/ws")
				if err != nil {
					t.Fatal(err)
				}
				tt.before(t, install, ticket)
				got, err := other.UseTicket(t.Context(), ticket, tt.path)
				if tt.in && (err != nil || got.ID != install.ID || got.User != install.User) || !tt.in && fault.CodeOf(err) != sdkapi.AuthRequired {
					t.Errorf("%+v, %v", got, err)
				}
			})
		}
	})
}

// Of many who bring one ticket at once, one is let in.
func TestTicketsAtOnce(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		ids := identity.Open(databasetest.Open(t, cfg))
		install, _, err := ids.Register(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		ticket, _, err := ids.MakeTicket(t.Context(), install.User, install.ID, "/ws")
		if err != nil {
			t.Fatal(err)
		}
		var in atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := ids.UseTicket(t.Context(), ticket, "/ws"); err == nil {
					in.Add(1)
				} else if fault.CodeOf(err) != sdkapi.AuthRequired {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if in.Load() != 1 {
			t.Errorf("%d were let in", in.Load())
		}
	})
}

// A user has at most so many tickets: the oldest end, and those of other users stay.
func TestTicketsAreFew(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		ids := identity.Open(databasetest.Open(t, cfg))
		made := func(n int) (tickets []string) {
			install, _, err := ids.Register(t.Context(), "")
			for range n {
				if err != nil {
					t.Fatal(err)
				}
				var ticket string
				ticket, _, err = ids.MakeTicket(t.Context(), install.User, install.ID, "/ws")
				tickets = append(tickets, ticket)
			}
			return tickets
		}
		others, tickets := made(1), made(identity.MaxTickets+1)
		for name, tt := range map[string]struct {
			ticket string
			in     bool
		}{"another user's": {others[0], true}, "the oldest": {tickets[0], false}, "the oldest but one": {tickets[1], true}, "the newest": {tickets[identity.MaxTickets], true}} {
			t.Run(name, func(t *testing.T) {
				if _, err := ids.UseTicket(t.Context(), tt.ticket, "/ws"); (err == nil) != tt.in {
					t.Error(err)
				}
			})
		}
	})
}

// What is no ticket lets nobody in.
func TestNoTickets(t *testing.T) {
	ids := identity.Open(databasetest.Open(t, database.Config{File: t.TempDir() + "/windie.db"}))
	install, token, err := ids.Register(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for name, ticket := range map[string]string{"nothing": "", "a token": token, "an install": install.ID, "as long as one": string(make([]byte, 52))} {
		t.Run(name, func(t *testing.T) {
			if _, err := ids.UseTicket(t.Context(), ticket, "/ws"); fault.CodeOf(err) != sdkapi.AuthRequired {
				t.Error(err)
			}
		})
	}
}

// A ticket that another gateway uses between two tries of one transaction is used up. Triggers stand for the other
// gateway: the first try fails when it commits, and the second finds no ticket.
func TestTicketUsedBetweenTwoTries(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
	ids := identity.Open(db)
	install, _, err := ids.Register(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	ticket, _, err := ids.MakeTicket(t.Context(), install.User, install.ID, "/ws")
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"CREATE SEQUENCE tries", // a transaction that fails does not reset it
		"CREATE FUNCTION gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('tries') = 1 THEN RETURN OLD; END IF; RETURN NULL; END $$",
		"CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$",
		"CREATE TRIGGER gone BEFORE DELETE ON socket_tickets FOR EACH ROW EXECUTE FUNCTION gone()",
		"CREATE CONSTRAINT TRIGGER conflict AFTER DELETE ON socket_tickets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION conflict()",
	} {
		change(t, db, statement)
	}
	if _, err := ids.UseTicket(t.Context(), ticket, "/ws"); fault.CodeOf(err) != sdkapi.AuthRequired {
		t.Errorf("the ticket is used twice: %v", err)
	}
}
