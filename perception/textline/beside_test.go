package textline_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/image/font/gofont/gomono"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
)

// disc draws a filled circle with a gradient in it, as avatars have.
func disc(img *image.NRGBA, x, y, radius int) {
	for dy := -radius; dy <= radius; dy++ {
		for dx := -radius; dx <= radius; dx++ {
			if dx*dx+dy*dy <= radius*radius {
				img.SetNRGBA(x+dx, y+dy, color.NRGBA{uint8(60 + 3*dx), uint8(90 + 2*dy), 200, 255})
			}
		}
	}
}

// A picture beside a label, however close and large, is not of its line: the line is as high as the letters.
func TestPictureBesideALabel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		draw func(img *image.NRGBA)
	}{
		{"an avatar of twice the letters' height", func(img *image.NRGBA) { disc(img, 84, 95, 12) }},
		{"a photo below the end", func(img *image.NRGBA) {
			r := rand.New(rand.NewPCG(5, 6))
			for y := range 40 {
				for x := range 40 {
					v := uint8(40*(y/9+x/7)%200 + r.IntN(30))
					img.SetNRGBA(115+x, 106+y, color.NRGBA{v, v / 2, 255 - v, 255})
				}
			}
		}},
		{"the mark of the chosen entry", func(img *image.NRGBA) {
			outlined(img, image.Rect(75, 88, 90, 102), 4, 2, black, white)
			for y := range 35 {
				inset := max(6-y, y-28, 0)
				draw.Draw(img, image.Rect(62+inset, 78+y, 73, 79+y), &image.Uniform{color.NRGBA{37, 99, 235, 255}}, image.Point{}, draw.Src)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img := testkit.Canvas(400, 200, white)
			tt.draw(img)
			text := union(testkit.Pen{Em: 14, Ink: black}.Write(img, 100, 100, "Bullock"))
			lines := find(t, img)
			if !slices.ContainsFunc(boxes(lines), func(b image.Rectangle) bool { return near(b, text, 2) }) {
				t.Errorf("no line is as the text, %v: %v", text, boxes(lines))
			}
		})
	}
}

// A label right below a picture is a line of its own where a glow joins its letters, which are then as wide as a dash.
func TestLabelBelowAPicture(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"Fonts", "Unsorted"} {
		t.Run(label, func(t *testing.T) {
			img := testkit.Canvas(200, 160, color.NRGBA{180, 200, 210, 255})
			disc(img, 100, 70, 24)
			for i := range 9 {
				testkit.Pen{Em: 10, Ink: white}.Write(img, 99-3*len(label)+i%3, 103+i/3, label)
			}
			text := union(testkit.Pen{Em: 10, Ink: black}.Write(img, 100-3*len(label), 104, label))
			lines := find(t, img)
			if !slices.ContainsFunc(boxes(lines), func(b image.Rectangle) bool { return near(b, text, 2) }) {
				t.Errorf("no line is as the text, %v: %v", text, boxes(lines))
			}
		})
	}
}

// So are words narrower than the picture, of which one may be too narrow for a dash.
func TestWordsBelowAPicture(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		radius int // of the picture
		words  []image.Rectangle
	}{
		{"one word", 24, []image.Rectangle{image.Rect(87, 105, 113, 113)}},
		{"a short one behind", 20, []image.Rectangle{image.Rect(71, 101, 110, 109), image.Rect(115, 101, 128, 109)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img := testkit.Canvas(200, 160, color.NRGBA{180, 200, 210, 255})
			disc(img, 100, 76, tt.radius)
			for _, w := range tt.words { // strokes as close as letters that touch
				for x := w.Min.X; x < w.Max.X; x += 2 {
					draw.Draw(img, image.Rect(x, w.Min.Y, x+1, w.Max.Y), image.Black, image.Point{}, draw.Src)
				}
			}
			lines := find(t, img)
			if !slices.ContainsFunc(boxes(lines), func(b image.Rectangle) bool { return near(b, union(tt.words), 2) }) {
				t.Errorf("no line is as the words, %v: %v", union(tt.words), boxes(lines))
			}
		})
	}
}

