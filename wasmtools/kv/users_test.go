package kv_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/kv"
)

func TestUsersAreApart(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), open(t, filepath.Join(t.TempDir(), "kv.db"))
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
	want := map[*kv.Bucket]string{all: "all", ada: "ada", bob: "bob", notes: "notes", alike: "alike"}
	for b, value := range want {
		holds(t, b, map[string]string{"key": value})
	}
	const cost = 3 + kv.EntryCost
	if bytes, entries, err := s.UsageOf(ctx, "ada"); bytes != 2*cost+3+5 || entries != 2 || err != nil {
		t.Errorf("ada has %d bytes in %d entries, %v", bytes, entries, err)
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
}

// TestQuotas fills the bucket of one user, and all buckets of a plugin together.
func TestQuotas(t *testing.T) {
	t.Parallel()
	const quota, total = 1000, 2500
	ctx, s := t.Context(), open(t, filepath.Join(t.TempDir(), "kv.db"))
	of := func(user string) *kv.Bucket { return s.User("cache", user, quota, total) }
	value := bytes.Repeat([]byte("v"), quota-kv.EntryCost-1)
	for _, user := range []string{"ada", "bob"} {
		if err := of(user).Set(ctx, "k", value); err != nil {
			t.Fatal(err)
		}
		wantFault(t, of(user).Set(ctx, "l", nil), sdkapi.ToolError, "1000 of the 1000 bytes")
	}
	wantFault(t, of("eve").Set(ctx, "k", value), sdkapi.ToolError, "2000 of the 2500 bytes")
	if err := of("eve").Set(ctx, "k", value[:500-kv.EntryCost-1]); err != nil {
		t.Error(err)
	}
	wantFault(t, of("joe").Set(ctx, "k", nil), sdkapi.ToolError, "for all users together")
	for _, free := range []func() error{
		func() error { return of("ada").Delete(ctx, "k") },
		func() error { return s.ForgetUser(ctx, "bob") },
	} {
		if err := free(); err != nil {
			t.Fatal(err)
		}
		if err := of("joe").Set(ctx, fmt.Sprint(&free), value[:800]); err != nil {
			t.Errorf("what was freed cannot be used: %v", err)
		}
		if err := s.ForgetUser(ctx, "joe"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestForgetUser looks for what was stored for a user in the bytes of the file.
func TestForgetUser(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "kv.db")
	s := open(t, path)
	const planted = "PLANTED-IN-THE-STORE"
	ada, bob := s.User("cache", planted+"-user", 1<<20, 1<<30), s.User("cache", "bob", 1<<20, 1<<30)
	for n := range 300 { // so that pages are split, merged and free
		for _, b := range []*kv.Bucket{ada, s.User("notes", planted+"-user", 1<<20, 1<<30)} {
			if err := b.Set(ctx, fmt.Sprintf("%s-key-%d", planted, n%100), []byte(strings.Repeat(planted, 1+n%40))); err != nil {
				t.Fatal(err)
			}
		}
		if err := bob.Set(ctx, fmt.Sprintf("bob's %d", n), []byte("kept")); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 50 {
		if err := ada.Delete(ctx, fmt.Sprintf("%s-key-%d", planted, n)); err != nil {
			t.Fatal(err)
		}
	}
	if content, err := os.ReadFile(path); err != nil || !bytes.Contains(content, []byte(planted)) {
		t.Fatalf("nothing was planted, %v", err)
	}
	if err := s.ForgetUser(ctx, planted+"-user"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if want := []string{path, path + "-lock"}; err != nil || !slices.Equal(files, want) {
		t.Errorf("the folder holds %v, not %v, %v", files, want, err)
	}
	if err := s.Ready(); err != nil {
		t.Error("the file in use is not the new one: ", err)
	}
	if content, err := os.ReadFile(path); err != nil || bytes.Contains(content, []byte(planted)) {
		t.Errorf("the file still holds what was planted, %v", err)
	}
	if keys, err := bob.List(ctx, "", "", 0); len(keys) != 300 || err != nil {
		t.Errorf("bob has %d keys, %v", len(keys), err)
	}
	if err := ada.Set(ctx, "again", []byte("new")); err != nil {
		t.Error(err)
	}
	if other, err := kv.Open(path); err == nil {
		_ = other.Close()
		t.Error("another gateway can open the new file")
	}
}

// wantFault fails the test unless err has that code and a message with the text.
func wantFault(t *testing.T, err error, code sdkapi.Code, text string) {
	t.Helper()
	if fault.CodeOf(err) != code || !strings.Contains(fmt.Sprint(err), text) {
		t.Errorf("want %s with %q, got %v", code, text, err)
	}
}
