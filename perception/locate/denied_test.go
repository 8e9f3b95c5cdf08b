package locate_test

import (
	"image"
	"testing"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/locate"
)

// Find returns no element that a description excludes. It still finds elements whose label contains a "not".
func TestDenied(t *testing.T) {
	t.Parallel()
	button := func(label string, x int, fill *elements.Color) elements.Element {
		return elements.Element{Role: elements.Button, Box: image.Rect(x, 200, x+120, 230), Label: label, Fill: fill, Ink: black}
	}
	on := onScreen(button("Check out", 100, blue), button("Save", 300, white), button("Don't save", 500, white), button("Do not disturb", 700, white),
		elements.Element{Role: elements.Checkbox, Box: image.Rect(100, 400, 116, 416), Label: "Don't show this message again", Ink: black, States: []elements.State{elements.Unchecked}})
	for _, tt := range []struct {
		asked string
		want  int // the element; 0: none
	}{
		{"the button that is not Check out", 0}, {"not the Check out button", 0}, {"anything but Check out", 0}, {"the button other than Check out", 0},
		{"don't click Check out", 0}, {"Check out is not what I want", 0}, {"do not press Check out", 0}, {`the button that isn't "Check out"`, 0},
		{"any button except Check out", 0}, {"the Check out button that is not blue", 0}, {"the Check out that is not a button", 0},
		{"the Save button, not the Check out button", 0}, {"Check out", 1},
		{"Don't save", 3}, {`the "Don't save" button`, 3}, {"the Don't save button", 3}, {"don't save", 3},
		{"Do not disturb", 4}, {"the Do not disturb button", 4}, {"do not disturb me", 4},
		{"don't show again", 0}, {"the checkbox that is not checked", 5}, {"Don't show this message again", 5},
	} {
		t.Run(tt.asked, func(t *testing.T) {
			answer := locate.Find(on, tt.asked)
			m, ok := answer.One()
			switch {
			case tt.want > 0 && m.Element != tt.want:
				t.Errorf("%+v, want %d", answer, tt.want)
			case tt.want == 0 && (ok || len(answer.Matches) > 0 || len(answer.Unmet) == 0):
				t.Errorf("%+v, want none", answer)
			}
		})
	}
}
