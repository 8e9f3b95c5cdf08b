package perception

import (
	"bytes"
	"image"
	"image/draw"
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

// Every color with every alpha is on white what package draw makes of it.
func TestOnWhite(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 256, 256))
	for i := range 256 * 256 {
		copy(img.Pix[4*i:], []byte{uint8(i), uint8(255 - i), uint8(i * 7), uint8(i / 256)})
	}
	page := image.NewNRGBA(img.Rect)
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(page, page.Rect, img, image.Point{}, draw.Over)
	if err := OnWhite(t.Context(), img); err != nil || !bytes.Equal(img.Pix, page.Pix) {
		t.Errorf("other pixels than by package draw (%v)", err)
	}
}

// A pixel that is transparent is found wherever it is in a row.
func TestOnWhiteOnePixel(t *testing.T) {
	t.Parallel()
	for width := range 41 {
		for x := range width {
			img := image.NewNRGBA(image.Rect(0, 0, width, 1))
			for i := range img.Pix {
				img.Pix[i] = 0xff
			}
			copy(img.Pix[4*x:], []byte{0, 0, 0, 0})
			if err := OnWhite(t.Context(), img); err != nil || bytes.Contains(img.Pix, []byte{0}) {
				t.Errorf("pixel %d of %d stays as it was (%v)", x, width, err)
			}
		}
	}
}
