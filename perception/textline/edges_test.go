package textline

import (
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"
)

// The runs are those of looking at each pixel by itself, also where pixels and whole rows repeat.
func TestRunsPixelByPixel(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 22))
	for range 400 {
		img := image.NewNRGBA(image.Rect(0, 0, 1+r.IntN(40), 1+r.IntN(90)))
		colours := []color.NRGBA{{0, 0, 0, 255}, {0, 0, threshold, 255}, {0, threshold + 1, 0, 255}, {255, 255, 255, 255}}
		repeat, chance := r.Float64(), r.Float64()/2
		for y := range img.Rect.Dy() {
			again := y > 0 && r.Float64() < repeat
			for x := range img.Rect.Dx() {
				switch {
				case again:
					img.SetNRGBA(x, y, img.NRGBAAt(x, y-1))
				case x > 0 && r.Float64() > chance:
					img.SetNRGBA(x, y, img.NRGBAAt(x-1, y))
				default:
					img.SetNRGBA(x, y, colours[r.IntN(len(colours))])
				}
			}
		}
		got, err := findRuns(t.Context(), img)
		if want := runsOf(img); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: runs %v, want %v (%v)", img.Rect, got, want, err)
		}
	}
}

func runsOf(img *image.NRGBA) (list []run) {
	at := func(x, y int) uint32 {
		c := img.NRGBAAt(x, y)
		return uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16
	}
	for y := range img.Rect.Dy() - 1 {
		open := false
		for x := range img.Rect.Dx() - 1 {
			edge := differ(at(x, y), at(x+1, y)) || differ(at(x, y), at(x, y+1))
			if edge && !open {
				list = append(list, run{y: int32(y), x0: int32(x)})
			}
			if edge {
				list[len(list)-1].x1 = int32(x + 1)
			}
			open = edge
		}
	}
	return list
}
