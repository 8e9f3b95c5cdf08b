package textline_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/disintegration/imaging"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/calm"
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

// Of letters with a shadow, the letters are the ink of the patch, even if the shadow differs more from the ground. The shadow is
// the ink of the turned patch.
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
	if light, dark := count(p); dark > 0 || light < letters.Dx() {
		t.Errorf("the ink has %d light and %d dark pixels, want the light ones alone", light, dark)
	}
	if light, dark := count(turned); light > 0 || dark == 0 {
		t.Errorf("the ink of the turned patch has %d light and %d dark pixels, want the dark ones alone", light, dark)
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

// A word of which a letter touches a word of the next line keeps the letter.
func TestTailThatTouches(t *testing.T) {
	t.Parallel()
	pen := testkit.Pen{Em: 20, Font: gomono.TTF}
	for _, text := range []string{"current", "planned", "installed"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(300, 120, white)
			above := union(pen.Write(img, 24, 40, "battery"))
			at := union(pen.Write(testkit.Canvas(300, 120, white), 24, 60, text))
			below := union(pen.Write(img, 24, 60+above.Max.Y-at.Min.Y, text))
			checkFound(t, []image.Rectangle{above, below}, find(t, img))
		})
	}
}

// A colon as high as the small letters beside it stays with them where cells are wide.
func TestColonOfSmallLetters(t *testing.T) {
	t.Parallel()
	for em := 9; em < 24; em++ {
		t.Run(fmt.Sprint(em), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(300, 80, white)
			word := union(testkit.Pen{Em: float64(em), Font: gomono.TTF}.Write(img, 20, 40, "name:"))
			checkFound(t, []image.Rectangle{word}, find(t, img))
		})
	}
}

// A letter below the end of an upright rule is no part of it, though its stem is in the same column.
func TestLetterBelowARule(t *testing.T) {
	t.Parallel()
	for _, em := range []float64{13, 14, 15, 16} {
		t.Run(fmt.Sprint(em), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(200, 140, black)
			round(img, image.Rect(3, 0, 200, 100), 0, color.NRGBA{0, 0, 205, 255})
			word := writeAt(img, testkit.Pen{Em: em, Font: gomono.TTF, Ink: cyan}, 3, 116, "Hint")
			img, words := scaled(img, 1.5, word)
			checkFound(t, words, find(t, img))
		})
	}
}

// Letters that touch the foot of a field are whole.
func TestTextInATightField(t *testing.T) {
	t.Parallel()
	for em := 11; em < 15; em++ {
		t.Run(fmt.Sprint(em), func(t *testing.T) {
			t.Parallel()
			ground, dark := color.NRGBA{176, 178, 196, 255}, color.NRGBA{90, 92, 110, 255}
			img := testkit.Canvas(400, 60, ground)
			field := image.Rect(20, 20, 380, 26+em)
			round(img, image.Rect(20, 20, 380, 21), 0, dark)
			round(img, image.Rect(20, 20, 21, field.Max.Y), 0, dark)
			round(img, image.Rect(379, 20, 380, field.Max.Y), 0, white)
			word := writeAt(img, testkit.Pen{Em: float64(em), Ink: black}, 30, field.Max.Y-4, "paging your grasp")
			word.Max.Y = field.Max.Y - 1
			round(img, image.Rect(20, word.Max.Y, 380, field.Max.Y), 0, white)
			round(img, image.Rect(20, field.Max.Y, 380, 60), 0, ground)
			checkFound(t, []image.Rectangle{word}, find(t, img))
		})
	}
}

var (
	cream = color.NRGBA{252, 246, 234, 255}
	pale  = color.NRGBA{224, 205, 170, 255}
)

// scaled returns a picture and boxes on it, scaled as a picture is on its way.
func scaled(img *image.NRGBA, by float64, boxes ...image.Rectangle) (*image.NRGBA, []image.Rectangle) {
	at := func(v int) int { return int(float64(v) * by) }
	for i, b := range boxes {
		boxes[i] = image.Rect(at(b.Min.X), at(b.Min.Y), at(b.Max.X), at(b.Max.Y))
	}
	return imaging.Resize(img, at(img.Rect.Dx()), 0, imaging.Linear), boxes
}

// The words of two buttons beside each other are apart, though of their pale frames hardly anything is left.
func TestPaleButtons(t *testing.T) {
	t.Parallel()
	for _, scale := range []float64{1, 1.1, 1.5} {
		t.Run(fmt.Sprint("x", scale), func(t *testing.T) {
			img := testkit.Canvas(420, 90, cream)
			var words []image.Rectangle
			for i, text := range []string{"Discard", "Send as table"} {
				frame := image.Rect(20+100*i, 20, 112+160*i, 54)
				outlined(img, frame, 7, 1, pale, cream)
				words = append(words, union(testkit.Pen{Em: 15}.Write(img, frame.Min.X+16, 42, text)))
			}
			img, words = scaled(img, scale, words...)
			checkApart(t, "the buttons", words, find(t, img))
		})
	}
}

