package reader_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/sdkapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// engine returns a new reader, which has cached nothing.
func engine(t testing.TB) *reader.Engine {
	t.Helper()
	return reader.New(reader.Config{})
}

// read reads a screen. An error ends the test.
func read(t testing.TB, e *reader.Engine, screen *image.NRGBA) []perception.Row {
	t.Helper()
	rows, err := e.Read(t.Context(), perception.ScreenOf(screen), sdkapi.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// texts returns the texts of rows.
func texts(rows []perception.Row) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.Text
	}
	return list
}

// screens returns our labelled screens by name.
func screens(t testing.TB) map[string]*image.NRGBA {
	t.Helper()
	files, err := filepath.Glob("../testdata/screens/*.png")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d screens, %v", len(files), err)
	}
	list := map[string]*image.NRGBA{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		screen, _, err := perception.Decode(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		list[strings.TrimSuffix(filepath.Base(file), ".png")] = screen
	}
	return list
}

var grounds = []struct {
	name        string
	ground, ink color.NRGBA
}{
	{"light", color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 0, 0, 255}},
	{"dark", color.NRGBA{30, 30, 30, 255}, color.NRGBA{212, 212, 212, 255}},
	{"colored", color.NRGBA{21, 101, 192, 255}, color.NRGBA{255, 255, 255, 255}},
	{"of one brightness", color.NRGBA{200, 60, 60, 255}, color.NRGBA{60, 130, 60, 255}},
	{"faint", color.NRGBA{245, 245, 245, 255}, color.NRGBA{140, 140, 140, 255}},
}

var fonts = map[string][]byte{"regular": goregular.TTF, "bold": gobold.TTF, "medium": gomedium.TTF, "italic": goitalic.TTF}

// TestReadsDrawnText checks that drawn text is read correctly in all usual colors, typefaces and
// sizes, and that the box of each word is where its ink is.
func TestReadsDrawnText(t *testing.T) {
	t.Parallel()
	e := engine(t)
	phrases := []string{"Save changes", "Your order was sent.", "SETTINGS", "Total: 1,249.50", "some more", "Log in"}
	for name, ttf := range fonts {
		for _, g := range grounds {
			t.Run(name+" "+g.name, func(t *testing.T) {
				t.Parallel()
				for _, em := range []float64{14, 16, 20, 28} {
					img := testkit.Canvas(500, 420, g.ground)
					var want []image.Rectangle
					for i, phrase := range phrases {
						want = append(want, testkit.Pen{Font: ttf, Em: em, Ink: g.ink}.Write(img, 30, 50+60*i, phrase)...)
					}
					rows := read(t, e, img)
					if got := strings.Join(texts(rows), "|"); got != strings.Join(phrases, "|") {
						t.Errorf("%g px: %s", em, got)
						continue
					}
					checkBoxes(t, fmt.Sprintf("%g px", em), rows, want)
				}
			})
		}
	}
}

// checkBoxes fails the test unless the boxes of words are at most two pixels off their ink at each
// side, and each row contains its words.
func checkBoxes(t *testing.T, name string, rows []perception.Row, want []image.Rectangle) {
	t.Helper()
	apart := func(a, b int) bool { return max(a-b, b-a) > 2 }
	n := 0
	for _, r := range rows {
		var all image.Rectangle
		for _, w := range r.Words {
			all = all.Union(w.Box)
			if b := want[n]; apart(w.Box.Min.X, b.Min.X) || apart(w.Box.Max.X, b.Max.X) || apart(w.Box.Min.Y, b.Min.Y) || apart(w.Box.Max.Y, b.Max.Y) {
				t.Errorf("%s: %q is at %v, want %v", name, w.Text, w.Box, b)
			}
			if w.Confidence <= 0 || w.Confidence > 1 {
				t.Errorf("%s: %q is sure to %g", name, w.Text, w.Confidence)
			}
			n++
		}
		if r.Box != all {
			t.Errorf("%s: the row %q is at %v, its words at %v", name, r.Text, r.Box, all)
		}
	}
}

// labels has the true words of a screen.
type labels struct {
	DPR   float64
	Words []struct {
		Text       string
		X, Y, W, H float64
		Field      bool
	}
}

var (
	freshOnce sync.Once
	freshRows = map[string][]perception.Row{}
)

