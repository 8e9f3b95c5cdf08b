package locate_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/perception/locate"
)

// A shortlist begins with the answer of the rules, then has what shows words of the description,
// and lists each element once.
func TestShortlist(t *testing.T) {
	t.Parallel()
	screen := shop()
	for _, tt := range []struct {
		description, has string
	}{
		{"delete button", "Delete, Delete, Delete"},
		{"zebra next to Boris", "Boris"},
	} {
		t.Run(tt.description, func(t *testing.T) {
			t.Parallel()
			answer := locate.Find(screen, tt.description)
			list := locate.Shortlist(screen, tt.description, answer, 6)
			if len(list) != 6 {
				t.Fatalf("%d elements", len(list))
			}
			seen := map[int]bool{}
			var names []string
			for n, m := range list {
				e := screen.Elements[m.Element]
				names = append(names, e.Label)
				if seen[m.Element] || !m.Point.In(e.Box) || n < len(answer.Matches) && m.Element != answer.Matches[n].Element {
					t.Errorf("%d: %+v", n, m)
				}
				seen[m.Element] = true
			}
			if got := strings.Join(names, ", "); !strings.Contains(got, tt.has) {
				t.Errorf("got %s", got)
			}
			if few := locate.Shortlist(screen, tt.description, answer, 1); len(few) != 1 || few[0].Element != list[0].Element {
				t.Errorf("the first alone is %+v", few)
			}
		})
	}
}
