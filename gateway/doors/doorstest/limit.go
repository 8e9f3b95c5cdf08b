package doorstest

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Blank returns a white PNG image in base64. Each n gives a different image file.
func Blank(t *testing.T, width, height, n int) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	img.Pix[0] = byte(n)
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// CountingEngine is a text reader that counts the screens that it reads. It finds no rows.
type CountingEngine struct {
	perception.Engine
	Reads atomic.Int32
}

// Read counts the call and returns no rows.
func (e *CountingEngine) Read(context.Context, perception.Screen, sdkapi.Reading) ([]perception.Row, error) {
	e.Reads.Add(1)
	return nil, nil
}
