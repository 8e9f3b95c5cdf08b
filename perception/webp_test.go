package perception_test

import (
	"encoding/binary"
	"image"
	"image/color"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// An animated WebP is read like its first frame.
func TestAnimatedWebP(t *testing.T) {
	t.Parallel()
	for animated, still := range map[string]string{"webp-lossless-animated.webp": "webp-lossless.webp", "webp-lossy-alpha-animated.webp": "webp-lossy-alpha.webp"} {
		t.Run(animated, func(t *testing.T) {
			t.Parallel()
			got, want := decodeFile(t, animated), decodeFile(t, still)
			if got.Rect != want.Rect {
				t.Fatalf("the size is %v, not %v", got.Rect.Size(), want.Rect.Size())
			}
			for y := 5; y < got.Rect.Dy(); y += 50 {
				for x := 5; x < got.Rect.Dx(); x += 50 {
					if a, b := got.NRGBAAt(x, y), want.NRGBAAt(x, y); !near(a, b) {
						t.Fatalf("at %d, %d: %v, not %v", x, y, a, b)
					}
				}
			}
		})
	}
}

// near reports whether two colours differ by no more than two lossy encodings do. A transparent pixel has no colour.
func near(a, b color.NRGBA) bool {
	const most = 40
	apart := func(a, b uint8) bool { return max(a, b)-min(a, b) > most }
	return !apart(a.A, b.A) && (a.A == 0 || !apart(a.R, b.R) && !apart(a.G, b.G) && !apart(a.B, b.B))
}

// A frame that is smaller than the animation stands in its place, and all around it is transparent.
func TestSmallWebPFrame(t *testing.T) {
	t.Parallel()
	red := readFile(t, "webp-lossless.webp")
	at, size, canvas := image.Pt(100, 60), decodeFile(t, "webp-lossless.webp").Rect.Size(), image.Pt(1700, 1300)
	screen, h, err := perception.Decode(t.Context(), animation(canvas, at, size, red[12:]))
	if err != nil || h.Width != canvas.X || h.Height != canvas.Y || screen.Rect.Size() != canvas {
		t.Fatalf("%v, %+v", err, h)
	}
	if before, inside := screen.NRGBAAt(at.X-1, at.Y), screen.NRGBAAt(at.X, at.Y); before.A != 0 || inside.A == 0 {
		t.Errorf("beside the frame %v, in it %v", before, inside)
	}
}

// An animation without a whole first frame inside the canvas is damaged.
func TestDamagedAnimatedWebP(t *testing.T) {
	t.Parallel()
	red, size := readFile(t, "webp-lossless.webp"), decodeFile(t, "webp-lossless.webp").Rect.Size()
	whole := animation(size, image.Point{}, size, red[12:])
	for name, data := range map[string][]byte{
		"no frame":              animation(size, image.Point{}, size, nil)[:30],
		"an empty frame":        animation(size, image.Point{}, size, nil),
		"a frame cut short":     whole[:len(whole)-40],
		"a frame outside":       animation(size, image.Pt(2, 0), size, red[12:]),
		"a frame of other size": animation(size, image.Point{}, size.Sub(image.Pt(1, 0)), red[12:]),
		"another chunk first":   animation(size, image.Point{}, size, slices.Concat([]byte("JUNK\x00\x00\x00\x00"), red[12:])),
		"only a head":           whole[:20],
		"a still without data":  []byte("RIFF\x2c\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00\x0f\x00\x00\x0f\x00\x00VP8L\x00\x00\x00\x00"),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := perception.Decode(t.Context(), data)
			if fault.CodeOf(err) != sdkapi.InvalidImage || !strings.Contains(fault.From(err).Message, "damaged or incomplete") {
				t.Errorf("%v", err)
			}
		})
	}
}

// animation returns an animated WebP of one frame. picture has the chunks of the frame's picture.
func animation(canvas, at, size image.Point, picture []byte) []byte {
	number := func(b []byte, n int) []byte { return append(b, byte(n), byte(n>>8), byte(n>>16)) }
	chunk := func(b []byte, name string, body []byte) []byte {
		return append(binary.LittleEndian.AppendUint32(append(b, name...), uint32(len(body))), body...)
	}
	head := number(number([]byte{0x12, 0, 0, 0}, canvas.X-1), canvas.Y-1)
	frame := number(number(number(number(nil, at.X/2), at.Y/2), size.X-1), size.Y-1)
	frame = append(append(frame, 100, 0, 0, 0), picture...)
	body := chunk(chunk(chunk([]byte("WEBP"), "VP8X", head), "ANIM", make([]byte, 6)), "ANMF", frame)
	return chunk(nil, "RIFF", body)
}

// readFile returns a file of testdata/decode.
func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/decode/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decodeFile decodes a file of testdata/decode.
func decodeFile(t *testing.T, name string) *image.NRGBA {
	t.Helper()
	screen, _, err := perception.Decode(t.Context(), readFile(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return screen
}

// Formats that are not read are named, with what to do.
func TestOtherFormats(t *testing.T) {
	t.Parallel()
	for want, data := range map[string]string{
		"HEIC files are not supported; convert the image to PNG or JPEG": "\x00\x00\x00\x24ftypheic\x00\x00\x00\x00mif1heic",
		"AVIF files are not supported; convert the image to PNG or JPEG": "\x00\x00\x00\x20ftypavif\x00\x00\x00\x00avifmif1",
		"TIFF files are not supported; convert the image to PNG or JPEG": "II*\x00\x08\x00\x00\x00",
		"the data is not an image; expected PNG, JPEG, GIF, WebP or BMP": "hello",
	} {
		_, err := perception.DecodeHeader([]byte(data))
		if fault.CodeOf(err) != sdkapi.InvalidImage || fault.From(err).Message != want {
			t.Errorf("%v", err)
		}
	}
}
