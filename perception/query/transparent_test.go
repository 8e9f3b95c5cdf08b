package query_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// TestTransparentIsWhite checks that a transparent pixel has the color of the white page below it,
// not its own hidden color.
func TestTransparentIsWhite(t *testing.T) {
	t.Parallel()
	hiding := func(c color.NRGBA) sdkapi.ImageSource {
		img := image.NewNRGBA(image.Rect(0, 0, 200, 60))
		for i := range 200 * 60 {
			img.SetNRGBA(i%200, i/200, c)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return sdkapi.ImageSource{ImageBase64: base64.StdEncoding.EncodeToString(b.Bytes())}
	}
	screens := query.Screens{Finder: query.New(perception.NewScenes(signs{}, perception.Options{}), nil), Images: query.Stored{Store: noStore}}
	red, green := hiding(color.NRGBA{R: 255}), hiding(color.NRGBA{G: 128})
	at, err := screens.At(t.Context(), &sdkapi.ScreenAtRequest{Image: red, X: 150, Y: 50})
	if err != nil || at.Color.Hex != "#ffffff" {
		t.Errorf("%+v, %v", at, err)
	}
	d, err := screens.Diff(t.Context(), &sdkapi.ScreenDiffRequest{Before: red, After: green})
	if err != nil || !d.Same || d.Share != 0 {
		t.Errorf("%+v, %v", d, err)
	}
}