// Letters that touch the sides of the cells that they stand in are lines.
func TestCellsOfLetters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		cell       image.Rectangle
	}{
		{"a key", "GK", image.Rect(40, 20, 61, 38)},
		{"a name", "Help", image.Rect(40, 20, 110, 38)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img := testkit.Canvas(200, 80, black)
			round(img, tt.cell, 0, cream)
			words := []image.Rectangle{union(testkit.Pen{Em: 15, Ink: black, Font: gomono.TTF}.Write(img, tt.cell.Min.X-1, 33, tt.text))}
			round(img, image.Rect(0, 20, tt.cell.Min.X, 38), 0, black) // what the cell does not show
			img, words = scaled(img, 0.9, words...)
			checkApart(t, "the cell", words, find(t, img))
		})
	}
}

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

// A zero with a stroke in it is a letter, at any size, and no badge with the two halves of its middle.
func TestStruckZeros(t *testing.T) {
	t.Parallel()
	for em := 9.0; em <= 30; em += 0.5 {
		t.Run(fmt.Sprint(em), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(200, 60, white)
			testkit.Pen{Em: em, Font: gomono.TTF}.Write(img, 20, 40, "14:2031")
			if lines := find(t, imaging.Resize(img, 300, 90, imaging.CatmullRom)); len(lines) != 1 {
				t.Errorf("lines %v", boxes(lines))
			}
		})
	}
}

// checkApart fails the test unless each word is in a line that holds no other.
func checkApart(t *testing.T, name string, words []image.Rectangle, lines []textline.Line) {
	t.Helper()
	for _, w := range words {
		n := 0
		for _, l := range lines {
			if l.Box.Overlaps(w) && l.Box.Dx()*l.Box.Dy() > 12 {
				n++
				if !l.Box.In(w.Inset(-3)) {
					t.Errorf("%s: the word at %v is in a line of %v", name, w, l.Box)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: the word at %v is in %d of the lines %v", name, w, n, boxes(lines))
		}
	}
}

// The keys and the names of a key bar, as programs in terminals have at the bottom, are apart.
func TestKeyBar(t *testing.T) {
	t.Parallel()
	dark := color.NRGBA{30, 30, 30, 255}
	for name, key := range map[string]color.NRGBA{"keys on blue": blue, "keys on the ground": dark} {
		t.Run(name, func(t *testing.T) {
			img := testkit.Canvas(500, 60, dark)
			round(img, image.Rect(0, 30, 500, 48), 0, color.NRGBA{0, 205, 205, 255})
			var words []image.Rectangle
			for i, name := range []string{"Help", "Menu", "View", "Edit", "Copy"} {
				tile := image.Rect(100*i, 30, 100*i+18, 48)
				round(img, tile, 0, key)
				words = append(words, union(testkit.Pen{Em: 14, Ink: white}.Write(img, tile.Min.X+7, 44, fmt.Sprint(i+2))))
				words = append(words, union(testkit.Pen{Em: 14, Ink: black}.Write(img, tile.Max.X, 44, name)))
			}
			checkApart(t, "the bar", words, find(t, img))
		})
	}
}

// In large text dashes are no tiles, though they are as long and as high as tiles beside small text.
func TestDashesOfLargeText(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(1000, 420, white)
	texts := []string{"-rw-r--r--", "drwx------", "-rwxr-xr-x", "-rw-r-----"}
	var modes []image.Rectangle
	for i, text := range texts {
		modes = append(modes, union(testkit.Pen{Em: 68, Ink: black}.Write(img, 40, 80+100*i, text)))
		testkit.Pen{Em: 68, Ink: black}.Write(img, 480, 80+100*i, "mara garden")
	}
	lines := find(t, imaging.Blur(img, 1))
	for i, mode := range modes {
		if !slices.ContainsFunc(lines, func(l textline.Line) bool { return mode.Inset(4).In(l.Box) }) {
			t.Errorf("no line has all of %q, at %v", texts[i], mode)
		}
	}
}

// Lines stay apart where letters of one touch those of the next, and where the dots of one stand right under
// the tails of the other.
func TestLinesThatTouch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first, second string
		font          []byte
		em            float64
		pitch         int
	}{
		{"say grog here please", "the lilt of all hills", goregular.TTF, 16, 15},
		{"jaggy fog", "in its mini tiling", goregular.TTF, 16, 18},
		{"jaggy fog", "in its mini tiling", gomono.TTF, 23, 26},
		{"tar.gz qy", "282353 i'm", gomono.TTF, 23, 26},
	} {
		t.Run(fmt.Sprint(tt.second, tt.em), func(t *testing.T) {
			img := testkit.Canvas(400, 120, white)
			pen := testkit.Pen{Em: tt.em, Font: tt.font}
			one := union(pen.Write(img, 20, 40, tt.first))
			two := union(pen.Write(img, 20, 40+tt.pitch, tt.second))
			for _, l := range find(t, img) {
				if l.Box.Min.Y < one.Max.Y-8 && l.Box.Max.Y > two.Min.Y+8 {
					t.Errorf("a line at %v is of both, %v and %v", l.Box, one, two)
				}
			}
		})
	}
}

