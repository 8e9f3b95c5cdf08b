package overlay_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/windieos/windie/perception/overlay"
)

// Every decoder gets every pixel back: of pictures as narrow, low and tall as
// there are, with and without alpha, and of a part of a picture.
func TestEncode(t *testing.T) {
	t.Parallel()
	pictures := map[string]*image.NRGBA{"a screen": realScreen(t), "a part": realScreen(t).SubImage(image.Rect(33, 500, 400, 877)).(*image.NRGBA)}
	for name, size := range map[string]image.Point{"a pixel": {X: 1, Y: 1}, "a row": {X: 5000, Y: 1}, "a column": {X: 1, Y: 5000}, "a band": {X: 50, Y: 160}, "a band and a row": {X: 50, Y: 161}} {
		img := image.NewNRGBA(image.Rectangle{Max: size})
		state := uint32(1)
		for i := range img.Pix {
			state = state*1664525 + 1013904223
			img.Pix[i] = uint8(state >> 24) // noise, also in its alpha
		}
		pictures[name] = img
	}
	for name, img := range pictures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var file bytes.Buffer
			if err := overlay.Encode(t.Context(), &file, img); err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(bytes.NewReader(file.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if got.Bounds().Size() != img.Rect.Size() {
				t.Fatalf("%v became %v", img.Rect, got.Bounds())
			}
			for y := range img.Rect.Dy() {
				for x := range img.Rect.Dx() {
					want := img.NRGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y)
					if c := color.NRGBAModel.Convert(got.At(x, y)); c != want && (want.A == 255 || got.(*image.NRGBA).NRGBAAt(x, y) != want) {
						t.Fatalf("(%d,%d) is %v, want %v", x, y, c, want)
					}
				}
			}
		})
	}
}

// A picture is not much larger than one that image/png takes its time for.
func TestEncodeIsSmall(t *testing.T) {
	t.Parallel()
	var ours, theirs bytes.Buffer
	if err := overlay.Encode(t.Context(), &ours, realScreen(t)); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&theirs, realScreen(t)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, with image/png %d", ours.Len(), theirs.Len())
	if ours.Len() > 2*theirs.Len() {
		t.Errorf("%d bytes, with image/png %d", ours.Len(), theirs.Len())
	}
}

// Without pixels there is no PNG, but an error.
func TestEncodeNothing(t *testing.T) {
	t.Parallel()
	if err := overlay.Encode(t.Context(), &bytes.Buffer{}, image.NewNRGBA(image.Rectangle{})); err == nil {
		t.Error("a picture without pixels was written")
	}
}
