package reader_test

import (
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// TestLabelBesideASlider reads a label beside a slider that is higher than its letters and as near
// as another word.
func TestLabelBesideASlider(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"Zoom:", "Volume", "Brightness", "Speed"} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			ground := color.Gray{210}
			img := testkit.Canvas(400, 60, ground)
			end := 0
			for _, b := range (testkit.Pen{Em: 14}).Write(img, 30, 40, label) {
				end = max(end, b.Max.X)
			}
			bar := image.Rect(end+6, 34, end+120, 38)
			fill(img, bar, color.Gray{140})
			fill(img, bar.Inset(1), color.NRGBA{60, 150, 220, 255})
			fill(img, image.Rect(end+30, 28, end+43, 43), color.Gray{130})
			fill(img, image.Rect(end+31, 29, end+42, 42), color.White)
			if rows := texts(read(t, engine(t), img)); !slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, label) }) {
				t.Errorf("read %q", rows)
			}
		})
	}
}
