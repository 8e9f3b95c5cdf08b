package reader_test

import (
	"image"
	"image/draw"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/sdkapi"
)

// TestVeryWideLine checks that a line that is too wide for the network is omitted, and that the
// other lines are read.
func TestVeryWideLine(t *testing.T) {
	t.Parallel()
	screen := image.NewNRGBA(image.Rect(0, 0, 32_000, 40))
	draw.Draw(screen, screen.Rect, image.White, image.Point{}, draw.Src)
	for x := 10; x < 31_990; x += 8 { // dashes, one after another
		draw.Draw(screen, image.Rect(x, 10, x+5, 15), image.Black, image.Point{}, draw.Src)
	}
	if _, err := reader.New(reader.Config{}).Read(t.Context(), perception.ScreenOf(screen), sdkapi.Reading{}); err != nil {
		t.Error(err)
	}
}
