package trouble_test

import (
	"errors"
	"testing"

	"github.com/windieos/windie/internal/trouble"
)

// A store is away after failures in a row, and not after as many with a success in between.
func TestCount(t *testing.T) {
	t.Parallel()
	var c trouble.Count
	first := errors.New("first")
	c.Note(first)
	for range trouble.InARow - 2 {
		c.Note(errors.New("later"))
	}
	c.Note(nil)
	if c.Note(first); c.Enough() || !errors.Is(c.First, first) || c.Take() != trouble.InARow || c.Take() != 0 {
		t.Errorf("after a success: %+v", c)
	}
	for range trouble.InARow - 1 {
		if c.Enough() {
			t.Errorf("too early: %+v", c)
		}
		c.Note(first)
	}
	if !c.Enough() {
		t.Errorf("%d failures in a row: %+v", trouble.InARow, c)
	}
}
