package perception

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
)

// costly returns one picture of each kind that costs memory of its own, by a name.
func costly(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	files, _ := filepath.Glob("testdata/decode/*")
	if len(files) == 0 {
		t.Fatal("no pictures in testdata/decode")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = data
	}
	size := image.Pt(1500, 1100)
	random := rand.New(rand.NewPCG(1, 2))
	for name, f := range map[string]pngFile{
		"png, grey, 1 bit": {kind: pngGrey, depth: 1}, "png, 16 bits": {kind: pngAlpha, depth: 16},
		"png, interlaced": {kind: pngAlpha, depth: 16, interlaced: true}, "png, palette": {kind: pngPalette, depth: 8},
	} {
		out[name] = encodePNG(random, &f, size, true)
	}
	for name, img := range map[string]image.Image{
		"bmp, palette": image.NewPaletted(image.Rectangle{Max: size}, color.Palette{color.White, color.Black}),
		"bmp, colors":  image.NewRGBA(image.Rectangle{Max: size}), "bmp, alpha": image.NewNRGBA(image.Rectangle{Max: size}),
	} {
		var b bytes.Buffer
		if err := bmp.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	var b bytes.Buffer
	if err := gif.Encode(&b, image.NewPaletted(image.Rectangle{Max: size}, color.Palette{color.White, color.Black}), nil); err != nil {
		t.Fatal(err)
	}
	out["gif"] = b.Bytes()
	return out
}

// What is known of an image before it is decoded is as much as decoding takes, and not much more.
// Everything that is allocated counts, as nobody knows when it is collected.
func TestDecodedBytes(t *testing.T) {
	for name, data := range costly(t) {
		t.Run(name, func(t *testing.T) {
			h, cost, err := DecodedBytes(data)
			if err != nil || h.Width != 1500 {
				t.Fatal(h, err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, _, err := Decode(t.Context(), data); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			took := int64(after.TotalAlloc - before.TotalAlloc)
			t.Logf("%.2f of %.2f bytes a pixel", float64(took)/1500/1100, float64(cost)/1500/1100)
			most := took * 3 / 2
			if strings.HasPrefix(name, "webp-lossless") || name == "webp-lossy-alpha.webp" { // which transforms there are shows on the way
				most = took * 5 / 2
			}
			if took > cost || cost > most {
				t.Errorf("decoding takes %d bytes, and %d were expected", took, cost)
			}
		})
	}
}
