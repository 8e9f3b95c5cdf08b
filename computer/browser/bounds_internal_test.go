package browser

import (
	"fmt"
	"slices"
	"testing"
)

// Dialogs are noted up to a bound, and the rest is counted; the next call begins anew.
func TestDialogsAreBounded(t *testing.T) {
	t.Parallel()
	d := &dialogs{}
	for _, n := range []int{MaxDialogs + 5, MaxDialogs, 0} {
		var want []string
		for i := range n {
			d.note(fmt.Sprint(i))
			if i < MaxDialogs {
				want = append(want, fmt.Sprint(i))
			}
		}
		if n > MaxDialogs {
			want = append(want, "5 more dialogs were closed.")
		}
		if got := d.take(); !slices.Equal(got, want) {
			t.Errorf("of %d: %q", n, got)
		}
	}
}
