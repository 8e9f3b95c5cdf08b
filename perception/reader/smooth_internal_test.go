package reader

import (
	"image"
	"math/rand/v2"
	"testing"
)

// A halved screen is made of the pixels that one rule gives for each by itself.
func TestUnsmoothed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		w, h := 2*(1+r.IntN(40)), 2*(1+r.IntN(30))
		screen := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range screen.Pix {
			screen.Pix[i] = byte([]int{0, 255, r.IntN(256)}[r.IntN(3)])
		}
		got, err := unsmoothed(t.Context(), screen)
		if err != nil {
			t.Fatal(err)
		}
		at := func(x, y, c int) int {
			return int(screen.Pix[screen.PixOffset(min(max(x, 0), w-1), min(max(y, 0), h-1))+c])
		}
		for i := range got.Pix {
			x, y, c := i/4%(w/2)*2, i/4/(w/2)*2, i%4
			var column [4]int
			for k := range column {
				column[k] = origin(at(x-1, y-1+k, c), at(x, y-1+k, c), at(x+1, y-1+k, c), at(x+2, y-1+k, c))
			}
			if want := origin(column[0], column[1], column[2], column[3]); int(got.Pix[i]) != want {
				t.Fatalf("%dx%d, byte %d: %d instead of %d", w, h, i, got.Pix[i], want)
			}
		}
	}
}
