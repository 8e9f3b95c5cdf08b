package reader

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"github.com/disintegration/imaging"
)

// TestUnsmoothed checks that the fast code for a halved screen returns the same pixels as the rule
// for a single pixel.
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

// TestShrunkByHalf checks that a screen that was enlarged by half with any filter is recognised,
// and that its original is computed again. Other screens, also smooth ones, must not be recognised.
func TestShrunkByHalf(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	small := imaging.New(160, 120, color.White)
	for range 300 { // strokes, as of letters
		at := image.Pt(r.IntN(150), r.IntN(110))
		stroke := image.Rectangle{at, at.Add(image.Pt(1+r.IntN(2), 5+r.IntN(4)))}
		draw.Draw(small, stroke, image.NewUniform(color.Gray{Y: byte(r.IntN(150))}), image.Point{}, draw.Src)
	}
	for name, tt := range map[string]struct {
		filter imaging.ResampleFilter
		most   int // that a pixel may be off
	}{
		"lines": {imaging.Linear, 3}, "cubics": {imaging.CatmullRom, 30}, "Lanczos": {imaging.Lanczos, 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			large := imaging.Resize(small, 240, 180, tt.filter)
			by := enlargedByHalf(large)
			if by == nil {
				t.Fatal("it was not known")
			}
			got, err := shrunkByHalf(t.Context(), large, by)
			if err != nil || got.Rect != small.Rect {
				t.Fatal(got.Rect, err)
			}
			for i, v := range got.Pix {
				if off := int(v) - int(small.Pix[i]); max(off, -off) > tt.most {
					t.Fatalf("byte %d is %d, and was %d", i, v, small.Pix[i])
				}
			}
		})
	}
	for name, other := range map[string]*image.NRGBA{
		"as it is": imaging.Resize(small, 240, 180, imaging.NearestNeighbor), "by a quarter": imaging.Resize(small, 210, 150, imaging.Linear),
		"twice": imaging.Resize(small, 330, 240, imaging.Linear), "blurred": imaging.Blur(imaging.CropAnchor(small, 150, 120, imaging.TopLeft), 1.6),
		"tiny": imaging.New(9, 9, color.White), "nothing": imaging.New(30, 30, color.White),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if by := enlargedByHalf(other); by != nil {
				t.Errorf("shrunk by %v", by)
			}
		})
	}
}
