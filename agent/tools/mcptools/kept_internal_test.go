package mcptools

import (
	"os"
	"testing"
)

// A file of earlier definitions that contains null counts as unreadable, and the next change replaces it.
func TestNullIsNoFileOfDefinitions(t *testing.T) {
	t.Parallel()
	k := kept{t.TempDir(), "up"}
	before, after := listed{Name: "echo", Description: "before"}, listed{Name: "echo", Description: "after"}
	if err := k.putListing(&listing{Tools: []listed{before}}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(k.wasFile(), []byte("null"), 0o600); err != nil {
		t.Fatal(err)
	}
	was, err := k.keepWas([]listed{after}, pins{"echo": before.hash()})
	if err != nil || was["echo"].Description != "before" {
		t.Errorf("%v, %v", was, err)
	}
}
