package perception

import (
	"bytes"
	"image"
	"image/color"
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
func TestMakeOpaque(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 256, 256))
	for i := range 256 * 256 {
		copy(img.Pix[4*i:], []byte{uint8(i), uint8(255 - i), uint8(i * 7), uint8(i / 256)})
	}
	page := image.NewNRGBA(img.Rect)
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(page, page.Rect, img, image.Point{}, draw.Over)
	if err := MakeOpaque(t.Context(), img); err != nil || !bytes.Equal(img.Pix, page.Pix) {
		t.Errorf("other pixels than by package draw (%v)", err)
	}
}

// Light text that stands alone gets a dark ground; a light window with transparent corners and a dark text keep the white one.
func TestMakeOpaqueGround(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pixel   [4]uint8 // of the visible pixels
		visible int      // of 100 columns
		want    uint8
	}{
		"light text": {[4]uint8{250, 250, 250, 255}, 10, 0}, "dark text": {[4]uint8{20, 20, 20, 255}, 10, 255},
		"a light window": {[4]uint8{250, 250, 250, 255}, 90, 255}, "nothing": {[4]uint8{255, 255, 255, 0}, 10, 255},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := image.NewNRGBA(image.Rect(0, 0, 100, 100))
			for i := range 100 * 100 {
				if i%100 < tt.visible {
					copy(img.Pix[4*i:], tt.pixel[:])
				}
			}
			if err := MakeOpaque(t.Context(), img); err != nil || img.NRGBAAt(99, 0) != (color.NRGBA{tt.want, tt.want, tt.want, 255}) {
				t.Errorf("the ground is %v, not %d (%v)", img.NRGBAAt(99, 0), tt.want, err)
			}
		})
	}
}

// A pixel that is transparent is found wherever it is in a row.
func TestMakeOpaqueOnePixel(t *testing.T) {
	t.Parallel()
	for width := range 41 {
		for x := range width {
			img := image.NewNRGBA(image.Rect(0, 0, width, 1))
			for i := range img.Pix {
				img.Pix[i] = 0xff
			}
			copy(img.Pix[4*x:], []byte{0, 0, 0, 0})
			if err := MakeOpaque(t.Context(), img); err != nil || bytes.Contains(img.Pix, []byte{0}) {
				t.Errorf("pixel %d of %d stays as it was (%v)", x, width, err)
			}
		}
	}
}
