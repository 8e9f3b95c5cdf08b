package perception

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Screenshots decode to the same pixels as by image/png.
func TestScreensAsImagePNG(t *testing.T) {
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
		compareDecoders(t, file, data)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		size := image.Pt(1+random.IntN(70), 1+random.IntN(70))
		compareDecoders(t, fmt.Sprint(size), randomPNG(t, random, size))
	}
}

// PNGs of every kind, with every filter, interlaced or not, with a palette that is too short or a
// color that is transparent, decode as by image/png. Of 16 bits the upper eight are kept.
func TestEveryPNGAsImagePNG(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for kind, depths := range pngDepths {
		for _, depth := range depths {
			for _, interlaced := range []bool{false, true} {
				for _, clear := range []bool{false, true} {
					for i := range 8 {
						f := pngFile{kind: kind, depth: int(depth), interlaced: interlaced}
						size := image.Pt(1+random.IntN(80), 1+random.IntN(80))
						data := encodePNG(random, &f, size, clear)
						compareDecoders(t, fmt.Sprintf("kind %d, %d bits, interlaced %v, transparent %v, %v, try %d", kind, depth, interlaced, clear, size, i), data)
					}
				}
			}
		}
	}
}

// encodePNG makes a PNG of random bytes, half of them zero.
func encodePNG(random *rand.Rand, f *pngFile, size image.Point, transparent bool) []byte {
	var rows []byte
	for _, p := range f.passes(size) {
		for range p.height {
			row := make([]byte, f.stride(p.width))
			row[0] = byte(random.IntN(5))
			for i := 1; i < len(row); i++ {
				if random.IntN(2) == 0 {
					row[i] = byte(random.IntN(256))
				}
			}
			rows = append(rows, row...)
		}
	}
	chunks := []pngChunk{{"IHDR", headerOf(f, size)}}
	colors := 1 + random.IntN(1<<min(f.depth, 8))
	if f.kind == pngPalette {
		chunks = append(chunks, pngChunk{"PLTE", randomBytes(random, 3*colors)})
	}
	switch {
	case !transparent:
	case f.kind == pngPalette:
		chunks = append(chunks, pngChunk{"tRNS", randomBytes(random, 1+random.IntN(colors))})
	case f.kind == pngGrey, f.kind == pngColor:
		chunks = append(chunks, pngChunk{"tRNS", make([]byte, 2*f.kind.channels())})
	}
	packed := deflate(rows)
	half := len(packed) / 2
	return joinPNG(append(chunks, pngChunk{"tEXt", []byte("a\x00b")}, pngChunk{"IDAT", packed[:half]}, pngChunk{"IDAT", packed[half:]}, pngChunk{"IEND", nil}))
}

func randomBytes(random *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(random.Uint32())
	}
	return out
}

func headerOf(f *pngFile, size image.Point) []byte {
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = append(binary.BigEndian.AppendUint32(header, uint32(size.Y)), byte(f.depth), byte(f.kind), 0, 0, 0)
	if f.interlaced {
		header[12] = 1
	}
	return header
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

// compareDecoders reports pixels that differ from those of image/png, converted by imaging.
func compareDecoders(t *testing.T, name string, data []byte) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	got, _, ours := Decode(t.Context(), data)
	if (err == nil) != (ours == nil) {
		t.Errorf("%s: %v, and by image/png %v", name, ours, err)
	}
	if err != nil || ours != nil {
		return
	}
	if want := imaging.Clone(img); !bytes.Equal(got.Pix, want.Pix) {
		t.Errorf("%s: other pixels", name)
	}
}

// Every filter with every number of channels, as image/png undoes it; and none that there is not.
func TestPNGFilters(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for filter := range 6 {
		for _, kind := range []pngKind{pngColor, pngAlpha} {
			f := pngFile{kind: kind, depth: 8}
			rows := make([]byte, 0, 9*f.stride(7))
			for range 9 {
				rows = append(append(rows, byte(filter)), randomBytes(random, f.stride(7)-1)...)
			}
			compareDecoders(t, fmt.Sprintf("filter %d, kind %d", filter, kind), plainPNG(&f, rows, image.Pt(7, 9)))
		}
	}
}

// A PNG that is cut short or damaged is refused, and nothing but its pixels was ever held.
func TestDamagedPNG(t *testing.T) {
	t.Parallel()
	data := randomPNG(t, rand.New(rand.NewPCG(7, 8)), image.Pt(40, 30))
	for n := 8; n < len(data)-12; n += 3 {
		if _, _, err := Decode(t.Context(), data[:n]); fault.CodeOf(err) != sdkapi.InvalidImage {
			t.Fatalf("the first %d of %d bytes: %v", n, len(data), err)
		}
	}
	for i := 8; i < len(data)-12; i += 5 {
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		if _, _, err := Decode(t.Context(), bad); err == nil {
			t.Errorf("byte %d is damaged, and was taken", i)
		}
	}
	f := pngFile{kind: pngColor, depth: 8}
	compareDecoders(t, "a row too many", plainPNG(&f, make([]byte, 10*f.stride(7)), image.Pt(7, 9)))
	compareDecoders(t, "a row too few", plainPNG(&f, make([]byte, 8*f.stride(7)), image.Pt(7, 9)))
	f = pngFile{kind: pngPalette, depth: 8}
	compareDecoders(t, "no palette", plainPNG(&f, make([]byte, 9*f.stride(7)), image.Pt(7, 9)))
}

// plainPNG makes a PNG of filtered rows.
func plainPNG(f *pngFile, rows []byte, size image.Point) []byte {
	return joinPNG([]pngChunk{{"IHDR", headerOf(f, size)}, {"IDAT", deflate(rows)}, {"IEND", nil}})
}

type pngChunk struct {
	kind string
	body []byte
}

func joinPNG(chunks []pngChunk) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range chunks {
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
			if _, _, err := Decode(b.Context(), data); err != nil {
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
