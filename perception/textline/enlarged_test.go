package textline_test

import (
	"fmt"
	"image"
	"image/color"
	"testing"

	"golang.org/x/image/font/gofont/gomono"

	"github.com/windieos/windie/internal/test/testkit"
)

// A word of which a letter touches a word of the next line keeps the letter.
func TestTailThatTouches(t *testing.T) {
	t.Parallel()
	pen := testkit.Pen{Em: 20, Font: gomono.TTF}
	for _, text := range []string{"current", "planned", "installed"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(300, 120, white)
			above := union(pen.Write(img, 24, 40, "battery"))
			at := union(pen.Write(testkit.Canvas(300, 120, white), 24, 60, text))
			below := union(pen.Write(img, 24, 60+above.Max.Y-at.Min.Y, text))
			checkFound(t, []image.Rectangle{above, below}, find(t, img))
		})
	}
}

// A colon as high as the small letters beside it stays with them where cells are wide.
func TestColonOfSmallLetters(t *testing.T) {
	t.Parallel()
	for em := 9; em < 24; em++ {
		t.Run(fmt.Sprint(em), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(300, 80, white)
			word := union(testkit.Pen{Em: float64(em), Font: gomono.TTF}.Write(img, 20, 40, "name:"))
			checkFound(t, []image.Rectangle{word}, find(t, img))
		})
	}
}

// A letter below the end of an upright rule is no part of it, though its stem is in the same column.
func TestLetterBelowARule(t *testing.T) {
	t.Parallel()
	for _, em := range []float64{13, 14, 15, 16} {
		t.Run(fmt.Sprint(em), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(200, 140, black)
			round(img, image.Rect(3, 0, 200, 100), 0, color.NRGBA{0, 0, 205, 255})
			word := writeAt(img, testkit.Pen{Em: em, Font: gomono.TTF, Ink: cyan}, 3, 116, "Hint")
			img, words := scaled(img, 1.5, word)
			checkFound(t, words, find(t, img))
		})
	}
}

// Letters that touch the foot of a field are whole.
func TestTextInATightField(t *testing.T) {
	t.Parallel()
	for em := 11; em < 15; em++ {
		t.Run(fmt.Sprint(em), func(t *testing.T) {
			t.Parallel()
			ground, dark := color.NRGBA{176, 178, 196, 255}, color.NRGBA{90, 92, 110, 255}
			img := testkit.Canvas(400, 60, ground)
			field := image.Rect(20, 20, 380, 26+em)
			round(img, image.Rect(20, 20, 380, 21), 0, dark)
			round(img, image.Rect(20, 20, 21, field.Max.Y), 0, dark)
			round(img, image.Rect(379, 20, 380, field.Max.Y), 0, white)
			word := writeAt(img, testkit.Pen{Em: float64(em), Ink: black}, 30, field.Max.Y-4, "paging your grasp")
			word.Max.Y = field.Max.Y - 1
			round(img, image.Rect(20, word.Max.Y, 380, field.Max.Y), 0, white)
			round(img, image.Rect(20, field.Max.Y, 380, 60), 0, ground)
			checkFound(t, []image.Rectangle{word}, find(t, img))
		})
	}
}
