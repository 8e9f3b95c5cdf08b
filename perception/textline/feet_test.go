package textline

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// A thin stroke that stands on a line with letters is one of them, and not a rule; one that stands alone is.
func TestStrokesBesideLetters(t *testing.T) {
	t.Parallel()
	ink := image.NewUniform(color.NRGBA{20, 20, 20, 255})
	for _, tt := range []struct {
		name    string
		strokes []image.Point // the tops of strokes that are 3 pixels wide and end at 100
		want    int           // shapes
	}{
		{"beside a letter", []image.Point{{95, 50}}, 0},
		{"two of them", []image.Point{{95, 50}, {107, 50}}, 0},
		{"far off", []image.Point{{300, 50}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(400, 200, color.White)
			for x := 20; x < 90; x += 35 { // an x, of strokes 3 pixels wide
				for i := range 30 {
					draw.Draw(img, image.Rect(x+i*25/30, 70+i, x+i*25/30+3, 71+i), ink, image.Point{}, draw.Src)
					draw.Draw(img, image.Rect(x+25-i*25/30, 70+i, x+28-i*25/30, 71+i), ink, image.Point{}, draw.Src)
				}
			}
			for _, p := range tt.strokes {
				draw.Draw(img, image.Rect(p.X, p.Y, p.X+3, 100), ink, image.Point{}, draw.Src)
			}
			layout, err := Find(t.Context(), img)
			if err != nil || len(layout.Shapes) != tt.want {
				t.Errorf("%v, %v", layout.Shapes, err)
			}
		})
	}
}