// Letters that differ less from their ground than their shadow does are the ink of the turned patch.
func TestTurnedPatch(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(300, 80, color.NRGBA{190, 190, 190, 255})
	testkit.Pen{Em: 20, Ink: black}.Write(img, 21, 51, "Hold it")
	letters := union(testkit.Pen{Em: 20, Ink: white}.Write(img, 20, 50, "Hold it"))
	p := find(t, img)[0].Patch(img)
	turned := p.Turned()
	if turned == nil {
		t.Fatal("it has no shadow")
	}
	count := func(p *textline.Patch) (light, dark int) {
		for i, v := range p.Ink {
			at := p.Origin.Add(image.Pt(i%p.Width, i/p.Width))
			if v > 128 && at.In(img.Rect) {
				if img.NRGBAAt(at.X, at.Y).R > 190 {
					light++
				} else {
					dark++
				}
			}
		}
		return light, dark
	}
	if light, dark := count(p); light > 0 || dark == 0 {
		t.Errorf("the ink has %d light and %d dark pixels, want the dark ones alone", light, dark)
	}
	if light, dark := count(turned); dark > 0 || light < letters.Dx() {
		t.Errorf("the ink of the turned patch has %d light and %d dark pixels, want the light ones alone", light, dark)
	}
	plain := testkit.Canvas(300, 80, white)
	testkit.Pen{Em: 20, Ink: black}.Write(plain, 20, 50, "Hold it")
	if find(t, plain)[0].Patch(plain).Turned() != nil {
		t.Error("text without a shadow has one")
	}
}

// A quote below a g is of the line that it stands on, and no letter of that is of the line above.
func TestQuoteUnderATail(t *testing.T) {
	t.Parallel()
	for _, pitch := range []int{16, 17, 18} {
		t.Run(fmt.Sprint(pitch), func(t *testing.T) {
			img := testkit.Canvas(300, 80, white)
			pen := testkit.Pen{Em: 13, Font: gomono.TTF}
			above := union(pen.Write(img, 40, 30, "a dog going gone"))
			lower := union(pen.Write(img, 40, 30+pitch, "use a `b'"))
			got := find(t, img)
			for _, l := range got {
				if l.Box.Overlaps(above.Inset(2)) && l.Box.Max.Y > above.Max.Y+1 || l.Box.Overlaps(lower.Inset(3)) && l.Box.Min.Y < above.Max.Y-3 {
					t.Errorf("lines %v, want what is in %v apart from %v", boxes(got), above, lower)
				}
			}
		})
	}
}

// Letters that hardly differ from their ground are the ink of what stands out from the shadow around them; what is between
// letters without a shadow is not.
func TestStoodPatch(t *testing.T) {
	t.Parallel()
	pale, shade := color.NRGBA{240, 240, 240, 255}, color.NRGBA{100, 100, 100, 255}
	img := testkit.Canvas(300, 80, color.NRGBA{224, 224, 224, 255})
	for _, by := range []image.Point{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		testkit.Pen{Em: 20, Ink: shade}.Write(img, 20+by.X, 50+by.Y, "Hold it")
	}
	letters := union(testkit.Pen{Em: 20, Ink: pale}.Write(img, 20, 50, "Hold it"))
	stood := find(t, img)[0].Patch(img).Stood()
	if stood == nil {
		t.Fatal("nothing stands out")
	}
	light, dark := 0, 0
	for i, v := range stood.Ink {
		at := stood.Origin.Add(image.Pt(i%stood.Width, i/stood.Width))
		switch {
		case v <= 128 || !at.In(img.Rect):
		case img.NRGBAAt(at.X, at.Y).R > 150:
			light++
		default:
			dark++
		}
	}
	if light < letters.Dx() || dark > 0 {
		t.Errorf("the ink has %d light and %d dark pixels, want the light ones alone", light, dark)
	}
	plain := testkit.Canvas(300, 80, white)
	testkit.Pen{Em: 20, Ink: black}.Write(plain, 20, 50, "Hold it")
	if find(t, plain)[0].Patch(plain).Stood() != nil {
		t.Error("something stands out of text without a shadow")
	}
}

// Letters are on one line where the ground around every other one is darker and between them it is not, as in the soft shadow of a
// label, and are apart where it is darker from there on.
func TestLineInASoftShadow(t *testing.T) {
	t.Parallel()
	const lightness, darker, soft, from, pitch, foot = 210, 54, 4, 40, 22, 40
	for name, c := range map[string]struct{ high, lines int }{ // of what is between them, in pixels
		"shadow":  {14, 1},
		"grounds": {-2 * foot, 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(200, 60, white)
			each(img, func(x, y int, p *color.NRGBA) {
				along := (x - from + 10*pitch + 6) % (2 * pitch)
				aside := max(0, min(along, pitch+soft-along, soft))
				beyond := max(0, min(soft, max(foot-14-y, y-foot)+(14-c.high)/2+soft/2))
				v := uint8(lightness - darker*aside*beyond/(soft*soft))
				*p = color.NRGBA{v, v, v, 255}
			})
			for n := range 6 {
				testkit.Pen{Ink: black, Em: 20}.Write(img, from+n*pitch, foot, "H")
			}
			if got := boxes(find(t, img)); len(got) != c.lines {
				t.Errorf("%d lines, want %d: %v", len(got), c.lines, got)
			}
		})
	}
}
