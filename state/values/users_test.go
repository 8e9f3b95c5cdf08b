package values_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/values"
)

func TestUsersAreApart(t *testing.T) {
	onBoth(t, func(t *testing.T, s *values.Store) {
		all, ada, bob := s.Plugin("cache", 1<<20), s.User("cache", "ada", 1<<20, 1<<30), s.User("cache", "bob", 1<<20, 1<<30)
		notes := s.User("notes", "ada", 1<<20, 1<<30)
		alike := s.User("cache", "cache", 1<<20, 1<<30) // a user named as the plugin
		set(t, all, "key", "all")
		set(t, ada, "key", "ada")
		holds(t, bob, nil)
		holds(t, notes, nil)
		set(t, bob, "key", "bob")
		set(t, notes, "key", "notes")
		set(t, alike, "key", "alike")
		want := map[*values.Bucket]string{all: "all", ada: "ada", bob: "bob", notes: "notes", alike: "alike"}
		for b, value := range want {
			holds(t, b, map[string]string{"key": value})
		}
		if err := s.Forget("cache"); err != nil {
			t.Fatal(err)
		}
		for b := range want {
			if b != notes {
				holds(t, b, nil)
			}
		}
		holds(t, notes, map[string]string{"key": "notes"})
	})
}

// TestQuotas fills the bucket of one user, and all buckets of a plugin together.
func TestQuotas(t *testing.T) {
	const quota, total = 1000, 2500
	onBoth(t, func(t *testing.T, s *values.Store) {
		ctx := t.Context()
		of := func(user string) *values.Bucket { return s.User("cache", user, quota, total) }
		value := bytes.Repeat([]byte("v"), quota-values.EntryCost-1)
		for _, user := range []string{"ada", "bob"} {
			if err := of(user).Set(ctx, "k", value); err != nil {
				t.Fatal(err)
			}
			wantFault(t, of(user).Set(ctx, "l", nil), sdkapi.ToolError, "1000 of its 1000 bytes")
		}
		wantFault(t, of("eve").Set(ctx, "k", value), sdkapi.ToolError, "2000 of its 2500 bytes")
		if err := of("eve").Set(ctx, "k", value[:500-values.EntryCost-1]); err != nil {
			t.Error(err)
		}
		wantFault(t, of("joe").Set(ctx, "k", nil), sdkapi.ToolError, "for all users together")
		for what, free := range map[string]func() error{
			"a deleted entry": func() error { return of("ada").Delete(ctx, "k") },
			"an erased user":  func() error { _, err := s.EraseUser(ctx, "bob"); return err },
		} {
			if err := free(); err != nil {
				t.Fatal(err)
			}
			if err := of("joe").Set(ctx, what, value[:800]); err != nil {
				t.Errorf("%s: what was freed cannot be used: %v", what, err)
			}
			if _, err := s.EraseUser(ctx, "joe"); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestEraseUser erases what several plugins have of a user, more than one transaction removes.
func TestEraseUser(t *testing.T) {
	onBoth(t, func(t *testing.T, s *values.Store) {
		ctx := t.Context()
		ada, bob, all := s.User("cache", "ada", 1<<20, 1<<30), s.User("cache", "bob", 1<<20, 1<<30), s.Plugin("cache", 1<<20)
		notes := s.User("notes", "ada", 1<<20, 1<<30)
		const many = 100 // as many as a transaction removes
		for n := range many {
			set(t, ada, fmt.Sprintf("key-%d", n), "value")
		}
		set(t, notes, "a", "1")
		set(t, bob, "a", "bob's")
		set(t, all, "a", "everybody's")
		for user, want := range map[string]int64{"": 0, "eve": 0, "ada": many + 1} {
			if n, err := s.EraseUser(ctx, user); n != want || err != nil {
				t.Errorf("%q: %d entries, %v; want %d", user, n, err, want)
			}
		}
		holds(t, ada, nil)
		holds(t, notes, nil)
		holds(t, bob, map[string]string{"a": "bob's"})
		holds(t, all, map[string]string{"a": "everybody's"})
		set(t, ada, "again", "new")
		holds(t, ada, map[string]string{"again": "new"})
	})
}

// wantFault fails the test unless err has that code and a message with the text.
func wantFault(t *testing.T, err error, code sdkapi.Code, text string) {
	t.Helper()
	if fault.CodeOf(err) != code || !strings.Contains(fmt.Sprint(err), text) {
		t.Errorf("want %s with %q, got %v", code, text, err)
	}
}
