package elements_test

import (
	"bytes"
	"context"
	"image/png"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
)

// A screen never seen is fetched and decoded once for its text and its
// elements; one whose text is known once more, and then never again.
func TestScreensReadOnce(t *testing.T) {
	t.Parallel()
	var data bytes.Buffer
	if err := png.Encode(&data, form().img); err != nil {
		t.Fatal(err)
	}
	src := perception.SourceOf(data.Bytes())
	reads, read := 0, src.Read
	src.Read = func(ctx context.Context) ([]byte, error) { reads++; return read(ctx) }
	scenes := gatewaytest.Scenes(t)
	for n, screens := range []*elements.Screens{elements.NewScreens(scenes), elements.NewScreens(scenes)} {
		for range 2 {
			screen, err := screens.Screen(t.Context(), src)
			if err != nil || len(screen.Elements) == 0 {
				t.Fatal(screen, err)
			}
		}
		if reads != n+1 {
			t.Errorf("read %d times, want %d", reads, n+1)
		}
	}
}
