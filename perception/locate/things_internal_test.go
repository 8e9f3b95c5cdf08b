package locate

import (
	"image"
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

// An element on a control is part of the control; a text alone is not part of anything.
func TestThings(t *testing.T) {
	t.Parallel()
	s := drawn(label(elements.Text, "Places", 8, 60, 44, 18), label(elements.MenuItem, "Home", 20, 90, 150, 28), label(elements.Text, "Home", 40, 95, 40, 18))
	for i, want := range []int{0, 1, 1} {
		t.Run(s.labels[i], func(t *testing.T) {
			if got := s.thingOf(i); got != want {
				t.Errorf("element %d is a part of %d, want %d", i, got, want)
			}
		})
	}
}
