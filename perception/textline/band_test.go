package textline_test

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
	"github.com/windieos/windie/perception/textmap"
)

// rowOf returns the row of text around words with capitals that are capital pixels high and stand on a
// baseline, as a map of text finds it.
func rowOf(words []image.Rectangle, baseline, capital int) image.Rectangle {
	all := union(words)
	return image.Rect(all.Min.X, baseline-capital*105/100, all.Max.X, baseline+capital*28/100)
}

// findIn returns the lines in rows of a screen.
func findIn(t *testing.T, screen *image.NRGBA, rows ...image.Rectangle) []textline.Line {
	t.Helper()
	var list []textmap.Row
	for _, r := range rows {
		list = append(list, textmap.Row{Box: r})
	}
	lines, err := textline.Find(t.Context(), screen, list)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func fill(img *image.NRGBA, box image.Rectangle, c color.NRGBA) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			img.SetNRGBA(x, y, c)
		}
	}
}

func frame(img *image.NRGBA, box image.Rectangle, c color.NRGBA) {
	fill(img, image.Rect(box.Min.X, box.Min.Y, box.Max.X, box.Min.Y+1), c)
	fill(img, image.Rect(box.Min.X, box.Max.Y-1, box.Max.X, box.Max.Y), c)
	fill(img, image.Rect(box.Min.X, box.Min.Y, box.Min.X+1, box.Max.Y), c)
	fill(img, image.Rect(box.Max.X-1, box.Min.Y, box.Max.X, box.Max.Y), c)
}

// The words of a row are one line whose box is theirs, whatever is drawn around them.
func TestFindInARow(t *testing.T) {
	t.Parallel()
	const baseline, em, capital = 60, 20, 14
	for name, draw := range map[string]func(img *image.NRGBA, word image.Rectangle) (ink color.NRGBA){
		"alone": func(*image.NRGBA, image.Rectangle) color.NRGBA { return black },
		"in a frame close around them": func(img *image.NRGBA, word image.Rectangle) color.NRGBA {
			frame(img, word.Inset(-5), blue)
			return black
		},
		"in a badge": func(img *image.NRGBA, word image.Rectangle) color.NRGBA {
			fill(img, word.Inset(-6), blue)
			return white
		},
		"in a pill with round ends": func(img *image.NRGBA, word image.Rectangle) color.NRGBA {
			box := image.Rect(word.Min.X-6, word.Min.Y-6, word.Max.X+6, word.Max.Y+6)
			r := box.Dy() / 2
			for y := box.Min.Y; y < box.Max.Y; y++ {
				for x := box.Min.X; x < box.Max.X; x++ {
					dx, dy := max(box.Min.X+r-x, x-(box.Max.X-1-r), 0), y-(box.Min.Y+r)
					if dx*dx+dy*dy <= r*r {
						img.SetNRGBA(x, y, blue)
					}
				}
			}
			return white
		},
		"between the lines of a table": func(img *image.NRGBA, word image.Rectangle) color.NRGBA {
			for _, x := range []int{word.Min.X - 3, word.Max.X + 2} {
				fill(img, image.Rect(x, 0, x+1, 120), blue)
			}
			for _, y := range []int{baseline - capital - 4, baseline + 8} {
				fill(img, image.Rect(0, y, 400, y+1), blue)
			}
			return black
		},
		"at the left end of an inverse block": func(img *image.NRGBA, word image.Rectangle) color.NRGBA {
			fill(img, image.Rect(word.Min.X, baseline-capital-3, word.Max.X+60, baseline+6), blue)
			return white
		},
		"in a block as narrow as they are": func(img *image.NRGBA, word image.Rectangle) color.NRGBA {
			fill(img, image.Rect(word.Min.X, baseline-capital-3, word.Max.X, baseline+6), blue)
			return white
		},
		"underlined": func(img *image.NRGBA, word image.Rectangle) color.NRGBA {
			fill(img, image.Rect(word.Min.X, baseline+3, word.Max.X, baseline+4), black)
			return black
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			write := func(img *image.NRGBA, ink color.NRGBA) []image.Rectangle {
				return testkit.Pen{Em: em, Ink: ink, Font: gobold.TTF}.Write(img, 40, baseline, "Hidden")
			}
			word := union(write(testkit.Canvas(400, 120, white), black))
			img := testkit.Canvas(400, 120, white)
			write(img, draw(img, word))
			lines := findIn(t, img, rowOf([]image.Rectangle{word}, baseline, capital))
			if len(lines) != 1 || !near(lines[0].Box, word, 2) {
				t.Errorf("the word is at %v; found %v", word, boxes(lines))
			}
		})
	}
}