// fresh returns the rows that a new engine reads on each of our screens. It reads them once for all
// tests.
func fresh(t *testing.T) map[string][]perception.Row {
	t.Helper()
	freshOnce.Do(func() {
		for name, screen := range screens(t) {
			freshRows[name] = read(t, engine(t), screen)
		}
	})
	return freshRows
}

// TestReadsOurScreens checks that at least four of five words of each of our screens are read
// correctly, at their positions, marks included.
func TestReadsOurScreens(t *testing.T) {
	t.Parallel()
	for name := range screens(t) {
		data, err := os.ReadFile("../testdata/screens/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var truth labels
		if err := json.Unmarshal(data, &truth); err != nil {
			t.Fatal(err)
		}
		rows := fresh(t)[name]
		found := 0
		for _, w := range truth.Words {
			at := image.Rect(int(w.X*truth.DPR)-3, int(w.Y*truth.DPR)-3, int((w.X+w.W)*truth.DPR)+4, int((w.Y+w.H)*truth.DPR)+4)
			if isThere(rows, w.Text, at) {
				found++
			}
		}
		if part := float64(found) / float64(len(truth.Words)); part < 0.8 {
			t.Errorf("%s: %.3f of %d words", name, part, len(truth.Words))
		}
	}
}

// TestUnreadableText checks that text in a script that the network does not know has a box and no
// text, and that known letters beside it are read.
func TestUnreadableText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file         string
		unread, read int // rows at least
	}{{"native/term-help-zh", 35, 35}, {"web/web-settings-zh", 10, 0}} {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile("../testdata/" + tt.file + ".png")
			if err != nil {
				t.Fatal(err)
			}
			screen, _, err := perception.Decode(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}
			unread, readable := 0, 0
			for _, r := range read(t, engine(t), screen) {
				if r.Script == "" {
					readable++
					continue
				}
				unread++
				if r.Script != sdkapi.ScriptCJK || r.Text != "" || len(r.Words) != 1 || r.Box.Empty() {
					t.Errorf("%+v", r)
				}
			}
			if unread < tt.unread || readable < tt.read {
				t.Errorf("%d rows are not read and %d are, want %d and %d", unread, readable, tt.unread, tt.read)
			}
		})
	}
}

// TestDrawingsBesideText checks that the mark of a chosen entry and the curve of a chart are no letters of the
// text beside them.
func TestDrawingsBesideText(t *testing.T) {
	t.Parallel()
	ink, white := color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 255, 255, 255}
	img := testkit.Canvas(500, 200, white)
	box := image.Rect(75, 148, 90, 162)
	draw.Draw(img, box, &image.Uniform{ink}, image.Point{}, draw.Src)
	draw.Draw(img, box.Inset(2), &image.Uniform{white}, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(62, 138, 73, 172), &image.Uniform{color.NRGBA{37, 99, 235, 255}}, image.Point{}, draw.Src)
	testkit.Pen{Em: 14}.Write(img, 100, 160, "Bullock")
	for x := 40; x < 480; x++ { // it goes up and down by half its width
		y := 30 + max(x%160-80, 80-x%160)
		draw.Draw(img, image.Rect(x, y, x+1, y+2), &image.Uniform{color.NRGBA{20, 60, 220, 255}}, image.Point{}, draw.Src)
	}
	for i, text := range []string{"20k", "15k", "10k"} {
		testkit.Pen{Em: 11}.Write(img, 14, 40+30*i, text)
	}
	var got []string
	for _, r := range read(t, engine(t), img) {
		got = append(got, r.Text)
	}
	if want := []string{"20k", "15k", "10k", "Bullock"}; !slices.Equal(got, want) {
		t.Errorf("%q is read, want %q", got, want)
	}
}

// isThere reports whether rows have a word with the given text whose middle is in box.
func isThere(rows []perception.Row, text string, box image.Rectangle) bool {
	for _, r := range rows {
		for _, w := range r.Words {
			if geo.Center(w.Box).In(box) && w.Text == text {
				return true
			}
		}
	}
	return false
}

