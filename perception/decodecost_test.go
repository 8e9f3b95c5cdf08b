package perception

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
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

// hostile returns small files that once had a decoder take far more than their headers say, by a name.
func hostile(t *testing.T) map[string][]byte {
	t.Helper()
	grey := pngFile{kind: pngGrey, depth: 8}
	header := headerOf(&grey, image.Pt(1, 1))
	many := joinPNG(slices.Concat([]pngChunk{{"IHDR", header}}, slices.Repeat([]pngChunk{{"IDAT", nil}}, 500_000),
		[]pngChunk{{"IDAT", deflate([]byte{0, 7})}, {"IEND", nil}}))
	clears := joinPNG(slices.Concat([]pngChunk{{"IHDR", header}}, slices.Repeat([]pngChunk{{"tRNS", []byte{0, 1}}}, 500_000),
		[]pngChunk{{"IDAT", deflate([]byte{0, 7})}, {"IEND", nil}}))
	const firstPart, partitions, longest = 200, 8, 1<<24 - 1
	frame := append([]byte{0x10 | firstPart&7<<5, firstPart >> 3, 0, 0x9d, 0x01, 0x2a, 16, 0, 16, 0}, bytes.Repeat([]byte{0xff}, firstPart+3*(partitions-1))...)
	claims := binary.LittleEndian.AppendUint32([]byte("VP8 "), uint32(len(frame)+partitions*longest))
	vp8 := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(frame)+partitions*longest+100))
	alpha, err := os.ReadFile("testdata/decode/webp-lossy-alpha.webp")
	if err != nil {
		t.Fatal(err)
	}
	moved := slices.Concat(alpha[:12], []byte("JUNK\x0a\x00\x00\x00"), make([]byte, 10), alpha[12:])
	binary.LittleEndian.PutUint32(moved[4:], uint32(len(moved)-8))
	return map[string][]byte{
		"a PNG of empty chunks": many, "a PNG that says many times what is transparent": clears,
		"a WebP whose partitions are not there": slices.Concat(vp8, []byte("WEBP"), claims, frame),
		"a WebP whose alpha comes late":         moved,
	}
}

// No file takes more than what is known before it is decoded, whether it can be decoded or not.
func TestDecodedBytesOfHostileFiles(t *testing.T) {
	for name, data := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			_, cost, err := DecodedBytes(data)
			if err != nil && fault.CodeOf(err) != sdkapi.InvalidImage {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, failed := Decode(t.Context(), data)
			runtime.ReadMemStats(&after)
			took := int64(after.TotalAlloc - before.TotalAlloc)
			if most := max(cost, decoderBytes); took > most {
				t.Errorf("decoding %d bytes takes %d, and %d were expected: %v", len(data), took, most, failed)
			}
			if strings.HasPrefix(name, "a PNG") && failed != nil {
				t.Error(failed)
			}
		})
	}
}
