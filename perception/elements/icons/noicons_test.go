package icons

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// kind is a kind of masks that show no icon.
type kind struct {
	name  string
	masks []*image.Alpha
}

// noIcons draws what stands on screens beside icons.
func noIcons(t testing.TB) []kind {
	random := rand.New(rand.NewPCG(3, 4))
	return []kind{
		{"letters and digits", texts(t, random, singles)},
		{"words", texts(t, random, []string{"OK", "Go", "ab", "Hi", "me", "xyz", "42", "100", "AB", "LTE", "Tag", "fly", "Save", "in"})},
		{"rectangles", many(random, 200, rectangle)},
		{"rings", many(random, 200, ring)},
		{"noise", many(random, 200, noise)},
		{"photographs", many(random, 200, photograph)},
		{"charts", many(random, 200, chart)},
	}
}

// singles are letters and digits, less those that look as an icon does: x is a
// cross, and v a chevron.
var singles = func() (all []string) {
	for _, r := range "abcdefghijklmnopqrstuwyzABCDEFGHIJKLMNOPQRSTUWYZ0123456789" {
		all = append(all, string(r))
	}
	return all
}()

// texts draws each text with four fonts in four sizes.
func texts(t testing.TB, random *rand.Rand, list []string) (masks []*image.Alpha) {
	t.Helper()
	for _, file := range [][]byte{goregular.TTF, gobold.TTF, goitalic.TTF, gomono.TTF} {
		parsed, err := opentype.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []float64{13, 16, 22, 32} {
			face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range list {
				masks = append(masks, written(face, text, random.Float64()))
			}
		}
	}
	return masks
}

// written draws a text, moved right by part of a pixel.
func written(face font.Face, text string, moved float64) *image.Alpha {
	box, _ := font.BoundString(face, text)
	w, h := (box.Max.X-box.Min.X).Ceil()+2, (box.Max.Y-box.Min.Y).Ceil()+2
	mask := image.NewAlpha(image.Rect(0, 0, w, h))
	d := font.Drawer{Dst: mask, Src: image.Opaque, Face: face}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6(64*moved) - box.Min.X, Y: 64 - box.Min.Y}
	d.DrawString(text)
	return mask
}

// many draws n masks.
func many(random *rand.Rand, n int, draw func(*rand.Rand) *image.Alpha) (masks []*image.Alpha) {
	for range n {
		masks = append(masks, draw(random))
	}
	return masks
}

// painted returns a mask of what is inside, 16 looks a pixel.
func painted(w, h int, inside func(x, y float64) bool) *image.Alpha {
	mask := image.NewAlpha(image.Rect(0, 0, w, h))
	for i := range mask.Pix {
		sum := 0
		for k := range 16 {
			if inside(float64(i%w)+(float64(k%4)+0.5)/4, float64(i/w)+(float64(k/4)+0.5)/4) {
				sum++
			}
		}
		mask.Pix[i] = uint8(sum * 255 / 16)
	}
	return mask
}

// rectangle is filled or a frame, with corners that may be round.
func rectangle(random *rand.Rand) *image.Alpha {
	w, h := 8+random.IntN(56), 8+random.IntN(56)
	round, line := random.Float64()*float64(min(w, h))/3, 1+random.Float64()*2
	if random.IntN(3) == 0 {
		line = 100
	}
	return painted(w+2, h+2, func(x, y float64) bool {
		dx := math.Abs(x-1-float64(w)/2) - float64(w)/2 + round
		dy := math.Abs(y-1-float64(h)/2) - float64(h)/2 + round
		out := math.Hypot(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - round
		return out <= 0 && out >= -line
	})
}

// ring may be so thick that it is a disc.
func ring(random *rand.Rand) *image.Alpha {
	n := 8 + random.IntN(40)
	radius := float64(n) / 2
	hole := radius - 1 - random.Float64()*4
	if random.IntN(3) == 0 {
		hole = 0
	}
	return painted(n+2, n+2, func(x, y float64) bool {
		r := math.Hypot(x-1-radius, y-1-radius)
		return r <= radius && r >= hole
	})
}

func noise(random *rand.Rand) *image.Alpha {
	n := 10 + random.IntN(30)
	mask := image.NewAlpha(image.Rect(0, 0, n, n))
	for i := range mask.Pix {
		mask.Pix[i] = uint8(random.IntN(256))
	}
	return mask
}

// photograph is a sum of waves, in a circle at times as faces are.
func photograph(random *rand.Rand) *image.Alpha {
	n := 16 + random.IntN(48)
	mask := image.NewAlpha(image.Rect(0, 0, n, n))
	var waves [6][3]float64
	for i := range waves {
		waves[i] = [3]float64{random.NormFloat64() * 6 / float64(n), random.NormFloat64() * 6 / float64(n), random.Float64() * 7}
	}
	circle := random.IntN(2) == 0
	for i := range mask.Pix {
		x, y, sum := float64(i%n), float64(i/n), 0.0
		for _, k := range waves {
			sum += math.Sin(k[0]*x + k[1]*y + k[2])
		}
		if half := float64(n) / 2; !circle || math.Hypot(x+0.5-half, y+0.5-half) < half {
			mask.Pix[i] = uint8(min(255, max(0, 150+sum*50)))
		}
	}
	return mask
}

// chart is a piece of a line that goes up and down.
func chart(random *rand.Rand) *image.Alpha {
	w, h := 16+random.IntN(40), 12+random.IntN(36)
	heights := make([]float64, 3+random.IntN(6))
	for i := range heights {
		heights[i] = random.Float64() * float64(h)
	}
	thick, area := 0.8+random.Float64(), random.IntN(3) == 0
	return painted(w, h, func(x, y float64) bool {
		at := x / float64(w) * float64(len(heights)-1)
		i := min(int(at), len(heights)-2)
		line := heights[i] + (heights[i+1]-heights[i])*(at-float64(i))
		steep := (heights[i+1] - heights[i]) * float64(len(heights)-1) / float64(w)
		return math.Abs(y-line) < thick*math.Hypot(1, steep) || area && y > line
	})
}
