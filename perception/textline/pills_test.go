package textline_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"testing"

	"github.com/disintegration/imaging"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/calm"
)

var (
	pink   = color.NRGBA{225, 29, 72, 255}
	violet = color.NRGBA{124, 58, 237, 255}
	slate  = color.NRGBA{133, 135, 150, 255}
)

// compressed returns a picture after JPEG, without its ripples.
func compressed(t *testing.T, img *image.NRGBA, quality int) *image.NRGBA {
	t.Helper()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	decoded, err := jpeg.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewNRGBA(img.Rect)
	draw.Draw(out, out.Rect, decoded, image.Point{}, draw.Src)
	if err := calm.Calm(t.Context(), out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// centred writes bold text in the middle of a box, and returns where.
func centred(img *image.NRGBA, in image.Rectangle, em float64, text string) image.Rectangle {
	pen := testkit.Pen{Em: em, Ink: white, Font: gobold.TTF}
	size := union(pen.Write(testkit.Canvas(200, 100, white), 10, 60, text))
	return union(pen.Write(img, in.Min.X+(in.Dx()-size.Dx())/2, in.Min.Y+(in.Dy()+size.Dy())/2, text))
}

// A zero with a stroke in it is a letter, at any size, and no badge with the two halves of its middle.
func TestStruckZeros(t *testing.T) {
	t.Parallel()
	for em := 9.0; em <= 30; em += 0.5 {
		t.Run(fmt.Sprint(em), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(200, 60, white)
			testkit.Pen{Em: em, Font: gomono.TTF}.Write(img, 20, 40, "14:2031")
			if lines := find(t, imaging.Resize(img, 300, 90, imaging.CatmullRom)); len(lines) != 1 {
				t.Errorf("lines %v", boxes(lines))
			}
		})
	}
}
