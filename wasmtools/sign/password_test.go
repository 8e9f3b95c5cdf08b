//go:build system

package sign_test

import (
	"path/filepath"
	"testing"

	"github.com/windieos/windie/wasmtools/sign"
)

// TestKeysWithAPassword makes a key that only its password opens, which takes seconds and a gigabyte by design.
func TestKeysWithAPassword(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	public, err := sign.WriteKey(path, "a password")
	if err != nil {
		t.Fatal(err)
	}
	if key, err := sign.ReadKey(path, "a password"); err != nil || sign.Public(key) != public {
		t.Errorf("with its password: %v", err)
	}
	if _, err := sign.ReadKey(path, "another"); err == nil {
		t.Error("another password opened it")
	}
}
