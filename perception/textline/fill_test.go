package textline_test

import (
	"fmt"
	"image"
	"image/color"
	"testing"

	"github.com/disintegration/imaging"
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
			checkApart(t, "the buttons", words, find(t, img))
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
			checkApart(t, "the cell", words, find(t, img))
		})
	}
}