// A wide gap parts the lines of a row. A row takes no letters of the row below it, though they touch.
func TestFindInRowsThatTouch(t *testing.T) {
	t.Parallel()
	const em, capital = 20, 14
	img := testkit.Canvas(400, 120, white)
	pen := testkit.Pen{Em: em, Ink: black, Font: gobold.TTF}
	left, right := pen.Write(img, 20, 40, "jogging"), pen.Write(img, 260, 40, "days")
	below := pen.Write(img, 20, 58, "Library")
	lines := findIn(t, img, rowOf(append(left, right...), 40, capital), rowOf(below, 58, capital))
	want := []image.Rectangle{union(left), union(right), union(below)}
	if len(lines) != len(want) {
		t.Fatalf("found %v, want %v", boxes(lines), want)
	}
	for i, l := range lines {
		if !near(l.Box, want[i], 3) {
			t.Errorf("found %v, want %v", l.Box, want[i])
		}
	}
}

// An upright line that passes a row parts its cells, however close they are.
func TestFindInCells(t *testing.T) {
	t.Parallel()
	const em, capital = 20, 14
	img := testkit.Canvas(400, 120, white)
	pen := testkit.Pen{Em: em, Ink: black, Font: gobold.TTF}
	left := union(pen.Write(img, 20, 60, "12,5"))
	right := union(pen.Write(img, left.Max.X+5, 60, "summer"))
	if lines := findIn(t, img, rowOf([]image.Rectangle{left, right}, 60, capital)); len(lines) != 1 {
		t.Fatalf("found %v without a line between the words", boxes(lines))
	}
	fill(img, image.Rect(left.Max.X+2, 30, left.Max.X+3, 90), blue)
	lines := findIn(t, img, rowOf([]image.Rectangle{left, right}, 60, capital))
	if len(lines) != 2 || !near(lines[0].Box, left, 2) || !near(lines[1].Box, right, 2) {
		t.Errorf("the words are at %v and %v; found %v", left, right, boxes(lines))
	}
}

// The round corners of a small badge are not of its text.
func TestFindInABadge(t *testing.T) {
	t.Parallel()
	const em, capital = 11, 8
	pen := testkit.Pen{Em: em, Ink: white, Font: gobold.TTF}
	img := testkit.Canvas(400, 120, white)
	word := union(pen.Write(testkit.Canvas(400, 120, blue), 60, 60, "30%"))
	fill(img, image.Rect(word.Min.X-5, word.Min.Y-1, word.Max.X+5, word.Max.Y+1), blue)
	fill(img, image.Rect(word.Min.X-4, word.Min.Y-2, word.Max.X+4, word.Max.Y+2), blue)
	fill(img, image.Rect(word.Min.X-3, word.Min.Y-3, word.Max.X+3, word.Max.Y+3), blue)
	fill(img, image.Rect(word.Min.X-1, word.Min.Y-4, word.Max.X+1, word.Max.Y+4), blue)
	pen.Write(img, 60, 60, "30%")
	if lines := findIn(t, img, rowOf([]image.Rectangle{word}, 60, capital)); len(lines) != 1 || !near(lines[0].Box, word, 2) {
		t.Errorf("the word is at %v; found %v", word, boxes(lines))
	}
}

// Marks at the ends of a row are of its line, though its box ends before them.
func TestFindInWithMarks(t *testing.T) {
	t.Parallel()
	const em, capital = 20, 14
	pen := testkit.Pen{Em: em, Ink: black, Font: gobold.TTF}
	img := testkit.Canvas(400, 120, white)
	name := union(pen.Write(testkit.Canvas(400, 120, white), 50, 60, "name"))
	whole := union(pen.Write(img, 36, 60, "..name.."))
	row := rowOf([]image.Rectangle{name}, 60, capital)
	row.Min.X, row.Max.X = whole.Min.X+14, whole.Max.X-14
	if lines := findIn(t, img, row); len(lines) != 1 || !near(lines[0].Box, whole, 2) {
		t.Errorf("the word is at %v; found %v", whole, boxes(lines))
	}
}

