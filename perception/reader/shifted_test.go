//go:build system

package reader_test

import (
	"image"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/geo"
)

// TestShiftedScreensReadAlike checks that nearly all words of a screen read the same at any position of a
// larger screen. The network that finds rows looks at patches of pixels, so short texts may be found at
// one position and missed at another.
func TestShiftedScreensReadAlike(t *testing.T) {
	t.Parallel()
	const least, near = 0.99, 3 // share of the words; pixels
	e := engine(t)
	for _, by := range []image.Point{{1, 0}, {0, 1}, {37, 61}, {64, 128}} {
		t.Run(by.String(), func(t *testing.T) {
			t.Parallel()
			all, alike := 0, 0
			for name, screen := range screens(t) {
				canvas := testkit.Canvas(screen.Rect.Dx()+by.X, screen.Rect.Dy()+by.Y, screen.NRGBAAt(0, 0))
				draw.Draw(canvas, screen.Rect.Add(by), screen, image.Point{}, draw.Src)
				words := wordsOf(read(t, e, canvas))
				for _, want := range wordsOf(fresh(t)[name]) {
					all++
					if slices.ContainsFunc(words, func(w perception.Word) bool {
						off := geo.Center(w.Box).Sub(geo.Center(want.Box.Add(by)))
						return w.Text == want.Text && max(geo.Abs(off.X), geo.Abs(off.Y)) <= near
					}) {
						alike++
					}
				}
			}
			t.Logf("%d of %d words", alike, all)
			if float64(alike) < least*float64(all) {
				t.Errorf("%d of %d words read alike", alike, all)
			}
		})
	}
}

// wordsOf returns the words of rows that have a letter or a digit.
func wordsOf(rows []perception.Row) (list []perception.Word) {
	for _, r := range rows {
		for _, w := range r.Words {
			if strings.ContainsFunc(w.Text, func(c rune) bool { return c > '/' && c != '…' }) {
				list = append(list, w)
			}
		}
	}
	return list
}
