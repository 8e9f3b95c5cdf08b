package textline_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"slices"
	"sync"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
	"github.com/windieos/windie/perception/textmap"
)

var (
	white = color.NRGBA{255, 255, 255, 255}
	black = color.NRGBA{0, 0, 0, 255}
	blue  = color.NRGBA{21, 101, 192, 255}
)

// grounds are the colors that text stands on, and in.
var grounds = []struct {
	name        string
	ground, ink color.NRGBA
}{
	{"light", white, black},
	{"dark", color.NRGBA{30, 30, 30, 255}, color.NRGBA{212, 212, 212, 255}},
	{"colored", blue, white},
	{"yellow", color.NRGBA{255, 213, 79, 255}, color.NRGBA{50, 50, 50, 255}},
	{"of one brightness", color.NRGBA{200, 60, 60, 255}, color.NRGBA{60, 130, 60, 255}},
	{"faint", color.NRGBA{245, 245, 245, 255}, color.NRGBA{140, 140, 140, 255}},
}

// own is Windie's network, which finds rows.
var own = sync.OnceValues(func() (*textmap.Model, error) {
	m, err := textmap.Own()
	if err == nil {
		err = m.Use("")
	}
	return m, err
})

// find returns the lines in the rows of a screen that Windie's network finds.
func find(t testing.TB, screen *image.NRGBA) []textline.Line {
	t.Helper()
	lines, err := findWith(t.Context(), screen)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func findWith(ctx context.Context, screen *image.NRGBA) ([]textline.Line, error) {
	m, err := own()
	if err != nil {
		return nil, err
	}
	rows, err := m.Find(ctx, screen)
	if err != nil {
		return nil, err
	}
	return textline.Find(ctx, screen, rows)
}

// union is the box around all boxes.
func union(boxes []image.Rectangle) (all image.Rectangle) {
	for _, b := range boxes {
		all = all.Union(b)
	}
	return all
}

// near reports whether two boxes differ by at most pixels a side.
func near(a, b image.Rectangle, pixels int) bool {
	apart := func(a, b int) bool { return max(a-b, b-a) > pixels }
	return !apart(a.Min.X, b.Min.X) && !apart(a.Min.Y, b.Min.Y) && !apart(a.Max.X, b.Max.X) && !apart(a.Max.Y, b.Max.Y)
}

// boxes lists the boxes of lines.
func boxes(lines []textline.Line) []image.Rectangle {
	list := make([]image.Rectangle, len(lines))
	for i, l := range lines {
		list[i] = l.Box
	}
	return list
}

// A phrase is found whole, whatever its size, its colors and its typeface: its
// words stand in one line, or in one each where spaces are wide, and nothing
// beside them is in any.
func TestFindsAPhrase(t *testing.T) {
	t.Parallel()
	for _, g := range grounds {
		for name, ttf := range map[string][]byte{"regular": goregular.TTF, "bold": gobold.TTF, "mono": gomono.TTF} {
			t.Run(g.name+" "+name, func(t *testing.T) {
				t.Parallel()
				for _, em := range []float64{9, 10, 11, 12, 13, 14, 16, 18, 20, 24, 28, 34, 40, 48, 60} {
					img := testkit.Canvas(1000, 120, g.ground)
					words := testkit.Pen{Font: ttf, Em: em, Ink: g.ink}.Write(img, 30, 80, "Save changes, quickly")
					checkWords(t, fmt.Sprintf("%g px", em), words, find(t, img))
				}
			})
		}
	}
}

// checkWords fails the test unless each word is in one line, and all lines are
// where the words are.
func checkWords(t *testing.T, name string, words []image.Rectangle, lines []textline.Line) {
	t.Helper()
	for _, w := range words {
		n := 0
		for _, l := range lines {
			if w.Inset(2).In(l.Box) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: the word at %v is in %d of the lines %v", name, w, n, boxes(lines))
		}
	}
	if all := union(boxes(lines)); !near(all, union(words), 2) || len(lines) > len(words) {
		t.Errorf("%s: %d lines are found in %v, the %d words are in %v", name, len(lines), all, len(words), union(words))
	}
}

// Marks that follow each other are of the line that the first is on, whatever they begin or end.
func TestRowsOfMarks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`__name__`, `"""tides."""`, `newline="")`, `a="__main__":`, `(("now"))...`} {
		for _, em := range []float64{12, 13, 14, 15, 16} {
			t.Run(fmt.Sprintf("%s %g px", text, em), func(t *testing.T) {
				t.Parallel()
				img := testkit.Canvas(700, 120, white)
				want := union(testkit.Pen{Em: em, Font: gomono.TTF}.Write(img, 30, 60, text))
				if got := find(t, img); len(got) != 1 || !near(got[0].Box, want, 2) {
					t.Errorf("lines %v, want one at %v", boxes(got), want)
				}
			})
		}
	}
}

