//go:build system

package x11_test

import (
	"image"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// BenchmarkStep measures the steps of a look at a screen of 1280 by 800 pixels.
func BenchmarkStep(b *testing.B) {
	desk := testkit.NewDesk(b, 1280, 800)
	d := connect(b, desk)
	desk.Start("mousepad", "--disable-server")
	window(b, d, "Mousepad")
	frame, err := d.Capture(image.Rectangle{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("capture", func(b *testing.B) {
		for b.Loop() {
			if _, err := d.Capture(image.Rectangle{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("changed", func(b *testing.B) {
		next, err := d.Capture(image.Rectangle{})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			next.Changed(frame)
		}
	})
	b.Run("png", func(b *testing.B) {
		for b.Loop() {
			b.SetBytes(int64(len(frame.PNG())))
		}
	})
}
