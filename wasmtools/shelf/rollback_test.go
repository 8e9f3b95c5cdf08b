package shelf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/windieos/windie/wasmtools/shelf"
	"github.com/windieos/windie/wasmtools/sign"
)

// A version that would be refused today does not come back, in the words in which it would be refused.
func TestRollbackAsksThePolicy(t *testing.T) {
	t.Parallel()
	_, other, _ := minisign.GenerateKey(nil)
	listed := func(level sign.Level, keys ...minisign.PrivateKey) sign.Rule {
		r := sign.Rule{Source: "oci://*", Signature: level}
		for _, k := range keys {
			r.Keys = append(r.Keys, sign.Public(k))
		}
		return r
	}
	keyless := listed("")
	keyless.Cosign = &sign.Cosign{Identity: "a@example.com", Issuer: "https://issuer.example"}
	for name, tt := range map[string]struct {
		bare  bool // the first version is not signed, nor is the second
		moved bool // the second version has another key, which the operator named
		today sign.Rule
		given bool   // the key of the first version is named again
		want  string // why the first version stays away; empty if it comes back
	}{
		"as before":                     {today: listed("")},
		"its key is required":           {today: listed(sign.Required)},
		"its key is listed":             {today: listed(sign.Required, other)},
		"not looked at":                 {today: listed(sign.Off)},
		"its key was taken away":        {today: sign.Rule{Keys: []string{sign.Public(newKey())}, Source: "oci://*"}, want: "but the policy trusts only"},
		"another key since":             {moved: true, want: "but earlier it was signed by"},
		"another key, given again":      {moved: true, given: true},
		"given, and none of listed":     {moved: true, given: true, today: sign.Rule{Keys: []string{sign.Public(newKey())}, Source: "oci://*"}, want: "is not in the policy's list"},
		"not signed":                    {bare: true},
		"not signed, now required":      {bare: true, today: listed(sign.Required), want: "oci://* is not signed, but the policy requires a signature"},
		"not signed, a key listed":      {bare: true, today: listed("", other), want: "is not signed, but the policy lists a key for it"},
		"signed by nobody cosign knows": {today: keyless, want: "the program cosign is not installed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t)
			first, second := pkg(`{"name":"repeat","version":"1.0.0"}`), pkg(`{"name":"repeat","version":"1.1.0"}`)
			now := other
			if tt.moved {
				now = newKey()
			}
			if !tt.bare {
				first, second = signed(first, other), signed(second, now)
			}
			ref := m.push("a:1", first)
			old := m.mustAdd(shelf.Request{Reference: ref})
			m.push("a:1", second)
			next := shelf.Request{Reference: ref}
			if tt.moved {
				next.Key = sign.Public(now)
			}
			m.mustAdd(next)
			m.cfg.Policy = sign.Policy{Rules: []sign.Rule{tt.today}}
			given := ""
			if tt.given {
				given = sign.Public(other)
			}
			before := m.files()
			back, err := m.shelf().Rollback(t.Context(), "repeat", given)
			if tt.want == "" {
				e, readErr := m.shelf().Get("repeat")
				if err != nil || readErr != nil || back.Digest != old.After.Digest || !tt.bare && e.Key != sign.Public(other) {
					t.Fatalf("back: %+v, %v; it is %+v, %v", back, err, e, readErr)
				}
				return
			}
			if err == nil || !strings.Contains(messageOf(err), tt.want) {
				t.Fatalf("back: %v, want %q", err, tt.want)
			}
			_, added := m.shelf().Plan(t.Context(), shelf.Request{Reference: m.oci("a@" + old.After.Digest), Key: given})
			if added == nil || messageOf(added) != messageOf(err) {
				t.Errorf("it is added with %v, and comes back with %v", added, err)
			}
			for file, content := range m.files() {
				if before[file] != content {
					t.Errorf("%s is another", file)
				}
			}
		})
	}
}

func newKey() minisign.PrivateKey {
	_, key, _ := minisign.GenerateKey(nil)
	return key
}

// A version comes back with the reference that it was fetched by: the list names one that leads to the digest beside
// it, and an update follows it.
func TestRollbackBringsTheReferenceBack(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.mustAdd(shelf.Request{Reference: m.push("a:1", pkg(`{"name":"repeat","version":"1.0.0"}`))})
	m.push("a:2", pkg(`{"name":"repeat","version":"1.1.0"}`))
	look, err := m.shelf().Plan(t.Context(), shelf.Request{Reference: m.oci("a:2"), Look: true})
	if err != nil {
		t.Fatal(err)
	}
	pinned := m.oci("a@" + look.After.Digest)
	if c := m.mustAdd(shelf.Request{Reference: pinned}); c.Reference != pinned {
		t.Fatalf("it was added as %+v", c)
	}
	if _, err := m.shelf().Rollback(t.Context(), "repeat", ""); err != nil {
		t.Fatal(err)
	}
	if e, err := m.shelf().Get("repeat"); err != nil || e.Reference != m.oci("a:1") {
		t.Errorf("after going back it is %+v, %v", e, err)
	}
}

// A version is restored whatever its tag names by now, without a network, and what is kept of it stays.
func TestRestoreNeedsNoNetwork(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	ref := m.push("a:1", signed(pkg(`{"name":"repeat","version":"1.0.0"}`), m.key))
	m.mustAdd(shelf.Request{Reference: ref})
	m.push("a:1", signed(pkg(`{"name":"repeat","version":"1.1.0"}`), m.key))
	m.registry.Close()
	before := m.files()
	for range 2 {
		if err := os.WriteFile(filepath.Join(m.cfg.Dir, "repeat", "repeat.wasm"), []byte("edited"), 0o600); err != nil {
			t.Fatal(err)
		}
		if back, err := m.shelf().Restore(t.Context(), "repeat"); err != nil || back.Version != "1.0.0" {
			t.Fatalf("restored: %+v, %v", back, err)
		}
		for file, content := range m.files() {
			if before[file] != content {
				t.Errorf("%s is another", file)
			}
		}
	}
}