// difference describes how two readings differ, apart from a shift of the second reading.
func difference(want, got []perception.Row, by image.Point) string {
	for i := range min(len(want), len(got)) {
		if want[i].Text != got[i].Text || want[i].Box.Add(by) != got[i].Box {
			return fmt.Sprintf("row %d is %q at %v, want %q at %v", i, got[i].Text, got[i].Box.Sub(by), want[i].Text, want[i].Box)
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d rows, want %d", len(got), len(want))
	}
	return ""
}

// TestKnownLinesChangeNothing checks that the cache does not change a reading: each screen must
// have the same rows with its own lines in the cache, with lines of other screens, and with an
// empty cache.
func TestKnownLinesChangeNothing(t *testing.T) {
	t.Parallel()
	shared, all := engine(t), screens(t)
	for _, round := range []string{"among others", "again"} {
		for name, screen := range all {
			if want, known := fresh(t)[name], read(t, shared, screen); !reflect.DeepEqual(want, known) {
				t.Errorf("%s, %s: %s", name, round, difference(want, known, image.Point{}))
			}
		}
	}
}

// TestNothingIsStale checks that a text is read again if it changes by a digit or by a pixel.
func TestNothingIsStale(t *testing.T) {
	t.Parallel()
	e := engine(t)
	screenOf := func(n int) *image.NRGBA {
		img := testkit.Canvas(400, 120, color.White)
		testkit.Pen{Em: 16}.Write(img, 30, 40, fmt.Sprintf("Balance %d.50", 1200+n))
		testkit.Pen{Em: 16}.Write(img, 30, 80, "Transfer money")
		return img
	}
	for round := range 2 {
		for n := range 30 {
			if got, want := strings.Join(texts(read(t, e, screenOf(n))), "|"), fmt.Sprintf("Balance %d.50|Transfer money", 1200+n); got != want {
				t.Errorf("round %d: %q, want %q", round, got, want)
			}
		}
	}
	// A minus that is one pixel high.
	plain, minus := testkit.Canvas(200, 60, color.White), testkit.Canvas(200, 60, color.White)
	testkit.Pen{Em: 20}.Write(plain, 40, 40, "3846")
	testkit.Pen{Em: 20}.Write(minus, 40, 40, "3846")
	minus.SetNRGBA(50, 36, color.NRGBA{0, 0, 0, 255})
	first := read(t, e, plain)
	if got, fresh := read(t, e, minus), read(t, engine(t), minus); !reflect.DeepEqual(got, fresh) || len(first) != 1 {
		t.Errorf("with a pixel more %q; an engine that knows nothing reads %q", texts(got), texts(fresh))
	}
}

// TestReadsNothing checks that an empty screen has no rows and causes no error.
func TestReadsNothing(t *testing.T) {
	t.Parallel()
	e := engine(t)
	for _, size := range []image.Point{{1, 1}, {2, 1}, {1, 2}, {3, 3}, {800, 600}} {
		t.Run(size.String(), func(t *testing.T) {
			if rows := read(t, e, testkit.Canvas(size.X, size.Y, color.White)); len(rows) != 0 {
				t.Errorf("%v: %q", size, texts(rows))
			}
		})
	}
}

// TestReadEndsWithItsContext checks that Read ends when its context ends.
func TestReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	e := engine(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if rows, err := e.Read(ctx, perception.ScreenOf(screens(t)["table"]), sdkapi.Reading{}); !errors.Is(err, context.Canceled) || rows != nil {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if rows := read(t, e, screens(t)["table"]); len(rows) < 50 {
		t.Errorf("afterwards: %d rows", len(rows))
	}
}

// TestReadsAtOnce checks that one engine can read several screens at once.
func TestReadsAtOnce(t *testing.T) {
	t.Parallel()
	e, alone, all := engine(t), engine(t), screens(t)
	want := map[string][]perception.Row{}
	for _, name := range []string{"tiny", "menu", "settings"} {
		want[name] = read(t, alone, all[name])
	}
	var wg sync.WaitGroup
	for range 3 {
		for name := range want {
			wg.Go(func() {
				rows, err := e.Read(context.Background(), perception.ScreenOf(all[name]), sdkapi.Reading{})
				if err != nil || !reflect.DeepEqual(rows, want[name]) {
					t.Errorf("%s: %v %s", name, err, difference(want[name], rows, image.Point{}))
				}
			})
		}
	}
	wg.Wait()
}