// Lines under each other stay apart, as close as text is set.
func TestLinesUnderEachOther(t *testing.T) {
	t.Parallel()
	for _, em := range []float64{10, 13, 16, 24, 40} {
		img := testkit.Canvas(700, 400, white)
		var want []image.Rectangle
		for i := range 5 {
			want = append(want, union(testkit.Pen{Em: em}.Write(img, 20, 50+int(float64(i)*em*1.25), "Typing jogs gladly")))
		}
		got := find(t, img)
		if len(got) != len(want) {
			t.Errorf("%g px: %d lines %v, want %v", em, len(got), boxes(got), want)
			continue
		}
		for i := range want {
			if !near(got[i].Box, want[i], 2) {
				t.Errorf("%g px: line %d is %v, want %v", em, i, got[i].Box, want[i])
			}
		}
	}
}

// Dots, commas, accents and dashes belong to the line that they stand in, and
// its box holds them. In large letters some stand too far off for that.
func TestMarksBelongToTheirLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text    string
		largest float64 // pixels
	}{
		{"Wait.", 40}, {"so,", 40}, {"i", 40}, {"j", 40}, {"file: a", 40}, {"naïve", 40}, {"Übung", 40}, {"well-known", 24}, {"a = b", 24},
		{"“so”", 16}, {"3.14", 40}, {"no…", 24}, {"5%", 40}, {"«oui»", 40}, {"ÀÉÎ", 40},
	} {
		t.Run(tt.text, func(t *testing.T) {
			for _, em := range []float64{12, 16, 24, 40} {
				if em > tt.largest {
					break
				}
				img := testkit.Canvas(400, 100, white)
				words := testkit.Pen{Em: em}.Write(img, 20, 60, tt.text)
				got := find(t, img)
				if all := union(boxes(got)); len(got) > len(words) || !near(all, union(words), 2) {
					t.Errorf("%q %g px: lines %v, want %v", tt.text, em, boxes(got), words)
				}
			}
		})
	}
}

// An icon beside two lines does not make one of them.
func TestIconBesideTwoLines(t *testing.T) {
	t.Parallel()
	for name, icon := range map[string]func(*image.NRGBA){
		"a ring":  func(img *image.NRGBA) { outlined(img, image.Rect(40, 34, 68, 62), 14, 3, black, white) },
		"a block": func(img *image.NRGBA) { round(img, image.Rect(40, 34, 68, 62), 3, black) },
	} {
		t.Run(name, func(t *testing.T) {
			img := testkit.Canvas(300, 100, white)
			icon(img)
			number := union(testkit.Pen{Em: 24, Font: gobold.TTF}.Write(img, 82, 46, "38"))
			name := union(testkit.Pen{Em: 14}.Write(img, 82, 66, "Invited"))
			for _, want := range []image.Rectangle{number, name} {
				if got := find(t, img); !slices.ContainsFunc(got, func(l textline.Line) bool { return near(l.Box, want, 2) }) {
					t.Errorf("lines %v, want one at %v", boxes(got), want)
				}
			}
		})
	}
}

// A mark between two lines is of the one that it is beside.
func TestMarkBetweenLines(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(400, 100, white)
	pen := testkit.Pen{Em: 14, Font: gomono.TTF}
	first := union(pen.Write(img, 20, 40, "go to background"))
	second := union(pen.Write(img, 20, 57, "execute a `.rc' command"))
	for _, l := range find(t, img) {
		if l.Box.Min.Y < first.Max.Y-6 && l.Box.Max.Y > second.Min.Y+6 {
			t.Errorf("a line at %v is of both, %v and %v", l.Box, first, second)
		}
	}
}
