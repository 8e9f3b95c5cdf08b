package textline_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"slices"
	"testing"

	"github.com/disintegration/imaging"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/calm"
)

var (
	pink   = color.NRGBA{225, 29, 72, 255}
	violet = color.NRGBA{124, 58, 237, 255}
	slate  = color.NRGBA{133, 135, 150, 255}
)

// compressed returns a picture after JPEG, without its ripples.
func compressed(t *testing.T, img *image.NRGBA, quality int) *image.NRGBA {
	t.Helper()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	decoded, err := jpeg.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewNRGBA(img.Rect)
	draw.Draw(out, out.Rect, decoded, image.Point{}, draw.Src)
	if err := calm.Calm(t.Context(), out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// centred writes bold text in the middle of a box, and returns where.
func centred(img *image.NRGBA, in image.Rectangle, em float64, text string) image.Rectangle {
	pen := testkit.Pen{Em: em, Ink: white, Font: gobold.TTF}
	size := union(pen.Write(testkit.Canvas(200, 100, white), 10, 60, text))
	return union(pen.Write(img, in.Min.X+(in.Dx()-size.Dx())/2, in.Min.Y+(in.Dy()+size.Dy())/2, text))
}

// The letters of avatars and pills are lines, though compression broke the outlines of these and made what fills them uneven.
func TestCompressedPills(t *testing.T) {
	t.Parallel()
	for _, c := range []color.NRGBA{pink, violet} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(420, 420, white)
			words := map[image.Rectangle]image.Rectangle{} // by what they stand in
			for row := range 9 {
				y := 12 + 45*row
				avatar, pill := image.Rect(21, y, 49, y+28), image.Rect(203, y+5, 262, y+25)
				round(img, avatar, 14, c)
				round(img, pill, 10, c)
				words[avatar], words[pill] = centred(img, avatar, 12, "YD"), centred(img, pill, 11, "Paused")
			}
			lines := find(t, compressed(t, img, 80)).Lines
			for pill, word := range words {
				in := slices.DeleteFunc(boxes(lines), func(b image.Rectangle) bool { return !b.Overlaps(word) })
				if len(in) != 1 || pill.Inset(3).In(in[0]) {
					t.Errorf("the word at %v in %v is in the lines %v", word, pill, in)
				}
			}
		})
	}
}

// The figure of a badge is a line, though the badge touches the icon on which it stands, wherever the blocks of compression are.
func TestBadgesOnIcons(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"3", "5", "7"} {
		for down := range 8 {
			t.Run(fmt.Sprint(text, " moved by ", down), func(t *testing.T) {
				t.Parallel()
				img := testkit.Canvas(200, 80, white)
				at := image.Pt(2, down)
				round(img, image.Rect(60, 26, 82, 48).Add(at), 8, slate)
				badge := image.Rect(74, 18, 90, 34).Add(at)
				round(img, badge, 8, pink)
				word := centred(img, badge, 10, text)
				lines := boxes(find(t, compressed(t, img, 80)).Lines)
				if !slices.ContainsFunc(lines, func(b image.Rectangle) bool { return near(b, word, 3) }) {
					t.Errorf("the lines are %v, want one at %v", lines, word)
				}
			})
		}
	}
}

// A large and a small line beside an icon are lines of their own, though their letters touch where they were compressed.
func TestLinesBesideIcons(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(240, 120, white)
	icon := image.Rect(56, 44, 84, 72)
	outlined(img, icon, 14, 3, violet, white)
	glyph := func(x0, y0, x1, y1 int) image.Rectangle {
		r := image.Rect(x0, y0, x1, y1)
		draw.Draw(img, r, image.NewUniform(slate), image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(x0+3, y0, x1-3, y1-3), image.White, image.Point{}, draw.Src) // as a U
		return r
	}
	number := glyph(100, 40, 126, 58)
	label := union([]image.Rectangle{glyph(100, 67, 108, 77), glyph(110, 67, 124, 77), glyph(126, 66, 143, 77)})
	lines := boxes(find(t, img).Lines)
	for _, want := range []image.Rectangle{number, label} {
		if !slices.ContainsFunc(lines, func(b image.Rectangle) bool { return near(b, want, 2) }) {
			t.Errorf("the lines are %v, want one at %v", lines, want)
		}
	}
}

// A zero with a stroke in it is a letter, at any size, and no badge with the two halves of its middle.
func TestStruckZeros(t *testing.T) {
	t.Parallel()
	for em := 9.0; em <= 30; em += 0.5 {
		t.Run(fmt.Sprint(em), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(200, 60, white)
			testkit.Pen{Em: em, Font: gomono.TTF}.Write(img, 20, 40, "14:2031")
			if lines := find(t, imaging.Resize(img, 300, 90, imaging.CatmullRom)).Lines; len(lines) != 1 {
				t.Errorf("lines %v", boxes(lines))
			}
		})
	}
}

// Underscores that touch are of their word, at any size, and no rule.
func TestTouchingUnderscores(t *testing.T) {
	t.Parallel()
	for em := 12.0; em <= 34; em++ {
		t.Run(fmt.Sprint(em), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(600, 100, white)
			word := union(testkit.Pen{Em: em, Font: gomono.TTF}.Write(img, 20, 60, "__init__now"))
			if lines := find(t, img).Lines; len(lines) != 1 || !word.Inset(2).In(lines[0].Box) {
				t.Errorf("lines %v of %v", boxes(lines), word)
			}
		})
	}
}
