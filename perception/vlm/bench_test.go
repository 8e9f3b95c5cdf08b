package vlm_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/vlm"
)

// BenchmarkLocate measures what the client adds to a model's own time: the
// model here answers at once. The screen is one of 1440 x 900, which the first
// family gets shrunk and the second as it is.
func BenchmarkLocate(b *testing.B) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream(`{"point_2d": [300, 200]}`))
	}))
	defer web.Close()
	file := screenFile(b)
	screen, _, err := perception.Decode(b.Context(), file)
	if err != nil {
		b.Fatal(err)
	}
	locate := func(model string, looks vlm.Looks, decode bool) func(b *testing.B) {
		return func(b *testing.B) {
			transport := &http.Client{Transport: &http.Transport{}}
			defer transport.CloseIdleConnections()
			client, err := vlm.Open(vlm.Config{URL: web.URL, Model: model, Looks: looks, APIKey: models.NewSecret(key), HTTPClient: transport})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if decode {
					if screen, _, err = perception.Decode(b.Context(), file); err != nil {
						b.Fatal(err)
					}
				}
				if got, err := client.Locate(b.Context(), screen, "the search button"); err != nil || len(got.Looks) != int(looks) {
					b.Fatal(got, err)
				}
			}
		}
	}
	for _, model := range []string{"qwen2.5-vl", "qwen3-vl"} {
		b.Run(fmt.Sprint(model, "/one look"), locate(model, vlm.LooksOnce, false))
		b.Run(fmt.Sprint(model, "/two looks"), locate(model, vlm.LooksTwice, false))
		b.Run(fmt.Sprint(model, "/one look at a file"), locate(model, vlm.LooksOnce, true))
	}
}

// screenFile returns a PNG of 1440 x 900 with what a real screen has.
func screenFile(b *testing.B) []byte {
	b.Helper()
	page, err := imaging.Open("../testdata/screens/landing.png")
	if err != nil {
		b.Fatal(err)
	}
	table, err := imaging.Open("../testdata/screens/table.png")
	if err != nil {
		b.Fatal(err)
	}
	screen := imaging.Paste(imaging.Paste(imaging.New(1440, 900, image.White.C), page, image.Pt(0, 0)), table, image.Pt(160, 290))
	var file bytes.Buffer
	if err := png.Encode(&file, screen); err != nil {
		b.Fatal(err)
	}
	return file.Bytes()
}
