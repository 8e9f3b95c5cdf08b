package reader

import (
	"image"
	"testing"
)

// A single transparent pixel, wherever it is, is seen.
func TestOpaque(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{1, 1}, {2, 1}, {3, 1}, {5, 3}} {
		t.Run(size.String(), func(t *testing.T) {
			img := image.NewNRGBA(image.Rectangle{Max: size})
			for i := range img.Pix {
				img.Pix[i] = 255
			}
			if !opaque(img.Pix) {
				t.Errorf("%v is said to be transparent", size)
			}
			for i := 3; i < len(img.Pix); i += 4 {
				img.Pix[i] = 254
				if opaque(img.Pix) {
					t.Errorf("pixel %d of %v is not seen", i/4, size)
				}
				img.Pix[i] = 255
			}
		})
	}
}
