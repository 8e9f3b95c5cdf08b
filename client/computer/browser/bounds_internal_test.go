package browser

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/target"
)

// TestDialogsAreBounded checks that a limited number of dialogs is listed and the others are
// counted. The next call must start with an empty list.
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

// TestTabsAreBounded checks that a limited number of tabs is listed, and that Cut marks a longer
// list.
func TestTabsAreBounded(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]struct {
		listed int
		cut    bool
	}{MaxTabs: {MaxTabs, false}, MaxTabs + 1: {MaxTabs, true}} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if got := listOf(slices.Repeat([]*target.Info{{}}, n), ""); len(got.Tabs) != want.listed || got.Cut != want.cut {
				t.Errorf("%d are listed, cut: %v", len(got.Tabs), got.Cut)
			}
		})
	}
}
