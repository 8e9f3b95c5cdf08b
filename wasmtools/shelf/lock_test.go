package shelf_test

import (
	"os"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools/shelf"
)

// Digests and files of the lock are parts of paths that are written and removed. A lock is refused
// if a path could lead elsewhere.
func TestLockWithOtherPaths(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	first := m.mustAdd(shelf.Request{Reference: m.push("a:1", pkg(`{"name":"repeat","version":"1.0.0"}`))}).After.Digest
	next := m.push("a:1", pkg(`{"name":"repeat","version":"1.1.0"}`))
	second := m.mustAdd(shelf.Request{Reference: next}).After.Digest
	lock := m.cfg.Dir + ".lock.json"
	good, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	up := "sha256:" + strings.Repeat("../", 21) + "x" // as long as a digest
	for _, tt := range []struct{ name, from, to, want string }{
		{"a path in an earlier version", first, up, "invalid digest"},
		{"a path in the current version", second, up, "invalid digest"},
		{"capitals", first, "sha256:" + strings.Repeat("A", 64), "invalid digest"},
		{"another hash", first, "sha512:" + first[len("sha256:"):], "invalid digest"},
		{"a folder as the file", `"plugin.wasm"`, `".."`, "invalid file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(lock, []byte(strings.ReplaceAll(string(good), tt.from, tt.to)), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := m.add(shelf.Request{Reference: next}); err == nil || !strings.Contains(messageOf(err), tt.want) {
				t.Errorf("add: %v; want %q", err, tt.want)
			}
			if _, err := m.shelf().Remove(t.Context(), "repeat"); err == nil || !strings.Contains(messageOf(err), tt.want) {
				t.Errorf("Remove: %v; want %q", err, tt.want)
			}
		})
	}
}
