package abi

import (
	"bytes"
	"testing"
)

// A guest that has freed the block of its input gets a new one. The old one may belong to something else.
func TestInputAfterItWasFreed(t *testing.T) {
	t.Parallel()
	c := &Call{}
	input := []byte("the input")
	if err := c.Begin(t.Context(), nil, Limits{InputBytes: 100, OutputBytes: 100}, input); err != nil {
		t.Fatal(err)
	}
	first := c.inputHandle()
	if again := c.inputHandle(); again != first {
		t.Errorf("the input is at %d and at %d", first, again)
	}
	c.arena.free(first)
	other := c.put([]byte("something")) // takes the freed block
	if got := c.inputHandle(); got == other || !bytes.Equal(c.arena.block(got), input) {
		t.Errorf("the input at %d is %q, want %q in a block of its own", got, c.arena.block(got), input)
	}
}
