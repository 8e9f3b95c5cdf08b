package perception

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// webp2x1 is a lossless WebP of two pixels, which the library can read but
// not write.
const webp2x1 = "UklGRhwAAABXRUJQVlA4TBAAAAAvAQAAAAcQEf0PRET/Aw=="

// samples returns one small picture in each format, red at (0,0).
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 16, 8), color.Palette{color.NRGBA{255, 0, 0, 255}, color.White})
	out := map[string][]byte{}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"image/png":  func(b *bytes.Buffer) error { return png.Encode(b, img) },
		"image/jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) },
		"image/gif":  func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) },
		"image/bmp":  func(b *bytes.Buffer) error { return bmp.Encode(b, img) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	return out
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for contentType, data := range samples(t) {
		screen, h, err := Decode(t.Context(), data)
		if err != nil {
			t.Errorf("%s: %v", contentType, err)
			continue
		}
		if want := (Header{contentType, 16, 8}); h != want || screen.Bounds() != image.Rect(0, 0, 16, 8) {
			t.Errorf("%s: %+v, %v", contentType, h, screen.Bounds())
		}
		if c := screen.NRGBAAt(0, 0); c.R < 250 || c.G > 5 || c.A != 255 {
			t.Errorf("%s: the red pixel is %v", contentType, c)
		}
	}
}

func TestDecodeWebP(t *testing.T) {
	t.Parallel()
	data, err := base64.StdEncoding.DecodeString(webp2x1)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := DecodeHeader(data); err != nil || h.ContentType != "image/webp" {
		t.Errorf("%+v, %v", h, err)
	}
}

// A GIF's frame may be smaller than its screen: coordinates are the screen's.
func TestDecodeSmallFrame(t *testing.T) {
	t.Parallel()
	frame := image.NewPaletted(image.Rect(5, 2, 9, 6), color.Palette{color.NRGBA{255, 0, 0, 255}})
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 16, Height: 8}})
	if err != nil {
		t.Fatal(err)
	}
	screen, _, err := Decode(t.Context(), b.Bytes())
	if err != nil || screen.Bounds() != image.Rect(0, 0, 16, 8) {
		t.Fatalf("%v, %v", screen, err)
	}
	if inside, outside := screen.NRGBAAt(5, 2), screen.NRGBAAt(0, 0); inside.R != 255 || outside.A != 0 {
		t.Errorf("inside %v, outside %v", inside, outside)
	}
}

// header makes the start of a PNG that claims a size and holds no pixels.
func header(width, height uint32) []byte {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	chunk = append(binary.BigEndian.AppendUint32(chunk, height), 8, 2, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	whole := samples(t)
	for _, tt := range []struct {
		name string
		data []byte
		code sdkapi.Code
		text string
	}{
		{"nothing", nil, sdkapi.InvalidImage, "not an image"},
		{"text", []byte("hello"), sdkapi.InvalidImage, "not an image"},
		{"half a PNG", whole["image/png"][:60], sdkapi.InvalidImage, "incomplete"},
		{"half a JPEG", whole["image/jpeg"][:300], sdkapi.InvalidImage, "incomplete"},
		{"half a GIF", whole["image/gif"][:20], sdkapi.InvalidImage, "incomplete"},
		{"half a BMP", whole["image/bmp"][:70], sdkapi.InvalidImage, "incomplete"},
		{"just a magic", []byte("\x89PNG\r\n\x1a\n"), sdkapi.InvalidImage, "an invalid header"},
		{"too many pixels", header(8500, 6000), sdkapi.InvalidImage, "8500 x 6000"},
		{"too wide", header(MaxImageSide+1, 10), sdkapi.InvalidImage, "32767 per side"},
		{"too many bytes", make([]byte, MaxImageBytes+1), sdkapi.PayloadTooLarge, "at most"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Decode(t.Context(), tt.data)
			if fault.CodeOf(err) != tt.code || !strings.Contains(fault.From(err).Message, tt.text) {
				t.Errorf("%s: %v", tt.name, err)
			}
		})
	}
}

// What is refused by its header costs no memory.
func TestDecodeAllocatesLittleForHugeHeaders(t *testing.T) {
	data := header(8500, 6000)
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _, _ = Decode(t.Context(), data)
		}
	}).AllocedBytesPerOp()
	if allocated > 1<<20 {
		t.Errorf("%d bytes", allocated)
	}
}

// A damaged BMP points past its palette. That must be neither a panic nor an
// end of the process.
func TestDecodeIndexBeyondPalette(t *testing.T) {
	t.Parallel()
	p := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.White})
	p.Pix[5] = 200
	got, err := toNRGBA(t.Context(), p, image.Pt(4, 4))
	if err != nil || got.NRGBAAt(1, 1) != (color.NRGBA{}) {
		t.Errorf("got %v, %v", got.NRGBAAt(1, 1), err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	webp, _ := base64.StdEncoding.DecodeString(webp2x1)
	f.Add(webp)
	f.Add(header(8500, 6000))
	for _, data := range withExif(f, exif(binary.BigEndian, 6)) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, _, err := decodeHeader(data); err == nil && h.Width*h.Height > 1<<20 {
			return // within the limits, and slow
		}
		screen, h, err := Decode(t.Context(), data)
		if err == nil && screen.Bounds() != image.Rect(0, 0, h.Width, h.Height) {
			t.Errorf("header %+v, bounds %v", h, screen.Bounds())
		}
		if err != nil && fault.CodeOf(err) == sdkapi.Internal {
			t.Errorf("untyped: %v", err)
		}
	})
}
