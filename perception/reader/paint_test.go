package reader

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// painted returns a screen with three blocks of the given colors on a ground, and the box around
// the blocks.
func painted(ground color.NRGBA, blocks ...color.NRGBA) (*image.NRGBA, image.Rectangle) {
	img := testkit.Canvas(200, 60, ground)
	for i, c := range blocks {
		draw.Draw(img, image.Rect(20+30*i, 20, 40+30*i, 25), image.NewUniform(c), image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(28+30*i, 20, 32+30*i, 40), image.NewUniform(c), image.Point{}, draw.Src)
	}
	return img, image.Rect(20, 20, 10+30*len(blocks), 40)
}

// TestOneInk checks that a box with one color on one ground may be text, and that a box with
// several colors is a drawing.
func TestOneInk(t *testing.T) {
	t.Parallel()
	black, white, blue, red := color.NRGBA{A: 255}, color.NRGBA{255, 255, 255, 255}, color.NRGBA{20, 60, 220, 255}, color.NRGBA{220, 40, 40, 255}
	for _, tt := range []struct {
		name   string
		ground color.NRGBA
		blocks []color.NRGBA
		want   bool
	}{
		{"black on white", white, []color.NRGBA{black, black, black}, true},
		{"white on blue", blue, []color.NRGBA{white, white, white}, true},
		{"greys", white, []color.NRGBA{black, {90, 90, 90, 255}, black}, true},
		{"icons in colors", white, []color.NRGBA{blue, red, black}, false},
		{"nothing", white, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			img, box := painted(tt.ground, tt.blocks...)
			if got := isOneInk(img, box); got != tt.want {
				t.Error(got)
			}
		})
	}
}

// TestScriptsAreOfMoreThanAGuess checks that unreadable rows of a script are kept only if one of
// them is certain.
func TestScriptsAreOfMoreThanAGuess(t *testing.T) {
	t.Parallel()
	white, black := color.NRGBA{255, 255, 255, 255}, color.NRGBA{A: 255}
	img, box := painted(white, black, black)
	row := func(script sdkapi.Script, sure float64) perception.Row {
		return perception.Unreadable(script, box, sure)
	}
	text := perception.NewRow([]perception.Word{{Text: "Save", Confidence: 0.7, Box: box}})
	for _, tt := range []struct {
		name string
		rows []perception.Row
		want int
	}{
		{"a guess", []perception.Row{row(sdkapi.ScriptCJK, 0.9), text}, 1},
		{"two guesses", []perception.Row{row(sdkapi.ScriptOther, 0.86), row(sdkapi.ScriptOther, 0.92)}, 0},
		{"beside a sure one", []perception.Row{row(sdkapi.ScriptCJK, 0.99), row(sdkapi.ScriptCJK, 0.8)}, 2},
		{"beside one of another script", []perception.Row{row(sdkapi.ScriptCJK, 0.99), row(sdkapi.ScriptRightToLeft, 0.8)}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := withoutFalseScripts(tt.rows, img); len(got) != tt.want {
				t.Errorf("%+v", got)
			}
		})
	}
}
