package calm_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/windieos/windie/perception/calm"
)

// page is black text on white beside white text on blue, with an edge between the grounds.
func page() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 400, 160))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(200, 0, 400, 160), image.NewUniform(color.NRGBA{20, 90, 200, 255}), image.Point{}, draw.Src)
	for y := 20; y < 150; y += 16 {
		write(img, 10, y, color.Black)
		write(img, 210, y, color.White)
	}
	return img
}

func write(img *image.NRGBA, x, y int, c color.Color) {
	pen := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: basicfont.Face7x13, Dot: fixed.P(x, y)}
	pen.DrawString("Save the harbour map")
}

func compressed(t testing.TB, img image.Image, quality int) *image.NRGBA {
	t.Helper()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	decoded, err := jpeg.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	return nrgba(decoded)
}

func nrgba(img image.Image) *image.NRGBA {
	out := image.NewNRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, image.Point{}, draw.Src)
	return out
}

// unlike counts the pixels that differ by more than most in a channel.
func unlike(a, b *image.NRGBA, tolerance int) (n int) {
	for i := 0; i < len(a.Pix); i += 4 {
		for c := range 3 {
			if d := int(a.Pix[i+c]) - int(b.Pix[i+c]); d > tolerance || d < -tolerance {
				n++
				break
			}
		}
	}
	return n
}

// Of the pixels of a ground that compression changed by more than a little, few are left, at every
// quality, and no letter goes.
func TestRipplesGo(t *testing.T) {
	t.Parallel()
	was := page()
	for _, quality := range []int{90, 80, 70, 60, 50} {
		screen := compressed(t, was, quality)
		before := unlike(was, screen, 4)
		if err := calm.Calm(t.Context(), screen, nil); err != nil {
			t.Fatal(err)
		}
		after, letters := unlike(was, screen, 4), unlike(was, screen, 110)
		t.Logf("quality %d: %d pixels differ, %d after, %d by much", quality, before, after, letters)
		if after*2 > before {
			t.Errorf("quality %d: %d pixels differ from what they were, and %d before", quality, after, before)
		}
		if letters*100 > before {
			t.Errorf("quality %d: %d pixels are of another colour altogether", quality, letters)
		}
	}
}

// Screens that were not compressed with loss stay as they are.
func TestOthersStay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/screens/*.png")
	if err != nil || len(files) == 0 {
		t.Fatal("no screens", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		was := nrgba(decoded)
		screen := nrgba(decoded)
		if err := calm.Calm(t.Context(), screen, nil); err != nil {
			t.Fatal(err)
		}
		grainy := filepath.Base(file) == "landing.png" // nearly all that is not flat on it is a photograph
		if n := unlike(was, screen, 0); n > 0 && !grainy {
			t.Errorf("%s: %d pixels changed", filepath.Base(file), n)
		}
	}
}

// Pictures smaller than a tile, and those without a pixel, can be calmed too.
func TestSmall(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{0, 0}, {1, 1}, {3, 40}, {17, 16}} {
		t.Run(size.String(), func(t *testing.T) {
			t.Parallel()
			if err := calm.Calm(t.Context(), image.NewNRGBA(image.Rectangle{Max: size}), nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// What nobody waits for any longer is given up.
func TestStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := calm.Calm(ctx, compressed(t, page(), 60), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}

func BenchmarkCalm(b *testing.B) {
	for name, quality := range map[string]int{"PNG": 0, "JPEG": 70} {
		b.Run(name, func(b *testing.B) {
			big := image.NewNRGBA(image.Rect(0, 0, 1600, 960))
			for y := 0; y < 960; y += 160 {
				for x := 0; x < 1600; x += 400 {
					draw.Draw(big, image.Rect(x, y, x+400, y+160), page(), image.Point{}, draw.Src)
				}
			}
			was := big
			if quality > 0 {
				was = compressed(b, big, quality)
			}
			screen := image.NewNRGBA(was.Rect)
			for b.Loop() {
				copy(screen.Pix, was.Pix)
				if err := calm.Calm(b.Context(), screen, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
