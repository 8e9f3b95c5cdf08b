package textline_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"

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

// Letters at the side of a block keep their strokes there, as at the left edge of a terminal, whether the block is high or of one row.
// A caret there is of no line.
func TestLettersAtSides(t *testing.T) {
	t.Parallel()
	pen := testkit.Pen{Em: 14, Font: gomono.TTF, Ink: black}
	for name, c := range map[string]struct{ high, away int }{"at a high one": {200, 0}, "a pixel from a high one": {200, 1}, "of one row": {19, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(400, 220, night)
			round(img, image.Rect(5, 5, 390, 5+c.high), 0, cyan)
			var words []image.Rectangle
			for y := 20; y < c.high; y += 18 {
				words = append(words, writeAt(img, pen, 5+c.away, y, "have"))
			}
			if len(words) == 0 {
				words = append(words, writeAt(img, pen, 5+c.away, 19, "ncdu"))
			}
			checkFound(t, words, find(t, img).Lines)
		})
	}
	img := testkit.Canvas(400, 220, night)
	round(img, image.Rect(5, 5, 390, 205), 0, white)
	round(img, image.Rect(5, 24, 7, 44), 0, black)
	checkFound(t, []image.Rectangle{writeAt(img, pen, 10, 40, "echo")}, find(t, img).Lines)
}

// Words that stand in the line of a frame, or in the row of the edge of a block beside them, are whole.
func TestWordsInEdges(t *testing.T) {
	t.Parallel()
	pen := testkit.Pen{Em: 15, Font: gobold.TTF, Ink: color.NRGBA{92, 92, 255, 255}}
	grey := color.NRGBA{229, 229, 229, 255}
	for _, y := range []int{38, 40} {
		t.Run(fmt.Sprint("title ", y), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(500, 160, grey)
			outlined(img, image.Rect(20, y, 480, 140), 0, 1, white, grey)
			round(img, image.Rect(199, y, 201+60, y+1), 0, grey)
			word := writeAt(img, pen, 201, 42, "Printer")
			round(img, image.Rect(word.Min.X, y, word.Max.X, y+1), 0, grey)
			word = writeAt(img, pen, 201, 42, "Printer")
			round(img, image.Rect(word.Max.X+1, y, 470, y+1), 0, white)
			checkFound(t, []image.Rectangle{word}, find(t, img).Lines)
		})
		t.Run(fmt.Sprint("behind a block ", y), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(500, 160, white)
			round(img, image.Rect(0, 10, 172, y), 0, color.NRGBA{204, 204, 255, 255})
			pen := testkit.Pen{Em: 12, Font: gobold.TTF}
			checkFound(t, []image.Rectangle{writeAt(img, pen, 176, 42, "unknown")}, find(t, img).Lines)
		})
	}
}

// Two words that touch, one above the other, are of two lines though nothing stands beside them.
func TestWordsThatTouch(t *testing.T) {
	t.Parallel()
	pen := testkit.Pen{Em: 14, Font: gobold.TTF}
	img := testkit.Canvas(300, 120, white)
	above := writeAt(img, pen, 40, 40, "sync")
	below := writeAt(img, pen, 40, 40+above.Max.Y-30, "time")
	below = writeAt(img, pen, 40, 40, "sync").Union(below)
	lines := find(t, img).Lines
	if len(lines) != 2 || lines[0].Box.Dy() > 16 || lines[1].Box.Dy() > 16 {
		t.Errorf("two words in %v are the lines %v", below, boxes(lines))
	}
}

// Words that differ from their ground in colour alone have ink, beside others that are far brighter.
func TestHues(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(500, 80, color.NRGBA{43, 43, 43, 255})
	blue := writeAt(img, testkit.Pen{Em: 15, Font: gobold.TTF, Ink: color.NRGBA{0, 0, 205, 255}}, 20, 40, "2030")
	pen := testkit.Pen{Em: 15, Font: gobold.TTF, Ink: white}
	writeAt(img, pen, blue.Max.X+8, 40, "Remove from list")
	for _, l := range find(t, img).Lines {
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

// Letters of two rows on one block of a terminal are lines of their own, though they touch its sides.
func TestRowsOfABlock(t *testing.T) {
	t.Parallel()
	pen := testkit.Pen{Em: 15, Font: gomonobold.TTF}
	for _, of := range [][2]string{{"^G", "^X"}, {"MG", "MX"}, {"BW", "NR"}} {
		t.Run(of[0], func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(120, 100, black)
			wide := writeAt(testkit.Canvas(120, 100, white), pen, 30, 44, of[0])
			draw.Draw(img, image.Rect(wide.Min.X, 30, wide.Max.X, 66), image.White, image.Point{}, draw.Src)
			rows := []image.Rectangle{writeAt(img, pen, 30, 44, of[0]), writeAt(img, pen, 30, 62, of[1])}
			if lines := find(t, img).Lines; len(lines) != 2 {
				t.Errorf("lines %v of %v", boxes(lines), rows)
			}
		})
	}
}
