package browser

import (
	"fmt"
	"slices"
	"testing"
)

// Dialogs are noted up to a bound, and the rest is counted; the next call begins anew.
func TestDialogsAreBounded(t *testing.T) {
	t.Parallel()
	b := &Browser{}
	for _, n := range []int{MaxDialogs + 5, MaxDialogs, 0} {
		var want []string
		for i := range n {
			b.note(fmt.Sprint(i))
			if i < MaxDialogs {
				want = append(want, fmt.Sprint(i))
			}
		}
		if n > MaxDialogs {
			want = append(want, "5 more dialogs were closed.")
		}
		if got := b.takeNotes(); !slices.Equal(got, want) {
			t.Errorf("of %d: %q", n, got)
		}
	}
}
