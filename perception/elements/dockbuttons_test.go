package elements

import (
	"image"
	"testing"

	"github.com/windieos/windie/perception/geo"
)

// A cross and the icon of its size before it are buttons if a title stands before them. Icons without a title or a cross are not.
func TestButtonsOfDocks(t *testing.T) {
	t.Parallel()
	square := [][4]int{{240, 20, 250, 20}, {240, 30, 250, 30}, {240, 20, 240, 30}, {250, 20, 250, 30}}
	cross := [][4]int{{261, 21, 270, 30}, {270, 21, 261, 30}}
	title := []image.Rectangle{image.Rect(10, 16, 80, 34)}
	for name, tt := range map[string]struct {
		lines [][4]int
		rows  []image.Rectangle
		want  int
	}{
		"titled":        {append(cross, square...), title, 2},
		"without title": {append(cross, square...), nil, 0},
		"no cross":      {square, title, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := lined(400, 300, tt.lines...)
			f.rows = tt.rows
			f.symbols = []image.Rectangle{image.Rect(240, 20, 252, 31), image.Rect(261, 21, 272, 31)}
			f.addDockButtons()
			if len(f.list) != tt.want {
				t.Fatalf("found %d, want %d", len(f.list), tt.want)
			}
			for i, e := range f.list {
				at := geo.Center(f.symbols[len(f.symbols)-1-i])
				if name := titleNames[i]; e.Role != IconButton || e.Icon() != name || !at.In(e.Box) {
					t.Errorf("button %d is %v %q at %v, want %q at %v", i, e.Role, e.Icon(), e.Box, name, at)
				}
			}
		})
	}
}
