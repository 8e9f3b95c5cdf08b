package query

import (
	"testing"

	"github.com/windieos/windie/perception/elements"
)

// TestLists checks that an element with rows is a list of commands, even if it looks like one entry
// of a menu.
func TestLists(t *testing.T) {
	t.Parallel()
	v := &View{Screen: &elements.Screen{Elements: []elements.Element{
		{Role: elements.MenuItem, Parent: -1}, {Role: elements.Text, Parent: 0}, {Role: elements.Row, Parent: 0}, {Role: elements.Text, Parent: 2},
	}}}
	for i, want := range []bool{true, false, false, false} {
		if v.isList(i) != want {
			t.Errorf("element %d is a list: %v", i, !want)
		}
	}
}
