package overlay_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"testing"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/perception/overlay"
)

// Three hundred marks on a screen of text is the case to be quick in.
func BenchmarkDraw(b *testing.B) {
	screen := page(1920, 1080)
	marks := table(300, 12)
	for b.Loop() {
		if _, err := overlay.Draw(b.Context(), screen, marks, overlay.Options{Labels: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDrawAndEncode(b *testing.B) {
	screen := page(1920, 1080)
	marks := table(300, 12)
	for b.Loop() {
		marked, err := overlay.Draw(b.Context(), screen, marks, overlay.Options{Labels: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := overlay.Encode(b.Context(), io.Discard, marked); err != nil {
			b.Fatal(err)
		}
	}
}

// A hundred marks on a real screen of usual size, as a client waits for.
func BenchmarkScreen(b *testing.B) {
	screen := realScreen(b)
	marks := make([]overlay.Mark, 100)
	for i := range marks {
		marks[i] = overlay.Mark{Box: image.Rect(0, 0, 100, 26).Add(image.Pt(20+i%10*140, 20+i/10*85)), Label: fmt.Sprint(i + 1)}
	}
	var file bytes.Buffer
	for b.Loop() {
		file.Reset()
		marked, err := overlay.Draw(b.Context(), screen, marks, overlay.Options{Labels: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := overlay.Encode(b.Context(), &file, marked); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(file.Len()), "file-bytes")
}

// realScreen returns a screen of 1440 x 900 pixels, full of what is on real
// ones.
func realScreen(t testing.TB) *image.NRGBA {
	t.Helper()
	page, err := imaging.Open("../testdata/screens/mail.png")
	if err != nil {
		t.Fatal(err)
	}
	screen := image.NewNRGBA(image.Rect(0, 0, 1440, 900))
	for y := 0; y < 900; y += page.Bounds().Dy() {
		for x := 0; x < 1440; x += page.Bounds().Dx() {
			screen = imaging.Paste(screen, page, image.Pt(x, y))
		}
	}
	return screen
}

// The worst of what is allowed: as many marks as may be, all in one place.
func BenchmarkDrawCrowd(b *testing.B) {
	screen := page(1920, 1080)
	marks := make([]overlay.Mark, overlay.MaxMarks)
	for i := range marks {
		marks[i] = overlay.Mark{Box: image.Rect(800, 500, 900, 520), Label: fmt.Sprint(i)}
	}
	for b.Loop() {
		if _, err := overlay.Draw(b.Context(), screen, marks, overlay.Options{Labels: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// page returns a light screen with lines that look like text.
func page(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{0xF4, 0xF6, 0xF9, 0xFF}
			if y%36 < 14 && x%9 < 2 && x%160 < 110 {
				c = color.NRGBA{0x22, 0x26, 0x2C, 0xFF}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// table returns n marks for the words of page, in so many columns.
func table(n, columns int) []overlay.Mark {
	marks := make([]overlay.Mark, n)
	for i := range marks {
		at := image.Pt(i%columns*160, i/columns*36)
		marks[i] = overlay.Mark{Box: image.Rect(0, 0, 110, 14).Add(at), Label: fmt.Sprint(i + 1)}
	}
	return marks
}
