package diff_test

import (
	"image"
	"testing"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/perception/diff"
)

// screenshot returns a real screen of 1440x900 pixels, tiled from a smaller one.
func screenshot(b *testing.B) *image.NRGBA {
	b.Helper()
	page, err := imaging.Open("../testdata/screens/mail.png")
	if err != nil {
		b.Fatal(err)
	}
	out := image.NewNRGBA(image.Rect(0, 0, 1440, 900))
	for y := 0; y < 900; y += page.Bounds().Dy() {
		for x := 0; x < 1440; x += page.Bounds().Dx() {
			out = imaging.Paste(out, page, image.Pt(x, y))
		}
	}
	return out
}

func benchmark(b *testing.B, change func(*image.NRGBA) *image.NRGBA) {
	was := screenshot(b)
	is := change(imaging.Clone(was))
	none := written()
	for b.Loop() {
		if _, err := diff.Diff(b.Context(), none, none, was, is); err != nil {
			b.Fatal(err)
		}
	}
}

// Two equal screens are the usual case for a client that watches.
func BenchmarkSame(b *testing.B) {
	benchmark(b, func(img *image.NRGBA) *image.NRGBA { return img })
}

func BenchmarkDialogOpens(b *testing.B) {
	benchmark(b, func(img *image.NRGBA) *image.NRGBA {
		return imaging.Paste(img, imaging.Invert(imaging.Crop(img, image.Rect(400, 200, 1000, 600))), image.Pt(400, 200))
	})
}

func BenchmarkScrolled(b *testing.B) {
	benchmark(b, func(img *image.NRGBA) *image.NRGBA {
		return imaging.Paste(img, imaging.Crop(img, image.Rect(0, 220, 1440, 900)), image.Pt(0, 100))
	})
}

// The worst case: every pixel has changed, and nothing is found again.
func BenchmarkAllChanged(b *testing.B) {
	benchmark(b, func(img *image.NRGBA) *image.NRGBA { return imaging.Invert(imaging.FlipH(img)) })
}