// Rows without ink have no lines, also at the edges of the screen and beyond them.
func TestFindInBlankRows(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(100, 60, white)
	rows := []image.Rectangle{image.Rect(0, 0, 50, 12), image.Rect(60, 50, 130, 70), image.Rect(-9, -9, 4, 4), {}, image.Rect(200, 200, 240, 220)}
	if lines := findIn(t, img, rows...); len(lines) != 0 {
		t.Errorf("found %v on a blank screen", boxes(lines))
	}
	if lines := findIn(t, testkit.Canvas(1, 1, white), image.Rect(0, 0, 1, 1)); len(lines) != 0 {
		t.Errorf("found %v on one pixel", boxes(lines))
	}
}

// A bracket may begin before the row's box.
func TestFindInWithBrackets(t *testing.T) {
	t.Parallel()
	pen := testkit.Pen{Em: 16, Font: gomono.TTF}
	img := testkit.Canvas(400, 120, white)
	rest := union(pen.Write(testkit.Canvas(400, 120, white), 60, 60, "30m"))
	whole := union(pen.Write(img, 60-rest.Dx()/3, 60, "[30m"))
	if lines := findIn(t, img, rowOf([]image.Rectangle{rest}, 60, 11)); len(lines) != 1 || !near(lines[0].Box, whole, 2) {
		t.Errorf("the word is at %v; found %v", whole, boxes(lines))
	}
}

// Rows side by side are one line if no line and no wide gap is between them.
func TestFindInHalves(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		apart int // pixels between the halves
		lines int
	}{{"Type", 3, 1}, {"Type", 40, 2}} {
		img := testkit.Canvas(400, 120, white)
		pen := testkit.Pen{Em: 20}
		left := union(pen.Write(img, 40, 60, tt.text))
		right := union(pen.Write(img, left.Max.X+tt.apart, 60, tt.text))
		lines := findIn(t, img, rowOf([]image.Rectangle{left}, 60, 14), rowOf([]image.Rectangle{right}, 60, 14))
		if len(lines) != tt.lines || !near(union(boxes(lines)), left.Union(right), 2) {
			t.Errorf("%d pixels apart, %v and %v are %v", tt.apart, left, right, boxes(lines))
		}
	}
}

// A check box before a text is a line of its own, as near as another word.
func TestFindInAfterACheckBox(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(400, 120, white)
	words := testkit.Pen{Em: 14}.Write(img, 60, 60, "Keep the newest of each week")
	mark := image.Rect(words[0].Min.X-21, 46, words[0].Min.X-5, 64)
	frame(img, mark, black)
	lines := findIn(t, img, rowOf(append(words, mark), 60, 10))
	if !slices.ContainsFunc(lines, func(l textline.Line) bool { return near(l.Box, union(words), 2) }) {
		t.Errorf("the text is at %v; found %v", union(words), boxes(lines))
	}
}

// A count on an icon is found alone, where the icon touches the outline of its badge.
func TestFindInAnIcon(t *testing.T) {
	t.Parallel()
	grey, red := color.NRGBA{140, 145, 160, 255}, color.NRGBA{230, 70, 60, 255}
	img := testkit.Canvas(400, 120, white)
	fill(img, image.Rect(40, 40, 62, 56), grey)
	fill(img, image.Rect(54, 36, 70, 52), red)
	digit := union(testkit.Pen{Em: 11, Ink: white, Font: gobold.TTF}.Write(img, 59, 48, "7"))
	if lines := findIn(t, img, image.Rect(56, 37, 68, 51)); len(lines) != 1 || !near(lines[0].Box, digit, 1) {
		t.Errorf("the digit is at %v; found %v", digit, boxes(lines))
	}
}

// Letters are found that touch the outline of their disc.
func TestFindInADisc(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(400, 120, white)
	pen := testkit.Pen{Em: 13, Ink: white, Font: gobold.TTF}
	word := union(pen.Write(testkit.Canvas(400, 120, blue), 60, 60, "JM"))
	round(img, image.Rect(word.Min.X-2, word.Min.Y-6, word.Max.X+2, word.Max.Y+6), 0, blue)
	pen.Write(img, 60, 60, "JM")
	if lines := findIn(t, img, rowOf([]image.Rectangle{word}, 60, 9)); len(lines) != 1 || !near(lines[0].Box, word, 2) {
		t.Errorf("the letters are at %v; found %v", word, boxes(lines))
	}
}

