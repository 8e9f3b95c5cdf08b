package geo_test

import (
	"image"
	"reflect"
	"testing"

	"github.com/windieos/windie/perception/geo"
)

// Boxes are on one line if the middle of each is at the height of the other, and
// one thing if they are near enough.
func TestLinesAndJoined(t *testing.T) {
	t.Parallel()
	a, b, c := image.Rect(30, 0, 40, 10), image.Rect(0, 2, 10, 12), image.Rect(0, 20, 10, 30)
	lines := geo.Lines([]image.Rectangle{c, b, a})
	want := []geo.Line{{a.Union(b), []image.Rectangle{a, b}}, {c, []image.Rectangle{c}}}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("got %v, want %v", lines, want)
	}
	if got := geo.Joined([]image.Rectangle{a, b}, 19); len(got) != 2 || got[0] != b {
		t.Errorf("20 pixels apart: %v", got)
	}
	if got := geo.Joined([]image.Rectangle{a, b}, 20); len(got) != 1 || got[0] != a.Union(b) {
		t.Errorf("joined: %v", got)
	}
}

// The unit is the median height by the usual one, and never below 1.
func TestUnit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		heights []int
		want    float64
	}{
		"too few": {[]int{26, 26}, 1},
		"small":   {[]int{5, 6, 7}, 1},
		"double":  {[]int{90, 26, 3}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := geo.Unit(tt.heights, 3, 13); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
