package calm_test

import (
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/windieos/windie/perception/calm"
)

// noisy adds to each pixel of an area noise of its own.
func noisy(img *image.NRGBA, area image.Rectangle, by int) {
	random := rand.New(rand.NewPCG(1, 2))
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			p := img.Pix[y*img.Stride+4*x:]
			for i := range 3 {
				p[i] = uint8(min(max(int(p[i])+random.IntN(2*by+1)-by, 0), 255))
			}
		}
	}
}

// Grain goes, and what is written on it stays.
func TestGrain(t *testing.T) {
	t.Parallel()
	for _, by := range []int{12, 20, 30} {
		clean := image.NewNRGBA(image.Rect(0, 0, 400, 300))
		for i := 0; i < len(clean.Pix); i += 4 {
			copy(clean.Pix[i:], []uint8{120, 140, 120, 255})
		}
		for y := 40; y < 280; y += 40 {
			write(clean, 60, y, color.White)
		}
		img := nrgba(clean)
		noisy(img, img.Rect, by)
		before := unlike(img, clean, 16)
		if err := calm.Calm(t.Context(), img, nil); err != nil {
			t.Fatal(err)
		}
		if after := unlike(img, clean, 16); after*20 > before {
			t.Errorf("noise by %d: %d pixels differ by more than 16, %d did before", by, after, before)
		}
	}
}

// Grain that went through JPEG goes nearly to the last speck, where there is no text.
func TestSpecksOfGrain(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 400, 300))
	for i := 0; i < len(img.Pix); i += 4 {
		copy(img.Pix[i:], []uint8{120, 140, 120, 255})
	}
	noisy(img, img.Rect, 24)
	write(img, 60, 40, color.White)
	img = compressed(t, img, 80)
	if err := calm.Calm(t.Context(), img, nil); err != nil {
		t.Fatal(err)
	}
	specks := 0
	for y := 100; y < 300; y++ {
		for x := 1; x < 400; x++ {
			if p := img.Pix[y*img.Stride+4*x:]; max(p[1], img.Pix[y*img.Stride+4*x-3])-min(p[1], img.Pix[y*img.Stride+4*x-3]) > 16 {
				specks++
			}
		}
	}
	if specks > 20 { // of 935 without looking for them
		t.Errorf("%d edges are left of the grain, want 20 at most", specks)
	}
}

// Small text, which differs much from pixel to pixel, is no grain.
func TestTextIsNoGrain(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 400, 300))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for y := 12; y < 300; y += 13 {
		for x := 0; x < 400; x += 141 {
			write(img, x, y, color.Black)
		}
	}
	before := slices.Clone(img.Pix)
	if err := calm.Calm(t.Context(), img, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, img.Pix) {
		t.Error("the text was changed")
	}
}
