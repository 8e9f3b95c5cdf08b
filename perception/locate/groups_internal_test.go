package locate

import (
	"image"
	"slices"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
)

// drawn returns a screen of 1000 x 800 with elements.
func drawn(list ...elements.Element) *screen {
	for i := range list {
		list[i].Parent = -1
	}
	return newScreen(&elements.Screen{Scene: &perception.Scene{Header: perception.Header{Width: 1000, Height: 800}}, Elements: list})
}

func label(role elements.Role, text string, x, y, w, h int) elements.Element {
	return elements.Element{Role: role, Label: text, Box: image.Rect(x, y, x+w, y+h)}
}

// What stands in a column or a row with even steps is counted together, under the text above it; what is on a control
// is a part of it.
func TestGroups(t *testing.T) {
	t.Parallel()
	s := drawn(
		label(elements.Text, "Places", 8, 60, 44, 18),
		label(elements.MenuItem, "Home", 20, 90, 150, 28), label(elements.Text, "Home", 40, 95, 40, 18),
		label(elements.MenuItem, "Desktop", 20, 122, 150, 28), label(elements.MenuItem, "Trash", 20, 154, 150, 28),
		label(elements.MenuItem, "Network", 20, 500, 150, 28), // far below
		label(elements.Button, "Save", 400, 700, 80, 30), label(elements.Button, "Discard", 490, 700, 80, 30),
	)
	var got [][]int
	for _, g := range s.findGroups() {
		got = append(got, g.members)
	}
	for name, want := range map[string][]int{"a menu": {1, 3, 4}, "a row of buttons": {6, 7}} {
		t.Run(name, func(t *testing.T) {
			if !slices.ContainsFunc(got, func(g []int) bool { return slices.Equal(g, want) }) {
				t.Errorf("the groups are %v, want one of %v", got, want)
			}
		})
	}
	t.Run("a part", func(t *testing.T) {
		if s.thingOf(2) != 1 {
			t.Errorf("the text of a menu item is a part of %d, want 1", s.thingOf(2))
		}
	})
	t.Run("a title", func(t *testing.T) {
		at := slices.IndexFunc(s.findGroups(), func(g group) bool { return slices.Equal(g.members, []int{1, 3, 4}) })
		if at < 0 || s.grouped[at].above != 0 {
			t.Errorf("the title of the menu is not found: %+v", s.grouped)
		}
	})
}

// What has a number in a group, is next to something or is named by a label fits best.
func TestStructure(t *testing.T) {
	t.Parallel()
	on := []elements.Element{
		label(elements.Text, "Places", 8, 60, 44, 18),
		label(elements.MenuItem, "Home", 20, 90, 150, 28), label(elements.MenuItem, "Desktop", 20, 122, 150, 28), label(elements.MenuItem, "Trash", 20, 154, 150, 28),
		label(elements.Button, "Save", 400, 700, 80, 30), label(elements.Text, "Save", 420, 706, 40, 18), label(elements.Button, "Discard", 490, 700, 80, 30),
		label(elements.Text, "Balance", 400, 200, 60, 18), label(elements.Text, "$120", 400, 222, 40, 18), label(elements.Text, "$7", 400, 244, 20, 18), label(elements.Text, "$99", 400, 266, 30, 18),
	}
	for _, tt := range []struct {
		asked string
		of    func(*structure) []float64
		want  int
	}{
		{"last entry of Places", func(x *structure) []float64 { return x.nth }, 3},
		{"lowest balance", func(x *structure) []float64 { return x.nth }, 9},
		{"button left of Discard", func(x *structure) []float64 { return x.related }, 4},
		{"how large the balance is", func(x *structure) []float64 { return x.value }, 8},
	} {
		t.Run(tt.asked, func(t *testing.T) {
			t.Parallel()
			s := drawn(slices.Clone(on)...)
			list := s.marked(tokens(tt.asked))
			values := tt.of(s.weigh(list, s.byRules(list)).structure)
			best := 0
			for i, v := range values {
				if v > values[best] {
					best = i
				}
			}
			if best != tt.want {
				t.Errorf("%q fits %d best, want %d: %.2f", tt.asked, best, tt.want, values)
			}
		})
	}
}

// "not" before what a button does asks for the button that does the opposite.
func TestNot(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"do not keep my changes":   "discard my changes",
		"don't accept the cookies": "decline the cookies",
		"do not disturb":           "do not disturb",
		"save my changes":          "save my changes",
	} {
		t.Run(asked, func(t *testing.T) {
			t.Parallel()
			if got := joined(new(screen).withoutNot(tokens(asked))); got != want {
				t.Errorf("%q is read as %q, want %q", asked, got, want)
			}
		})
	}
}
