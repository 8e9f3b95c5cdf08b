package textline_test

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// round draws a filled box with rounded corners, smooth as browsers draw it.
func round(img *image.NRGBA, r image.Rectangle, radius float64, c color.NRGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			px, py := float64(x)+0.5, float64(y)+0.5
			dx := px - min(max(px, float64(r.Min.X)+radius), float64(r.Max.X)-radius)
			dy := py - min(max(py, float64(r.Min.Y)+radius), float64(r.Max.Y)-radius)
			cover := min(max(radius+0.5-math.Hypot(dx, dy), 0), 1)
			if radius == 0 {
				cover = 1
			}
			p := color.NRGBA{A: uint8(255 * cover), R: c.R, G: c.G, B: c.B}
			draw.Draw(img, image.Rect(x, y, x+1, y+1), image.NewUniform(p), image.Point{}, draw.Over)
		}
	}
}

// outlined draws a box with a border of the given width.
func outlined(img *image.NRGBA, r image.Rectangle, radius float64, border int, c, inside color.NRGBA) {
	round(img, r, radius, c)
	round(img, r.Inset(border), max(0, radius-float64(border)), inside)
}

// Letters that hang into an underline are not lost in it.
func TestUnderlinedLetters(t *testing.T) {
	t.Parallel()
	for _, em := range []float64{12, 15, 20, 30} {
		img := testkit.Canvas(400, 100, white)
		want := union(testkit.Pen{Em: em, Ink: blue}.Write(img, 40, 53, "Typing jogs"))
		round(img, image.Rect(40, 55, want.Max.X, 56), 0, blue)
		want.Max.Y = 55
		lines := find(t, img)
		glyphs := 0
		for _, l := range lines {
			glyphs += len(l.Glyphs)
		}
		if em >= 20 && glyphs < 6 { // a shorter rule looks like a letter's edge
			t.Errorf("%g px: %d glyphs; the rule holds them together", em, glyphs)
		}
		if got := union(boxes(lines)); !near(got, want, 2) && !near(got, union([]image.Rectangle{want, want.Add(image.Pt(0, int(em/4)))}), 2) {
			t.Errorf("%g px: lines in %v, want %v, with or without what hangs lower", em, got, want)
		}
	}
}

// Letters with closed outlines are letters.
func TestRoundLettersAreNoShapes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"OOO", "D8", "BOB", "@", "868", "Q8", "oo"} {
		for _, em := range []float64{12, 16, 24, 40, 60} {
			img := testkit.Canvas(300, 120, white)
			want := union(testkit.Pen{Em: em}.Write(img, 30, 80, text))
			if got := find(t, img); len(got) == 0 || !near(got[0].Box, want, 2) {
				t.Errorf("%s %g px: lines %v, want a line at %v", text, em, boxes(got), want)
			}
		}
	}
}

// What is left of rules that cross beside two labels, between them, is no letter of theirs. A large thin letter is one.
func TestCrossingsAreNoGlyphs(t *testing.T) {
	t.Parallel()
	grey := color.NRGBA{R: 90, G: 95, B: 105, A: 255}
	for name, r := range map[string]image.Rectangle{"a corner": image.Rect(20, 40, 50, 74), "a crossing": image.Rect(20, 24, 50, 56)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screen := testkit.Canvas(300, 100, color.White)
			testkit.Pen{Em: 14}.Write(screen, 34, 34, "Time zone")
			testkit.Pen{Em: 14}.Write(screen, 34, 60, "Next reading")
			draw.Draw(screen, image.Rect(20, 41, 46, 42), image.NewUniform(grey), image.Point{}, draw.Src)
			draw.Draw(screen, image.Rect(20, r.Min.Y, 21, r.Max.Y), image.NewUniform(grey), image.Point{}, draw.Src)
			if lines := find(t, screen); len(lines) != 2 {
				t.Errorf("%v", boxes(lines))
			}
		})
	}
	screen := testkit.Canvas(300, 100, color.White)
	testkit.Pen{Em: 60}.Write(screen, 20, 70, "LT")
	if lines := find(t, screen); len(lines) != 1 {
		t.Errorf("large letters: %v", boxes(lines))
	}
}
