package textline_test

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/disintegration/imaging"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
)

// checkApart fails the test unless each word is in a line that holds no other.
func checkApart(t *testing.T, name string, words []image.Rectangle, lines []textline.Line) {
	t.Helper()
	for _, w := range words {
		n := 0
		for _, l := range lines {
			if l.Box.Overlaps(w) && l.Box.Dx()*l.Box.Dy() > 12 {
				n++
				if !l.Box.In(w.Inset(-3)) {
					t.Errorf("%s: the word at %v is in a line of %v", name, w, l.Box)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: the word at %v is in %d of the lines %v", name, w, n, boxes(lines))
		}
	}
}

// tableOf draws a table of five columns, whose rules have a colour, and returns where its texts are.
func tableOf(rule color.NRGBA) (*image.NRGBA, []image.Rectangle) {
	img := testkit.Canvas(420, 220, white)
	for i := range 12 {
		round(img, image.Rect(0, 10+17*i, 420, 11+17*i), 0, rule)
	}
	for i := range 7 {
		round(img, image.Rect(20+60*i, 0, 21+60*i, 220), 0, rule)
	}
	var words []image.Rectangle
	pen := testkit.Pen{Em: 12}
	for row := range 11 {
		for column, text := range []string{"jolly", "29.5", "harbor", "418", "fogs"} {
			x := 22 + 60*column
			if column%2 == 1 { // at the right, beside the rule
				x = 18 + 60*(column+1) - union(pen.Write(testkit.Canvas(100, 40, white), 0, 30, text)).Dx()
			}
			words = append(words, union(pen.Write(img, x, 23+17*row, text)))
		}
	}
	return img, words
}

// isParted reports whether a line of a word has an upright line before it.
func isParted(lines []textline.Line, word image.Rectangle) bool {
	return slices.ContainsFunc(lines, func(l textline.Line) bool { return l.Box.Overlaps(word) && l.Parted })
}

// The keys and the names of a key bar, as programs in terminals have at the bottom, are apart.
func TestKeyBar(t *testing.T) {
	t.Parallel()
	dark := color.NRGBA{30, 30, 30, 255}
	for name, key := range map[string]color.NRGBA{"keys on blue": blue, "keys on the ground": dark} {
		t.Run(name, func(t *testing.T) {
			img := testkit.Canvas(500, 60, dark)
			round(img, image.Rect(0, 30, 500, 48), 0, color.NRGBA{0, 205, 205, 255})
			var words []image.Rectangle
			for i, name := range []string{"Help", "Menu", "View", "Edit", "Copy"} {
				tile := image.Rect(100*i, 30, 100*i+18, 48)
				round(img, tile, 0, key)
				words = append(words, union(testkit.Pen{Em: 14, Ink: white}.Write(img, tile.Min.X+7, 44, fmt.Sprint(i+2))))
				words = append(words, union(testkit.Pen{Em: 14, Ink: black}.Write(img, tile.Max.X, 44, name)))
			}
			checkApart(t, "the bar", words, find(t, img))
		})
	}
}

// In large text dashes are no tiles, though they are as long and as high as tiles beside small text.
func TestDashesOfLargeText(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(1000, 420, white)
	texts := []string{"-rw-r--r--", "drwx------", "-rwxr-xr-x", "-rw-r-----"}
	var modes []image.Rectangle
	for i, text := range texts {
		modes = append(modes, union(testkit.Pen{Em: 68, Ink: black}.Write(img, 40, 80+100*i, text)))
		testkit.Pen{Em: 68, Ink: black}.Write(img, 480, 80+100*i, "mara garden")
	}
	lines := find(t, imaging.Blur(img, 1))
	for i, mode := range modes {
		if !slices.ContainsFunc(lines, func(l textline.Line) bool { return mode.Inset(4).In(l.Box) }) {
			t.Errorf("no line has all of %q, at %v", texts[i], mode)
		}
	}
}

// Lines stay apart where letters of one touch those of the next, and where the dots of one stand right under
// the tails of the other.
func TestLinesThatTouch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first, second string
		font          []byte
		em            float64
		pitch         int
	}{
		{"say grog here please", "the lilt of all hills", goregular.TTF, 16, 15},
		{"jaggy fog", "in its mini tiling", goregular.TTF, 16, 18},
		{"jaggy fog", "in its mini tiling", gomono.TTF, 23, 26},
		{"tar.gz qy", "282353 i'm", gomono.TTF, 23, 26},
	} {
		t.Run(fmt.Sprint(tt.second, tt.em), func(t *testing.T) {
			img := testkit.Canvas(400, 120, white)
			pen := testkit.Pen{Em: tt.em, Font: tt.font}
			one := union(pen.Write(img, 20, 40, tt.first))
			two := union(pen.Write(img, 20, 40+tt.pitch, tt.second))
			for _, l := range find(t, img) {
				if l.Box.Min.Y < one.Max.Y-8 && l.Box.Max.Y > two.Min.Y+8 {
					t.Errorf("a line at %v is of both, %v and %v", l.Box, one, two)
				}
			}
		})
	}
}

// Capitals that nearly fill a row of another colour are no sides of tiles, though their blur touches the edges of the row
// where a screen was enlarged.
func TestCapitalsInARow(t *testing.T) {
	t.Parallel()
	for _, font := range [][]byte{gomono.TTF, goregular.TTF} {
		for em := 12; em <= 15; em++ {
			img := testkit.Canvas(400, 100, black)
			row := image.Rect(0, 30, 400, 33+em)
			round(img, row, 0, color.NRGBA{0, 205, 0, 255})
			var words []image.Rectangle
			for i, text := range []string{"PID", "HELP", "FILE", "PRINT"} {
				word := union(testkit.Pen{Em: float64(em), Font: font, Ink: black}.Write(img, 16+90*i, row.Max.Y-2, text))
				words = append(words, word)
			}
			t.Run(fmt.Sprint(em), func(t *testing.T) {
				img, words := scaled(img, 1.5, words...)
				checkFound(t, words, find(t, img))
			})
		}
	}
}
