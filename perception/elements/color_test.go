package elements

import (
	"fmt"
	"testing"
)

// Colors that interfaces use, and what people call them.
func TestColorName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Color{
		"red": {220, 53, 69}, "orange": {253, 126, 20}, "yellow": {255, 193, 7}, "green": {40, 167, 69}, "teal": {32, 201, 151},
		"cyan": {23, 162, 184}, "blue": {0, 123, 255}, "purple": {111, 66, 193}, "pink": {232, 62, 140},
		"dark blue": {0, 0, 128}, "light blue": {173, 216, 230}, "dark green": {0, 70, 0}, "brown": {121, 85, 72},
		"white": {255, 255, 255}, "black": {0, 0, 0}, "grey": {128, 128, 128}, "dark grey": {52, 58, 64}, "light grey": {222, 226, 230},
		"light green": {218, 251, 225}, "light yellow": {255, 243, 205}, "light pink": {255, 192, 203}, "dark red": {128, 0, 0}, "dark purple": {75, 0, 130},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.Name(); got != name {
				t.Errorf("%v is called %q, want %q (%+v)", c, got, name, c.lch())
			}
		})
	}
	for c, name := range map[Color]string{
		{255, 255, 0}: "yellow", {255, 215, 0}: "yellow", {0, 255, 0}: "green", {0, 100, 0}: "dark green", {0, 128, 128}: "teal", {238, 130, 238}: "purple",
		{139, 92, 246}: "purple", {106, 90, 205}: "purple", {219, 234, 254}: "light blue", {255, 87, 34}: "orange", {139, 69, 19}: "brown",
		{255, 165, 0}: "orange", {248, 249, 250}: "white", {30, 30, 30}: "black", {13, 110, 253}: "blue", {255, 105, 180}: "pink",
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if got := c.Name(); got != name {
				t.Errorf("%v is called %q, want %q (%+v)", c, got, name, c.lch())
			}
		})
	}
}

// A color between two terms answers to both.
func TestColorIs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		c        Color
		term     string
		from, to float64
	}{
		{Color{28, 200, 138}, "green", 0.8, 1}, {Color{28, 200, 138}, "teal", 0.8, 1}, {Color{28, 200, 138}, "blue", 0, 0},
		{Color{54, 185, 204}, "cyan", 1, 1}, {Color{54, 185, 204}, "blue", 0.1, 0.7}, {Color{246, 194, 62}, "yellow", 1, 1},
		{Color{246, 194, 62}, "orange", 0.4, 0.9}, {Color{255, 255, 255}, "white", 1, 1}, {Color{255, 255, 255}, "grey", 0, 0},
		{Color{108, 117, 125}, "grey", 1, 1}, {Color{108, 117, 125}, "blue", 0, 0.2}, {Color{0, 0, 0}, "black", 1, 1},
		{Color{121, 85, 72}, "brown", 0.5, 1}, {Color{255, 0, 0}, "mauve", 0, 0},
	} {
		t.Run(fmt.Sprint(tt.c, " ", tt.term), func(t *testing.T) {
			if got := tt.c.Is(tt.term); got < tt.from || got > tt.to {
				t.Errorf("%v is %s by %.2f, want %.2f to %.2f (%+v)", tt.c, tt.term, got, tt.from, tt.to, tt.c.lch())
			}
		})
	}
}
