package query_test

import (
	"context"
	"image"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// farsighted is an engine that reads small letters only on an enlarged screen, and large letters
// only on a screen of the original size.
type farsighted struct {
	perception.Engine

	reads atomic.Int32
}

func (f *farsighted) Read(_ context.Context, screen perception.Screen, _ sdkapi.Reading) ([]perception.Row, error) {
	f.reads.Add(1)
	text, box := "Orders", image.Rect(10, 10, 70, 30)
	if screen.Rect.Dx() > 200 {
		text, box = "Archive", image.Rect(150, 30, 180, 45)
	}
	return []perception.Row{perception.NewRow([]perception.Word{{Text: text, Confidence: 1, Box: box}})}, nil
}

// TestLookAgain checks that a text is searched a second time if LookAgain is set, and that its box
// is in pixels of the screen.
func TestLookAgain(t *testing.T) {
	t.Parallel()
	engine := &farsighted{}
	screens := query.Screens{Finder: query.New(perception.NewScenes(engine, perception.Options{}), nil), Images: query.Stored{Store: noStore}}
	shot := sdkapi.ImageSource{ImageBase64: blankPNG(200)}
	resolve := func(text string) (*sdkapi.OCRResolveTextResult, error) {
		return screens.ResolveText(t.Context(), &sdkapi.OCRTextRequest{Image: shot, Text: text})
	}
	if _, err := resolve("Archive"); fault.CodeOf(err) != sdkapi.TextNotFound || engine.reads.Load() != 1 {
		t.Errorf("at one look: %v, %d reads", err, engine.reads.Load())
	}
	screens.LookAgain = true
	if got, err := resolve("Orders"); err != nil || got.Match.Center != (sdkapi.Point{X: 40, Y: 20}) || engine.reads.Load() != 1 {
		t.Errorf("what the first look finds: %+v, %v, %d reads", got, err, engine.reads.Load())
	}
	for range 2 {
		got, err := resolve("Archive")
		if err != nil || got.Match.BBox != (sdkapi.Box{X: 100, Y: 20, Width: 20, Height: 10}) || got.Image.Width != 200 || engine.reads.Load() != 2 {
			t.Errorf("at a second look: %+v, %v, %d reads", got, err, engine.reads.Load())
		}
	}
	_, err := resolve("Nowhere")
	if fault.CodeOf(err) != sdkapi.TextNotFound {
		t.Errorf("what is not there: %v", err)
	}
	found, err := screens.FindText(t.Context(), &sdkapi.OCRTextRequest{Image: shot, Text: "Archive"})
	if err != nil || len(found.Matches) != 1 {
		t.Errorf("FindText: %+v, %v", found, err)
	}
}
