package vlm

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

func TestFit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limits     limits
		size, want image.Point
	}{
		{patches28, image.Pt(1440, 900), image.Pt(1260, 784)},
		{patches28, image.Pt(1280, 720), image.Pt(1260, 700)},
		{patches28, image.Pt(1920, 1080), image.Pt(1316, 728)},
		{patches28, image.Pt(1022, 1522), image.Pt(812, 1204)},
		{patches28, image.Pt(10, 10), image.Pt(56, 56)},
		{patches28, image.Pt(30_000, 10), image.Pt(29_988, 28)},
		{anySize, image.Pt(1440, 900), image.Pt(1440, 900)},
		{anySize, image.Pt(3, 1), image.Pt(3, 1)},
		{anySize, image.Pt(30_000, 1), image.Pt(30_000, 1)},
		{limits{pixels: 1_150_000, long: 1568}, image.Pt(1568, 500), image.Pt(1568, 500)},
		{limits{pixels: 1_150_000, long: 1568}, image.Pt(3136, 500), image.Pt(1568, 250)},
		{limits{pixels: 2048 * 768, long: 2048, short: 768}, image.Pt(900, 1440), image.Pt(768, 1228)},
		{limits{pixels: 2048 * 768, long: 2048, short: 768}, image.Pt(4096, 700), image.Pt(2048, 350)},
	} {
		t.Run(fmt.Sprint(tt.want), func(t *testing.T) {
			if got := tt.limits.fit(tt.size); got != tt.want {
				t.Errorf("%v within %+v: %v, want %v", tt.size, tt.limits, got, tt.want)
			}
		})
	}
}

// Whatever the screen, each family gets an image within its limits, which it
// would not resize; crops lie on the screen; and places come back to where
// they were.
func TestFitAndCropAnySize(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		l := append(families, plain)[random.IntN(len(families)+1)].limits
		screen := image.Rect(0, 0, 1+random.IntN(9000), 1+random.IntN(9000))
		around := image.Pt(random.IntN(screen.Dx()), random.IntN(screen.Dy()))
		crop := l.crop(screen, around)
		if !crop.In(screen) || crop.Empty() || !around.In(crop) {
			t.Fatalf("%v of %v around %v", crop, screen, around)
		}
		for _, region := range []image.Rectangle{screen, crop} {
			size := l.fit(region.Size())
			m := l.multiple()
			thin := size.X == m || size.Y == m // sides of a single multiple cannot shrink
			if size.X%m != 0 || size.Y%m != 0 || size.X < 1 || size.Y < 1 || size.X*size.Y > l.pixels || size.X*size.Y < l.least && !thin ||
				l.long > 0 && max(size.X, size.Y) > l.long || l.short > 0 && min(size.X, size.Y) > l.short {
				t.Fatalf("%v is sent as %v within %+v", region, size, l)
			}
			if again := l.fit(size); again != size && !thin {
				t.Fatalf("%v is sent as %v, and would be resized to %v", region, size, again)
			}
			p := picture{region: region, size: size}
			at := image.Pt(region.Min.X+random.IntN(region.Dx()), region.Min.Y+random.IntN(region.Dy()))
			x := (float64(at.X-region.Min.X) + 0.5) * float64(size.X) / float64(region.Dx())
			y := (float64(at.Y-region.Min.Y) + 0.5) * float64(size.Y) / float64(region.Dy())
			if back, ok := p.toScreen(x, y); !ok || back != at {
				t.Fatalf("%v comes back as %v, %v", at, back, ok)
			}
		}
	}
}

// Transparent parts are shown on white, and the screen is left as it is.
func TestOpaque(t *testing.T) {
	t.Parallel()
	screen := testkit.Canvas(40, 30, color.NRGBA{0, 0, 0, 0})
	if got := opaque(screen).RGBAAt(3, 3); got != (color.RGBA{255, 255, 255, 255}) || screen.NRGBAAt(3, 3).A != 0 {
		t.Error(got)
	}
	screen = testkit.Canvas(40, 30, color.NRGBA{10, 20, 30, 255})
	part := screen.SubImage(image.Rect(10, 10, 20, 20)).(*image.NRGBA)
	if got := opaque(part); got.RGBAAt(12, 12) != (color.RGBA{10, 20, 30, 255}) || got.Rect != part.Rect {
		t.Error(got.Rect)
	}
}

// Each pixel of a smaller image is the mean of what it covers, to a few levels.
func TestShrink(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, tt := range []struct{ from, to image.Point }{
		{image.Pt(40, 30), image.Pt(20, 15)}, {image.Pt(40, 30), image.Pt(37, 29)}, {image.Pt(30, 5), image.Pt(3, 5)},
		{image.Pt(7, 7), image.Pt(7, 7)}, {image.Pt(3, 200), image.Pt(3, 20)}, {image.Pt(1, 1), image.Pt(1, 1)},
	} {
		t.Run(fmt.Sprint(tt.to), func(t *testing.T) {
			screen := image.NewRGBA(image.Rectangle{Max: tt.from})
			for i := range screen.Pix {
				screen.Pix[i] = byte(random.IntN(2) * 255)
				if i%4 == 3 {
					screen.Pix[i] = 255
				}
			}
			got := shrink(screen, tt.to)
			for y := range tt.to.Y {
				for x := range tt.to.X {
					want := mean(screen, x, y, tt.to)
					for channel, value := range got.Pix[got.PixOffset(x, y):][:4] {
						if math.Abs(float64(value)-want[channel]) > 3 {
							t.Fatalf("%v to %v: at (%d,%d) %v, want %v", tt.from, tt.to, x, y, got.RGBAAt(x, y), want)
						}
					}
				}
			}
		})
	}
}

// mean returns the mean of what a pixel of a smaller image covers.
func mean(img *image.RGBA, x, y int, size image.Point) (sum [4]float64) {
	sx, sy := float64(img.Rect.Dx())/float64(size.X), float64(img.Rect.Dy())/float64(size.Y)
	part := func(pixel, at int, s float64) float64 {
		return max(0, min(float64(pixel+1), float64(at+1)*s)-max(float64(pixel), float64(at)*s)) / s
	}
	for py := range img.Rect.Dy() {
		for px := range img.Rect.Dx() {
			for c := range sum {
				sum[c] += float64(img.Pix[img.PixOffset(px, py)+c]) * part(px, x, sx) * part(py, y, sy)
			}
		}
	}
	return sum
}
