package identity_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// Several gateways share a PostgreSQL, which keeps all promises too.
func TestPostgres(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T) *database.DB { return onPostgres(t, pgtest.Start(t)) })
}

func onPostgres(t *testing.T, url string) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// news returns what was revoked behind a number.
func news(t *testing.T, ids *identity.Identity, after int64) []identity.Revocation {
	t.Helper()
	list, err := ids.Revocations(t.Context(), after)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What is revoked is listed, for whoever asks on another gateway, and announced
// when it is asked about.
func revocationsAreListed(t *testing.T, db *database.DB) {
	ids := identity.Open(db)
	if last, err := ids.LastRevocation(t.Context()); err != nil || last != 0 || len(news(t, ids, 0)) != 0 {
		t.Errorf("before there is any: %d, %v", last, err)
	}
	laptop, _ := register(t, ids)
	phone, _, err := ids.Create(t.Context(), laptop.User, "")
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, user, install string, want bool) {
		t.Helper()
		if got, err := identity.Open(db).Revoked(t.Context(), user, install); err != nil || got != want {
			t.Errorf("%s is revoked: %v, %v", what, got, err)
		}
	}
	for range 2 { // an operator who is not sure does it again, and it is announced again
		if err := ids.Revoke(t.Context(), laptop.ID); err != nil {
			t.Fatal(err)
		}
	}
	check("the laptop", laptop.User, laptop.ID, true)
	check("the phone", laptop.User, phone.ID, false)
	check("the phone of another user", "user_x", phone.ID, true)
	check("the user", laptop.User, "", false)
	if err := ids.Revoke(t.Context(), "install_x"); err == nil {
		t.Error("an unknown install was revoked")
	}
	if err := ids.DeleteUser(t.Context(), laptop.User); err != nil {
		t.Fatal(err)
	}
	check("the phone of a deleted user", laptop.User, phone.ID, true)
	check("a deleted user", laptop.User, "", true)
	want := []identity.Revocation{{1, laptop.User, laptop.ID}, {2, laptop.User, laptop.ID}, {3, laptop.User, ""}}
	for after := range want {
		if got := news(t, ids, int64(after)); fmt.Sprint(got) != fmt.Sprint(want[after:]) {
			t.Errorf("after %d there is %v, not %v", after, got, want[after:])
		}
	}
	if last, err := ids.LastRevocation(t.Context()); err != nil || last != 3 {
		t.Errorf("the last is %d, %v", last, err)
	}
}

// Whoever reads the list on misses nothing, however many revoke at once.
func revocationsInOrder(t *testing.T, db *database.DB) {
	const writers, each = 6, 5
	var want sync.Map
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			ids := identity.Open(db) // each as on a gateway of its own
			for range each {
				user, err := ids.CreateUser(t.Context())
				if err == nil {
					want.Store(user.ID, true)
					err = ids.DeleteUser(t.Context(), user.ID)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	ids, seen := identity.Open(db), int64(0)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for last := false; ; {
		list, err := ids.Revocations(ctx, seen)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			if r.Seq != seen+1 {
				t.Fatalf("number %d came behind %d", r.Seq, seen)
			}
			seen = r.Seq
			want.Delete(r.User)
		}
		if last && len(list) == 0 {
			break
		}
		select {
		case <-done:
			last = true
		default:
		}
	}
	want.Range(func(user, _ any) bool {
		t.Errorf("the deletion of %v was never listed", user)
		return true
	})
	if seen != writers*each {
		t.Errorf("%d are listed, not %d", seen, writers*each)
	}
}
