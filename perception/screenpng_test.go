package perception

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// Screenshots decode to the same pixels as by image/png.
func TestScreenPNGAsImagePNG(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/screens/*.png")
	if len(files) == 0 {
		t.Fatal("no screens in testdata/screens")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		compareDecoders(t, file, data, true)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		size := image.Pt(1+random.IntN(70), 1+random.IntN(70))
		compareDecoders(t, fmt.Sprint(size), randomPNG(t, random, size), true)
	}
}

// randomPNG encodes noise beside flat colour, so that all filters occur.
func randomPNG(t testing.TB, random *rand.Rand, size image.Point) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rectangle{Max: size})
	opaque := random.IntN(2) == 0
	for i := range img.Pix {
		img.Pix[i] = uint8(i / 4 % size.X * 3)
		if i/4%size.X > size.X/2 {
			img.Pix[i] = uint8(random.Uint32())
		}
		if opaque && i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func compareDecoders(t *testing.T, name string, data []byte, taken bool) {
	t.Helper()
	want, err := png.Decode(bytes.NewReader(data))
	config, _ := png.DecodeConfig(bytes.NewReader(data))
	got, ok := decodeScreenPNG(data, image.Pt(config.Width, config.Height))
	switch {
	case ok && err != nil:
		t.Errorf("%s: taken, though %v", name, err)
	case ok != taken && taken:
		t.Errorf("%s: left to image/png", name)
	case ok:
		plain := image.NewNRGBA(want.Bounds())
		if n, isNRGBA := want.(*image.NRGBA); isNRGBA {
			plain = n
		} else {
			draw.Draw(plain, plain.Rect, want, image.Point{}, draw.Src)
		}
		if !bytes.Equal(got.Pix, plain.Pix) {
			t.Errorf("%s: other pixels", name)
		}
	}
}

// Every filter with every number of channels, as image/png undoes it.
func TestScreenPNGFilters(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for filter := range 6 {
		for _, channels := range []int{3, 4} {
			rows := make([]byte, 0, 9*(1+7*channels))
			for range 9 {
				rows = append(rows, byte(filter))
				for range 7 * channels {
					rows = append(rows, byte(random.Uint32()))
				}
			}
			data := pack(rows, image.Pt(7, 9), channels)
			compareDecoders(t, fmt.Sprintf("filter %d, %d channels", filter, channels), data, filter < 5)
		}
	}
}

// What is cut short, damaged, or of another kind is left to image/png.
func TestScreenPNGLeavesTheRest(t *testing.T) {
	t.Parallel()
	data := randomPNG(t, rand.New(rand.NewPCG(7, 8)), image.Pt(40, 30))
	for n := 8; n < len(data)-12; n += 3 {
		if _, ok := decodeScreenPNG(data[:n], image.Pt(40, 30)); ok {
			t.Fatalf("the first %d of %d bytes were taken", n, len(data))
		}
	}
	for i := 8; i < len(data)-12; i += 5 {
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		if _, ok := decodeScreenPNG(bad, image.Pt(40, 30)); ok {
			t.Errorf("byte %d is damaged, and was taken", i)
		}
	}
	grey := image.NewGray(image.Rect(0, 0, 5, 5))
	indexed := image.NewPaletted(grey.Rect, color.Palette{color.Black, color.White})
	for _, img := range []image.Image{grey, indexed, image.NewNRGBA64(grey.Rect)} {
		var out bytes.Buffer
		if err := png.Encode(&out, img); err != nil {
			t.Fatal(err)
		}
		if _, ok := decodeScreenPNG(out.Bytes(), image.Pt(5, 5)); ok {
			t.Errorf("%T was taken", img)
		}
	}
	more := pack(make([]byte, 10*(1+7*3)), image.Pt(7, 9), 3)
	compareDecoders(t, "a row too many", more, false)
}

// pack makes a PNG of filtered rows.
func pack(rows []byte, size image.Point, channels int) []byte {
	header := make([]byte, 13)
	binary.BigEndian.PutUint32(header, uint32(size.X))
	binary.BigEndian.PutUint32(header[4:], uint32(size.Y))
	header[8], header[9] = 8, map[int]byte{3: 2, 4: 6}[channels]
	out := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range []struct {
		kind string
		body []byte
	}{{"IHDR", header}, {"IDAT", deflate(rows)}, {"IEND", nil}} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(c.body)))
		from := len(out)
		out = append(append(out, c.kind...), c.body...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
	}
	return out
}

func BenchmarkDecode(b *testing.B) {
	data, err := os.ReadFile("testdata/screens/table.png")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("screen", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := Decode(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("image-png", func(b *testing.B) {
		for b.Loop() {
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func deflate(rows []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, _ = z.Write(rows) // a Buffer takes everything
	_ = z.Close()
	return out.Bytes()
}
