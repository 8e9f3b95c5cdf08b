package textline_test

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"golang.org/x/image/font/gofont/gobold"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
)

var (
	night = color.NRGBA{46, 52, 64, 255}
	cyan  = color.NRGBA{0, 205, 205, 255}
)

// writeAt writes a word whose ink begins at x, and returns where it is.
func writeAt(img *image.NRGBA, pen testkit.Pen, x, y int, text string) image.Rectangle {
	at := union(pen.Write(testkit.Canvas(300, 60, white), 20, 40, text))
	return union(pen.Write(img, x+20-at.Min.X, y, text))
}

// checkFound fails the test unless each word is in a line that begins and ends where it does, to two pixels, whatever else is beside.
func checkFound(t *testing.T, words []image.Rectangle, lines []textline.Line) {
	t.Helper()
	for _, w := range words {
		if !slices.ContainsFunc(lines, func(l textline.Line) bool { return near(l.Box, w, 2) }) {
			t.Errorf("the word at %v is no line; there are %v", w, boxes(lines))
		}
	}
}

// Words that differ from their ground in colour alone have ink, beside others that are far brighter.
func TestHues(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(500, 80, color.NRGBA{43, 43, 43, 255})
	blue := writeAt(img, testkit.Pen{Em: 15, Font: gobold.TTF, Ink: color.NRGBA{0, 0, 205, 255}}, 20, 40, "2030")
	pen := testkit.Pen{Em: 15, Font: gobold.TTF, Ink: white}
	writeAt(img, pen, blue.Max.X+8, 40, "Remove from list")
	for _, l := range find(t, img) {
		p := l.Patch(img)
		for x := max(blue.Min.X, p.Origin.X); x < min(blue.Max.X, p.Origin.X+p.Width); x++ {
			for y := range p.Height {
				if p.Ink[y*p.Width+x-p.Origin.X] > 200 && l.Box.Dx() > 100 {
					return
				}
			}
		}
	}
	t.Error("blue letters have no ink in a line with white ones")
}

// A line is cut beside an icon, a caret or a bracket that is much higher than its letters, and behind what may be an icon at its
// beginning.
func TestApartBesideIcons(t *testing.T) {
	t.Parallel()
	letters := func(x int) (list []image.Rectangle) {
		for i := range 5 {
			list = append(list, image.Rect(x+9*i, 20, x+7+9*i, 30))
		}
		return list
	}
	for name, c := range map[string]struct {
		glyphs []image.Rectangle
		parts  int
	}{
		"an icon":       {append([]image.Rectangle{image.Rect(0, 15, 16, 35)}, letters(19)...), 2},
		"a small icon":  {append([]image.Rectangle{image.Rect(0, 18, 13, 31)}, letters(16)...), 2},
		"a caret":       {append(append(letters(0), image.Rect(47, 15, 64, 34)), letters(66)...), 3},
		"letters alone": {letters(0), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if parts := textline.LineOf(c.glyphs...).Apart(); len(parts) != c.parts {
				t.Errorf("%d parts %v, want %d", len(parts), boxes(parts), c.parts)
			}
		})
	}
}
