package elements

import (
	"image"
	"math/rand"
	"testing"

	"github.com/windieos/windie/perception/geo"
)

// The index finds what a look at all boxes finds, and asks about few of them.
func TestPlaces(t *testing.T) {
	t.Parallel()
	const pad = 5
	r := rand.New(rand.NewSource(1))
	boxes := []image.Rectangle{image.Rect(0, 0, 4000, 4000), image.Rect(0, 0, 4000, 40), image.Rect(0, 0, 200, 4000)}
	for i := range 30_000 {
		at := image.Pt(i%180*22, i/180*22)
		boxes = append(boxes, image.Rectangle{Min: at, Max: at.Add(image.Pt(1+r.Intn(40), 1+r.Intn(40)))})
	}
	p, asked := newPlaces(boxes, pad), 0
	for range 500 {
		at := image.Pt(r.Intn(4020)-10, r.Intn(4020)-10)
		want := -1
		for i, b := range boxes {
			if at.In(geo.Pad(b, pad, pad)) {
				want = i
			}
		}
		got := p.last(at, func(i int) bool { asked++; return at.In(geo.Pad(boxes[i], pad, pad)) })
		if got != want {
			t.Errorf("at %v: %d, want %d", at, got, want)
		}
	}
	if asked > 500*50 {
		t.Errorf("asked about %d boxes for 500 points", asked)
	}
}
