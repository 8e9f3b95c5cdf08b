package perception

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
)

var red, blue = color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}

// exif returns Exif that says how pixels lie, after an entry that says something else.
func exif(order binary.AppendByteOrder, value uint16) []byte {
	mark := "II"
	if order == binary.AppendByteOrder(binary.BigEndian) {
		mark = "MM"
	}
	out := order.AppendUint32(order.AppendUint16([]byte(mark), 42), 10)
	out = append(out, 0, 0) // the list need not follow the head at once
	out = order.AppendUint16(out, 2)
	for _, e := range [][2]uint16{{0x0103, 6}, {0x0112, value}} { // compression, and how pixels lie
		out = order.AppendUint32(order.AppendUint16(order.AppendUint16(out, e[0]), 3), 1)
		out = append(order.AppendUint16(out, e[1]), 0, 0)
	}
	return order.AppendUint32(out, 0)
}

// corners returns a picture whose first stored pixels are red, and the last of the first row blue.
func corners() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 48, 32))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(0, 0, 16, 16), image.NewUniform(red), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(32, 0, 48, 16), image.NewUniform(blue), image.Point{}, draw.Src)
	return img
}

// withExif returns corners in each format that has Exif.
func withExif(t testing.TB, data []byte) map[string][]byte {
	t.Helper()
	var p, j bytes.Buffer
	if err := png.Encode(&p, corners()); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&j, corners(), nil); err != nil {
		t.Fatal(err)
	}
	const header = 33 // of a PNG, with its signature
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(2+len(exifMark)+len(data)))
	chunk := joinPNG([]pngChunk{{"eXIf", data}})[8:]
	return map[string][]byte{
		"jpeg": slices.Concat(j.Bytes()[:2], segment, exifMark, data, j.Bytes()[2:]),
		"png":  slices.Concat(p.Bytes()[:header], chunk, p.Bytes()[header:]),
	}
}

// near reports whether two colors are the same, but for what JPEG does to them.
func near(a, b color.NRGBA) bool {
	off := func(a, b uint8) bool { return max(a, b)-min(a, b) > 40 }
	return !off(a.R, b.R) && !off(a.G, b.G) && !off(a.B, b.B)
}

// A picture is read as it is shown, and its size is the size at which it is shown.
func TestDecodeAsShown(t *testing.T) {
	t.Parallel()
	for value, places := range map[uint16][2]string{ // where red and blue are shown
		0: {"top left", "top right"}, 1: {"top left", "top right"}, 2: {"top right", "top left"},
		3: {"bottom right", "bottom left"}, 4: {"bottom left", "bottom right"}, 5: {"top left", "bottom left"},
		6: {"top right", "bottom right"}, 7: {"bottom right", "top right"}, 8: {"bottom left", "top left"}, 9: {"top left", "top right"},
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for name, data := range withExif(t, exif(order, value)) {
				screen, h, err := Decode(t.Context(), data)
				if err != nil {
					t.Fatal(name, err)
				}
				size := image.Pt(48, 32)
				if value >= 5 && value <= 8 {
					size = image.Pt(32, 48)
				}
				if screen.Rect.Size() != size || image.Pt(h.Width, h.Height) != size {
					t.Errorf("%s, %d: %v, and the header says %d x %d", name, value, screen.Rect, h.Width, h.Height)
				}
				at := map[string]image.Point{
					"top left": {}, "top right": {size.X - 1, 0}, "bottom left": {0, size.Y - 1}, "bottom right": size.Sub(image.Pt(1, 1)),
				}
				for i, want := range []color.NRGBA{red, blue} {
					if got := screen.NRGBAAt(at[places[i]].X, at[places[i]].Y); !near(got, want) {
						t.Errorf("%s, %d: %s is %v, not %v", name, value, places[i], got, want)
					}
				}
			}
		}
	}
}

// The Exif of a WebP comes after its picture.
func TestDecodeWebPAsShown(t *testing.T) {
	t.Parallel()
	plain, err := base64.StdEncoding.DecodeString(webp2x1)
	if err != nil {
		t.Fatal(err)
	}
	was, _, err := Decode(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	note := exif(binary.LittleEndian, 8)
	chunk := func(name string, body []byte) []byte {
		return slices.Concat(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body))), body)
	}
	const flagExif = 8
	body := slices.Concat([]byte("WEBP"), chunk("VP8X", []byte{flagExif, 0, 0, 0, 1, 0, 0, 0, 0, 0}), plain[12:], []byte{0, 0}, chunk("EXIF", note)) // the picture lacks its last bytes
	screen, h, err := Decode(t.Context(), chunk("RIFF", body))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Header{"image/webp", 1, 2}); h != want || screen.Rect != image.Rect(0, 0, 1, 2) {
		t.Fatalf("%+v, %v", h, screen.Rect)
	}
	if screen.NRGBAAt(0, 1) != was.NRGBAAt(0, 0) || screen.NRGBAAt(0, 0) != was.NRGBAAt(1, 0) {
		t.Errorf("%v is shown of %v", screen.Pix, was.Pix)
	}
}

// Exif that is cut, or points to where nothing is, changes nothing.
func TestExifThatIsDamaged(t *testing.T) {
	t.Parallel()
	whole := exif(binary.BigEndian, 6)
	const entries = 2 * 12
	for n := range len(whole) - entries {
		if got := exifOrientation(whole[:n]); got.turned() {
			t.Errorf("%d bytes: %d", n, got)
		}
	}
	far := slices.Clone(whole)
	binary.BigEndian.PutUint32(far[4:], 1<<32-1)
	text := slices.Clone(whole)
	const kind = 10 + 2 + 2 + 12 + 2
	binary.BigEndian.PutUint16(text[kind-2:], 2)
	for _, data := range [][]byte{far, text, []byte("MM\x00*")} {
		if got := exifOrientation(data); got.turned() {
			t.Errorf("%q: %d", data, got)
		}
	}
}

// A picture that is turned is in memory twice for a while.
func TestDecodedBytesOfATurnedPicture(t *testing.T) {
	t.Parallel()
	straight, turned := withExif(t, exif(binary.BigEndian, 1)), withExif(t, exif(binary.BigEndian, 6))
	for name := range straight {
		_, one, err := DecodedBytes(straight[name])
		if err != nil {
			t.Fatal(err)
		}
		_, two, err := DecodedBytes(turned[name])
		if err != nil || two-one < 48*32*4 {
			t.Errorf("%s: %d bytes upright, %d turned, %v", name, one, two, err)
		}
	}
}
