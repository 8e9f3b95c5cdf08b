package vlm_test

import (
	"image"
	"testing"

	"github.com/windieos/windie/perception/vlm"
)

func TestSnap(t *testing.T) {
	t.Parallel()
	boxes := []image.Rectangle{
		image.Rect(0, 0, 400, 300),    // 0: a panel
		image.Rect(20, 20, 120, 50),   // 1: a button in it
		image.Rect(500, 20, 520, 40),  // 2: an icon
		image.Rect(531, 20, 551, 40),  // 3: the next
		image.Rect(700, 700, 700, 90), // 4: empty
	}
	for _, tt := range []struct {
		name   string
		point  image.Point
		radius int
		index  int
		want   image.Point
	}{
		{"within the smallest", image.Pt(25, 25), 10, 1, image.Pt(25, 25)},
		{"within the panel alone", image.Pt(125, 25), 10, 0, image.Pt(125, 25)},
		{"near", image.Pt(495, 30), 10, 2, image.Pt(510, 30)},
		{"at the radius", image.Pt(560, 39), 10, 3, image.Pt(541, 30)},
		{"beyond it", image.Pt(561, 39), 10, -1, image.Pt(561, 39)},
		{"across a corner", image.Pt(557, 47), 10, -1, image.Pt(557, 47)},
		{"the nearer", image.Pt(523, 30), 10, 2, image.Pt(510, 30)},
		{"the first of equals", image.Pt(525, 30), 10, 2, image.Pt(510, 30)},
		{"without a radius", image.Pt(499, 30), 0, -1, image.Pt(499, 30)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if index, got := vlm.Snap(tt.point, boxes, tt.radius); index != tt.index || got != tt.want {
				t.Errorf("%s: %d, %v, want %d, %v", tt.name, index, got, tt.index, tt.want)
			}
		})
	}
	if index, got := vlm.Snap(image.Pt(3, 4), nil, 10); index != -1 || got != image.Pt(3, 4) {
		t.Error(index, got)
	}
}
