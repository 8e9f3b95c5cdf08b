package reader_test

import (
	"image"
	"image/draw"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/sdkapi"
)

// A line too wide for the network is left out, and the others are read.
func TestVeryWideLine(t *testing.T) {
	t.Parallel()
	testkit.Network(t)
	screen := image.NewNRGBA(image.Rect(0, 0, 32_000, 40))
	draw.Draw(screen, screen.Rect, image.White, image.Point{}, draw.Src)
	for x := 10; x < 31_990; x += 8 { // dashes, one after another
		draw.Draw(screen, image.Rect(x, 10, x+5, 15), image.Black, image.Point{}, draw.Src)
	}
	if _, err := reader.New(reader.Config{}).Read(t.Context(), screen, sdkapi.Reading{}); err != nil {
		t.Error(err)
	}
}

// Without any network there is nothing to choose from, whatever a caller asks
// for: that is no fault of the caller's.
func TestNoNetworkAtAll(t *testing.T) {
	t.Parallel()
	engine := reader.New(reader.Config{DataDir: t.TempDir()})
	for _, languages := range []string{"", "eng", "eng+deu"} {
		_, err := engine.Read(t.Context(), image.NewNRGBA(image.Rect(0, 0, 9, 9)), sdkapi.Reading{Languages: languages})
		if fault.CodeOf(err) != sdkapi.OCRUnavailable {
			t.Errorf("languages %q: %v", languages, err)
		}
	}
}