// Capitals that nearly fill a row of another colour are no sides of tiles, though their blur touches the edges of the row
// where a screen was enlarged.
func TestCapitalsInARow(t *testing.T) {
	t.Parallel()
	for _, font := range [][]byte{gomono.TTF, goregular.TTF} {
		for em := 12; em <= 15; em++ {
			img := testkit.Canvas(400, 100, black)
			row := image.Rect(0, 30, 400, 33+em)
			round(img, row, 0, color.NRGBA{0, 205, 0, 255})
			var words []image.Rectangle
			for i, text := range []string{"PID", "HELP", "FILE", "PRINT"} {
				word := union(testkit.Pen{Em: float64(em), Font: font, Ink: black}.Write(img, 16+90*i, row.Max.Y-2, text))
				words = append(words, word)
			}
			t.Run(fmt.Sprint(em), func(t *testing.T) {
				img, words := scaled(img, 1.5, words...)
				checkFound(t, words, find(t, img))
			})
		}
	}
}

// round draws a filled box with rounded corners, smooth as browsers draw it.
func round(img *image.NRGBA, r image.Rectangle, radius float64, c color.NRGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			px, py := float64(x)+0.5, float64(y)+0.5
			dx := px - min(max(px, float64(r.Min.X)+radius), float64(r.Max.X)-radius)
			dy := py - min(max(py, float64(r.Min.Y)+radius), float64(r.Max.Y)-radius)
			cover := min(max(radius+0.5-math.Hypot(dx, dy), 0), 1)
			if radius == 0 {
				cover = 1
			}
			p := color.NRGBA{A: uint8(255 * cover), R: c.R, G: c.G, B: c.B}
			draw.Draw(img, image.Rect(x, y, x+1, y+1), image.NewUniform(p), image.Point{}, draw.Over)
		}
	}
}

// outlined draws a box with a border of the given width.
func outlined(img *image.NRGBA, r image.Rectangle, radius float64, border int, c, inside color.NRGBA) {
	round(img, r, radius, c)
	round(img, r.Inset(border), max(0, radius-float64(border)), inside)
}

// Letters that hang into an underline are not lost in it.
func TestUnderlinedLetters(t *testing.T) {
	t.Parallel()
	for _, em := range []float64{12, 15, 20, 30} {
		img := testkit.Canvas(400, 100, white)
		want := union(testkit.Pen{Em: em, Ink: blue}.Write(img, 40, 53, "Typing jogs"))
		round(img, image.Rect(40, 55, want.Max.X, 56), 0, blue)
		want.Max.Y = 55
		lines := find(t, img)
		glyphs := 0
		for _, l := range lines {
			glyphs += len(l.Glyphs)
		}
		if em >= 20 && glyphs < 6 { // a shorter rule looks like a letter's edge
			t.Errorf("%g px: %d glyphs; the rule holds them together", em, glyphs)
		}
		if got := union(boxes(lines)); !near(got, want, 2) && !near(got, union([]image.Rectangle{want, want.Add(image.Pt(0, int(em/4)))}), 2) {
			t.Errorf("%g px: lines in %v, want %v, with or without what hangs lower", em, got, want)
		}
	}
}

// Letters with closed outlines are letters.
func TestRoundLettersAreNoShapes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"OOO", "D8", "BOB", "@", "868", "Q8", "oo"} {
		for _, em := range []float64{12, 16, 24, 40, 60} {
			img := testkit.Canvas(300, 120, white)
			want := union(testkit.Pen{Em: em}.Write(img, 30, 80, text))
			if got := find(t, img); len(got) == 0 || !near(got[0].Box, want, 2) {
				t.Errorf("%s %g px: lines %v, want a line at %v", text, em, boxes(got), want)
			}
		}
	}
}

