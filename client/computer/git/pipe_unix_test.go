//go:build unix

package git_test

import (
	"os"
	"syscall"
	"testing"
)

// pipe puts a pipe in place of a file.
func pipe(t *testing.T, at string) {
	t.Helper()
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at, 0o600); err != nil {
		t.Fatal(err)
	}
}