// The dots of an ellipsis that is set wide belong to the line.
func TestFindInAnEllipsis(t *testing.T) {
	t.Parallel()
	const baseline, em, capital, dot = 80, 54, 39, 9
	img := testkit.Canvas(500, 120, white)
	words := testkit.Pen{Em: em, Ink: black}.Write(img, 30, baseline, "quote")
	end := union(words).Max.X
	for x := range 3 {
		d := image.Rect(0, 0, dot, dot).Add(image.Pt(end+[]int{4, 20, 35}[x], baseline-dot))
		fill(img, d, black)
		words = append(words, d)
	}
	lines := findIn(t, img, rowOf(words, baseline, capital))
	if len(lines) != 1 || !near(lines[0].Box, union(words), 2) {
		t.Errorf("the lines are %v, want one at %v", boxes(lines), union(words))
	}
}

// Level lines above and below a row make an upright stroke the side of a frame only where they meet it: not the tops of
// capitals and the foot of a letter elsewhere in the row.
func TestFindInStrokesThatEndLevel(t *testing.T) {
	t.Parallel()
	const baseline = 40
	img := testkit.Canvas(300, 80, white)
	row := image.Rect(20, 28, 160, 44)
	fill(img, image.Rect(20, 26, 70, 29), black) // level tops of capitals
	fill(img, image.Rect(20, 26, 24, baseline), black)
	fill(img, image.Rect(66, 26, 70, baseline), black)
	for x := 80; x < 150; x += 12 {
		fill(img, image.Rect(x, 26, x+3, 46), black) // strokes
	}
	fill(img, image.Rect(30, 44, 52, 46), black) // a foot
	lines := findIn(t, img, row)
	if len(lines) != 1 {
		t.Errorf("the lines are %v, want one", boxes(lines))
	}
}

// The line of a grid between two letters of a word does not cut it. Between cells, which have more room, it does.
func TestFindOnAGrid(t *testing.T) {
	t.Parallel()
	const em, baseline, capital, high = 40, 80, 28, 120
	write := func(img *image.NRGBA, x int, text string) []image.Rectangle {
		return testkit.Pen{Em: em, Ink: black}.Write(img, x, baseline, text)
	}
	plain := testkit.Canvas(400, high, white)
	word := write(plain, 40, "Cells")
	between, blank := 0, 0 // the middle of the first blank columns of the word
	for x := word[0].Min.X + 1; blank < 3; x++ {
		if blank, between = blank+1, x-1; inkIn(plain, image.Rect(x, 0, x+1, high)) {
			blank = 0
		}
	}
	img := testkit.Canvas(400, high, white)
	for _, x := range []int{between, word[0].Max.X + 10} {
		fill(img, image.Rect(x, 0, x+1, high), color.NRGBA{200, 200, 200, 255})
	}
	write(img, 40, "Cells")
	next := write(img, word[0].Max.X+20, "Next")
	lines := findIn(t, img, rowOf(append(slices.Clone(word), next...), baseline, capital))
	if len(lines) != 2 || !near(lines[0].Box, union(word), 2) || !near(lines[1].Box, union(next), 2) {
		t.Errorf("with a line at %d, found %v, want %v and %v", between, boxes(lines), word, next)
	}
}

// inkIn reports whether a pixel of a white picture is not white.
func inkIn(img *image.NRGBA, in image.Rectangle) bool {
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			if img.NRGBAAt(x, y) != white {
				return true
			}
		}
	}
	return false
}

// A check box beside a label is no letter of it.
func TestFindBesideACheckBox(t *testing.T) {
	t.Parallel()
	const em, baseline, capital = 14, 60, 10
	img := testkit.Canvas(400, 120, white)
	label := testkit.Pen{Em: em, Ink: black}.Write(img, 60, baseline, "Bullock")
	box := image.Rect(42, baseline-12, 54, baseline+2)
	fill(img, box, black)
	fill(img, box.Inset(1), white)
	lines := findIn(t, img, rowOf(append(label, box), baseline, capital))
	if !slices.ContainsFunc(lines, func(l textline.Line) bool { return near(l.Box, union(label), 2) }) {
		t.Errorf("found %v, want one line at %v", boxes(lines), label)
	}
}