// What is left of rules that cross beside two labels, between them, is no letter of theirs. A large thin letter is one.
func TestCrossingsAreNoGlyphs(t *testing.T) {
	t.Parallel()
	grey := color.NRGBA{R: 90, G: 95, B: 105, A: 255}
	for name, r := range map[string]image.Rectangle{"a corner": image.Rect(20, 40, 50, 74), "a crossing": image.Rect(20, 24, 50, 56)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screen := testkit.Canvas(300, 100, color.White)
			testkit.Pen{Em: 14}.Write(screen, 34, 34, "Time zone")
			testkit.Pen{Em: 14}.Write(screen, 34, 60, "Next reading")
			draw.Draw(screen, image.Rect(20, 41, 46, 42), image.NewUniform(grey), image.Point{}, draw.Src)
			draw.Draw(screen, image.Rect(20, r.Min.Y, 21, r.Max.Y), image.NewUniform(grey), image.Point{}, draw.Src)
			if lines := find(t, screen); len(lines) != 2 {
				t.Errorf("%v", boxes(lines))
			}
		})
	}
	screen := testkit.Canvas(300, 100, color.White)
	testkit.Pen{Em: 60}.Write(screen, 20, 70, "LT")
	if lines := find(t, screen); len(lines) != 1 {
		t.Errorf("large letters: %v", boxes(lines))
	}
}

var (
	cyan = color.NRGBA{0, 205, 205, 255}
)

// writeAt writes a word whose ink begins at x, and returns where it is.
func writeAt(img *image.NRGBA, pen testkit.Pen, x, y int, text string) image.Rectangle {
	at := union(pen.Write(testkit.Canvas(300, 60, white), 20, 40, text))
	return union(pen.Write(img, x+20-at.Min.X, y, text))
}

// checkFound fails the test unless each word is in a line that begins and ends where it does, to two pixels, whatever else is beside.
func checkFound(t *testing.T, words []image.Rectangle, lines []textline.Line) {
	t.Helper()
	for _, w := range words {
		if !slices.ContainsFunc(lines, func(l textline.Line) bool { return near(l.Box, w, 2) }) {
			t.Errorf("the word at %v is no line; there are %v", w, boxes(lines))
		}
	}
}

// Words that differ from their ground in colour alone have ink, beside others that are far brighter.
func TestHues(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(500, 80, color.NRGBA{43, 43, 43, 255})
	blue := writeAt(img, testkit.Pen{Em: 15, Font: gobold.TTF, Ink: color.NRGBA{0, 0, 205, 255}}, 20, 40, "2030")
	pen := testkit.Pen{Em: 15, Font: gobold.TTF, Ink: white}
	writeAt(img, pen, blue.Max.X+8, 40, "Remove from list")
	for _, l := range find(t, img) {
		p := l.Patch(img)
		for x := max(blue.Min.X, p.Origin.X); x < min(blue.Max.X, p.Origin.X+p.Width); x++ {
			for y := range p.Height {
				if p.Ink[y*p.Width+x-p.Origin.X] > 200 && l.Box.Dx() > 100 {
					return
				}
			}
		}
	}
	t.Error("blue letters have no ink in a line with white ones")
}

// A line is cut beside an icon, a caret or a bracket that is much higher than its letters, and behind what may be an icon at its
// beginning.
func TestApartBesideIcons(t *testing.T) {
	t.Parallel()
	letters := func(x int) (list []image.Rectangle) {
		for i := range 5 {
			list = append(list, image.Rect(x+9*i, 20, x+7+9*i, 30))
		}
		return list
	}
	for name, c := range map[string]struct {
		glyphs []image.Rectangle
		parts  int
	}{
		"an icon":       {append([]image.Rectangle{image.Rect(0, 15, 16, 35)}, letters(19)...), 2},
		"a small icon":  {append([]image.Rectangle{image.Rect(0, 18, 13, 31)}, letters(16)...), 2},
		"a caret":       {append(append(letters(0), image.Rect(47, 15, 64, 34)), letters(66)...), 3},
		"letters alone": {letters(0), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if parts := textline.LineOf(c.glyphs...).Apart(); len(parts) != c.parts {
				t.Errorf("%d parts %v, want %d", len(parts), boxes(parts), c.parts)
			}
		})
	}
}

// The paper between a window's edge and a text right below it is no line through that text, though all of it is between
// things.
func TestTextAtTheTopOfAWindow(t *testing.T) {
	t.Parallel()
	for gap := 1; gap <= 5; gap++ {
		t.Run(fmt.Sprint(gap), func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(600, 120, black)
			round(img, image.Rect(40, 10, 560, 110), 0, color.NRGBA{R: 210, G: 210, B: 210, A: 255})
			round(img, image.Rect(40, 31, 560, 110), 0, white)
			want := union(testkit.Pen{Em: 15, Font: gomono.TTF}.Write(img, 48, 31+gap+11, "Dear Ada"))
			if lines := find(t, img); !near(union(boxes(lines)), want, 2) {
				t.Errorf("lines %v, want %v", boxes(lines), want)
			}
		})
	}
}
