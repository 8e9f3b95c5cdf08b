package textline_test

import (
	"fmt"
	"image"
	"image/color"
	"testing"

	"github.com/disintegration/imaging"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"

	"github.com/windieos/windie/internal/test/testkit"
)

var (
	red   = color.NRGBA{217, 48, 37, 255}
	cream = color.NRGBA{252, 246, 234, 255}
	pale  = color.NRGBA{224, 205, 170, 255}
)

// scaled returns a picture and boxes on it, scaled as a picture is on its way.
func scaled(img *image.NRGBA, by float64, boxes ...image.Rectangle) (*image.NRGBA, []image.Rectangle) {
	at := func(v int) int { return int(float64(v) * by) }
	for i, b := range boxes {
		boxes[i] = image.Rect(at(b.Min.X), at(b.Min.Y), at(b.Max.X), at(b.Max.Y))
	}
	return imaging.Resize(img, at(img.Rect.Dx()), 0, imaging.Linear), boxes
}

// The letters of a badge are a line, though scaling made its edges broad.
func TestBadges(t *testing.T) {
	t.Parallel()
	for _, scale := range []float64{1, 1.1, 1.25, 1.5} {
		for _, text := range []string{"20", "51", "47", "84", "new"} {
			t.Run(fmt.Sprint(text, " x", scale), func(t *testing.T) {
				img := testkit.Canvas(200, 80, cream)
				pen := testkit.Pen{Em: 11, Ink: white}
				width := union(pen.Write(testkit.Canvas(60, 40, white), 0, 30, text)).Dx()
				round(img, image.Rect(60, 30, 60+width+10, 47), 8.5, red)
				word := union(pen.Write(img, 65, 42, text))
				img, words := scaled(img, scale, word)
				checkApart(t, "the badge", words, find(t, img).Lines)
			})
		}
	}
}

// The letters of a badge are a line, though compression made its colour uneven, and not that around it.
func TestUnevenBadges(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"84", "47", "75"} {
		t.Run(text, func(t *testing.T) {
			img := testkit.Canvas(200, 80, cream)
			badge := image.Rect(60, 30, 82, 46)
			round(img, badge, 8, red)
			word := union(testkit.Pen{Em: 11, Ink: white}.Write(img, 65, 42, text))
			for y := badge.Min.Y; y < badge.Max.Y; y++ {
				for x := badge.Min.X; x < badge.Max.X; x++ {
					if c := img.NRGBAAt(x, y); c.G < 100 {
						c.R, c.G = c.R-uint8(11*(x%3)), c.G+uint8(11*(y%3))
						img.SetNRGBA(x, y, c)
					}
				}
			}
			checkApart(t, "the badge", []image.Rectangle{word}, find(t, img).Lines)
		})
	}
}

// A letter with counters, however bold, is no badge.
func TestBoldLettersAreNoBadges(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"B", "8", "D", "R", "%", "g", "oo", "am", "Save", "Zone", "m", "column", "NEZ", "дома"} {
		for _, em := range []float64{16, 24, 40} {
			for _, scale := range []float64{1, 1.25} {
				t.Run(fmt.Sprint(text, em, " x", scale), func(t *testing.T) {
					img := testkit.Canvas(500, 140, white)
					word := union(testkit.Pen{Em: em, Font: gobold.TTF}.Write(img, 30, 100, text))
					img, words := scaled(img, scale, word)
					if got := union(boxes(find(t, img).Lines)); !near(got, words[0], 3) {
						t.Errorf("lines in %v, want %v", got, words[0])
					}
				})
			}
		}
	}
}

// The words of two buttons beside each other are apart, though of their pale frames hardly anything is left.
func TestPaleButtons(t *testing.T) {
	t.Parallel()
	for _, scale := range []float64{1, 1.1, 1.5} {
		t.Run(fmt.Sprint("x", scale), func(t *testing.T) {
			img := testkit.Canvas(420, 90, cream)
			var words []image.Rectangle
			for i, text := range []string{"Discard", "Send as table"} {
				frame := image.Rect(20+100*i, 20, 112+160*i, 54)
				outlined(img, frame, 7, 1, pale, cream)
				words = append(words, union(testkit.Pen{Em: 15}.Write(img, frame.Min.X+16, 42, text)))
			}
			img, words = scaled(img, scale, words...)
			checkApart(t, "the buttons", words, find(t, img).Lines)
		})
	}
}

// Letters that touch the sides of the cells that they stand in are lines.
func TestCellsOfLetters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		cell       image.Rectangle
	}{
		{"a key", "GK", image.Rect(40, 20, 61, 38)},
		{"a name", "Help", image.Rect(40, 20, 110, 38)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img := testkit.Canvas(200, 80, black)
			round(img, tt.cell, 0, cream)
			words := []image.Rectangle{union(testkit.Pen{Em: 15, Ink: black, Font: gomono.TTF}.Write(img, tt.cell.Min.X-1, 33, tt.text))}
			round(img, image.Rect(0, 20, tt.cell.Min.X, 38), 0, black) // what the cell does not show
			img, words = scaled(img, 0.9, words...)
			checkApart(t, "the cell", words, find(t, img).Lines)
		})
	}
}
