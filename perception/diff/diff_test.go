package diff_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"reflect"
	"slices"
	"testing"

	"github.com/disintegration/imaging"
	"go.uber.org/goleak"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/diff"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/sdkapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	paper = color.NRGBA{250, 250, 250, 255}
	ink   = color.NRGBA{30, 30, 30, 255}
	blue  = color.NRGBA{13, 110, 253, 255}
	slate = color.NRGBA{52, 58, 64, 255}
	pen   = testkit.Pen{Font: goregular.TTF, Em: 15, Ink: ink}
)

func fill(img draw.Image, r image.Rectangle, c color.Color) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// document is a window on a long text, scrolled down by scrolled pixels: below
// a bar, and beside a sidebar, with a scroll bar at the right.
func document(scrolled int) *image.NRGBA {
	img := testkit.Canvas(800, 600, paper)
	for i := range 100 {
		if y := 80 + 27*i - scrolled; y > 20 && y < 640 {
			pen.Write(img, 220, y, fmt.Sprintf("Line %d of %d, whose number squared is %d", i, 100, i*i))
		}
	}
	fill(img, image.Rect(788, 50, 800, 600), color.NRGBA{230, 230, 230, 255})
	fill(img, image.Rect(788, 60+scrolled/5, 800, 160+scrolled/5), color.NRGBA{150, 150, 150, 255})
	fill(img, image.Rect(0, 0, 800, 50), blue)
	fill(img, image.Rect(0, 50, 200, 600), slate)
	for i, item := range []string{"Inbox", "Sent", "Drafts"} {
		testkit.Pen{Font: goregular.TTF, Em: 15, Ink: paper}.Write(img, 20, 90+40*i, item)
	}
	return img
}

func of(t *testing.T, was, is *image.NRGBA) *diff.Pixels {
	t.Helper()
	c, err := diff.Diff(t.Context(), written(), written(), was, is)
	if err != nil {
		t.Fatal(err)
	}
	return &c.Pixels
}

// What a person would not call a change is not reported as one.
func TestSame(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*image.NRGBA){
		"nothing":     func(*image.NRGBA) {},
		"a caret":     func(img *image.NRGBA) { fill(img, image.Rect(401, 301, 403, 319), ink) },
		"a few spots": func(img *image.NRGBA) { fill(img, image.Rect(500, 500, 503, 501), ink) },
		"smoothing": func(img *image.NRGBA) {
			for i := range img.Pix {
				if i%4 != 3 && img.Pix[i] > 16 {
					img.Pix[i] -= uint8(i % 17)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is := document(0)
			change(is)
			if p := of(t, document(0), is); !p.Same() || p.Share != 0 {
				t.Errorf("there is %+v", p)
			}
		})
	}
}

// Changes are listed as few rectangles, which are as large as what changed.
func TestRegions(t *testing.T) {
	t.Parallel()
	button, notice := image.Rect(305, 211, 391, 240), image.Rect(600, 407, 780, 555)
	is := document(0)
	fill(is, button, blue)
	fill(is, notice, slate)
	p := of(t, document(0), is)
	if want := []image.Rectangle{button, notice}; !reflect.DeepEqual(p.Regions, want) || len(p.Moves) > 0 {
		t.Errorf("changed: %v, moved: %v; want %v changed", p.Regions, p.Moves, want)
	}
	if want := float64(86*29+180*148) / (800 * 600); p.Share < want*0.9 || p.Share > want {
		t.Errorf("%.3f of the screen changed, want about %.3f", p.Share, want)
	}
}

// However much changes in however many places, the list is bounded, and
// nothing that changed is left out.
func TestRegionsAreBounded(t *testing.T) {
	t.Parallel()
	is := testkit.Canvas(2880, 2880, paper)
	var spots []image.Rectangle
	for i := range 60 * 60 {
		spots = append(spots, image.Rect(0, 0, 10, 10).Add(image.Pt(i%60*48+3, i/60*48+3)))
		fill(is, spots[i], ink)
	}
	p := of(t, testkit.Canvas(2880, 2880, paper), is)
	if len(p.Regions) > diff.MaxRegions {
		t.Errorf("there are %d regions", len(p.Regions))
	}
	for _, s := range spots {
		if !slices.ContainsFunc(p.Regions, s.In) {
			t.Fatalf("%v is in none of %v", s, p.Regions)
		}
	}
}

// What is scrolled moved. Only what came into sight is new, and what stands
// still is not listed.
func TestScrolledDown(t *testing.T) {
	t.Parallel()
	for _, by := range []int{27, 100, 333} {
		p := of(t, document(40), document(40+by))
		if len(p.Moves) != 1 || p.Moves[0].By != image.Pt(0, -by) {
			t.Fatalf("after %d pixels: %+v", by, p)
		}
		// By 27, the "Line" that they begin with stands where another stood.
		if m := p.Moves[0].Box; m.Min.Y > 100 || m.Max.Y < 600-by-50 || m.Max.Y > 600-by+16 || m.Min.X < 200 || m.Min.X > 260 || m.Max.X < 480 {
			t.Errorf("after %d pixels %v moved", by, m)
		}
		for _, r := range p.Regions {
			if r.Max.Y < 600-by-50 && r.Min.X < 788 && r.Min.Y > 80 {
				t.Errorf("after %d pixels %v is new", by, r)
			}
		}
	}
}

// Up is the other way around, and sidewards is found too.
func TestScrolledElsewhere(t *testing.T) {
	t.Parallel()
	if p := of(t, document(300), document(240)); len(p.Moves) != 1 || p.Moves[0].By != image.Pt(0, 60) {
		t.Errorf("up: %+v", p)
	}
	strip := func(at int) *image.NRGBA {
		img := testkit.Canvas(800, 400, paper)
		for i := range 12 {
			pen.Write(img, 30+150*i-at, 200, fmt.Sprintf("Picture %d", i*i))
		}
		return img
	}
	if p := of(t, strip(0), strip(75)); len(p.Moves) != 1 || p.Moves[0].By != image.Pt(-75, 0) {
		t.Errorf("sidewards: %+v", p)
	}
}

// Two panes that scroll by distances of their own are two moves.
func TestTwoPanes(t *testing.T) {
	t.Parallel()
	panes := func(left, right int) *image.NRGBA {
		img := image.NewNRGBA(image.Rect(0, 0, 1600, 600))
		draw.Draw(img, image.Rect(0, 0, 800, 600), document(left), image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(800, 0, 1600, 600), document(right), image.Point{}, draw.Src)
		return img
	}
	p := of(t, panes(0, 0), panes(81, 150))
	var by []int
	for _, m := range p.Moves {
		by = append(by, m.By.Y)
	}
	slices.Sort(by)
	if !slices.Equal(by, []int{-150, -81}) {
		t.Errorf("the panes moved by %v: %+v", by, p.Moves)
	}
}

// Another page is not taken for a scrolled one.
func TestAnotherPage(t *testing.T) {
	t.Parallel()
	is := testkit.Canvas(800, 600, paper)
	for i := range 20 {
		pen.Write(is, 60, 40+27*i, fmt.Sprintf("Something else that nobody wrote before, %d", 1000-i))
	}
	if p := of(t, document(0), is); len(p.Moves) > 0 || len(p.Regions) == 0 {
		t.Errorf("%+v", p)
	}
}

// A part of a larger picture is compared from its own corner on, and screens of
// two sizes not at all.
func TestSizes(t *testing.T) {
	t.Parallel()
	part := imaging.PasteCenter(testkit.Canvas(1000, 800, blue), document(0)).SubImage(image.Rect(100, 100, 900, 700)).(*image.NRGBA)
	if p := of(t, part, document(0)); !p.Same() {
		t.Errorf("a part differs: %+v", p)
	}
	for _, size := range []image.Point{{}, {X: 1, Y: 1}, {X: 17, Y: 3}, {X: 3, Y: 200}} {
		t.Run(size.String(), func(t *testing.T) {
			if p := of(t, testkit.Canvas(size.X, size.Y, paper), testkit.Canvas(size.X, size.Y, ink)); p.Same() != (size.X*size.Y <= 3) {
				t.Errorf("of %v: %+v", size, p)
			}
		})
	}
	_, err := diff.Diff(t.Context(), written(), written(), document(0), testkit.Canvas(800, 601, paper))
	if code := fault.CodeOf(err); code != sdkapi.ValidationError {
		t.Errorf("two sizes: %v", err)
	}
}

// written is a screen with rows of one word each.
func written(rows ...perception.Row) *elements.Screen {
	return &elements.Screen{Scene: &perception.Scene{Rows: rows}}
}

func at(x, y int, text string) perception.Row {
	return perception.NewRow([]perception.Word{{Text: text, Confidence: 1, Box: image.Rect(x, y, x+8*len(text), y+14)}})
}

func said(rows []perception.Row) (texts []string) {
	for _, r := range rows {
		texts = append(texts, r.Text)
	}
	return texts
}

// Texts come, go and change where pixels do. What was read otherwise of the
// same pixels did not.
func TestRows(t *testing.T) {
	t.Parallel()
	was, is := testkit.Canvas(400, 300, paper), testkit.Canvas(400, 300, paper)
	fill(was, image.Rect(20, 20, 120, 34), ink)
	fill(is, image.Rect(20, 60, 120, 74), ink)
	fill(is, image.Rect(20, 100, 60, 114), ink)
	c, err := diff.Diff(t.Context(),
		written(at(20, 20, "Goodbye"), at(20, 100, "Loading"), at(20, 200, "Total 10"), at(200, 200, "Save")),
		written(at(20, 60, "Welcome"), at(20, 100, "Loaded 7"), at(20, 200, "Total 1O"), at(201, 200, "Save")), was, is)
	if err != nil {
		t.Fatal(err)
	}
	if got := said(c.Rows.Appeared); !slices.Equal(got, []string{"Welcome"}) {
		t.Errorf("appeared: %v", got)
	}
	if got := said(c.Rows.Vanished); !slices.Equal(got, []string{"Goodbye"}) {
		t.Errorf("vanished: %v", got)
	}
	if got := c.Rows.Changed; len(got) != 1 || got[0].Before.Text != "Loading" || got[0].After.Text != "Loaded 7" {
		t.Errorf("changed: %v", got)
	}
}

// Texts that are scrolled are the same ones, also where one stands in the place
// of another now.
func TestRowsThatMove(t *testing.T) {
	t.Parallel()
	rows := func(scrolled int) *elements.Screen {
		var list []perception.Row
		for i := range 100 {
			if y := 80 + 27*i - scrolled; y > 64 && y < 600 {
				list = append(list, at(220, y-12, fmt.Sprint("Line ", i)))
			}
		}
		return written(list...)
	}
	c, err := diff.Diff(t.Context(), rows(0), rows(54), document(0), document(54))
	if err != nil {
		t.Fatal(err)
	}
	appeared, vanished := said(c.Rows.Appeared), said(c.Rows.Vanished)
	if !slices.Equal(appeared, []string{"Line 20", "Line 21"}) || !slices.Equal(vanished, []string{"Line 0", "Line 1"}) || len(c.Rows.Changed) > 0 {
		t.Errorf("appeared: %v, vanished: %v, changed: %v", appeared, vanished, c.Rows.Changed)
	}
}

// Elements come, go, and change in their places.
func TestElements(t *testing.T) {
	t.Parallel()
	green, red := &elements.Color{R: 25, G: 135, B: 84}, &elements.Color{R: 220, G: 53, B: 69}
	box := func(n int) image.Rectangle { return image.Rect(20, 40*n, 120, 40*n+30) }
	screen := func(list ...elements.Element) *elements.Screen {
		return &elements.Screen{Scene: &perception.Scene{}, Elements: list}
	}
	before := screen(
		elements.Element{Role: elements.Checkbox, Box: box(0), Label: "Remember me"},
		elements.Element{Role: elements.Button, Box: box(1), Label: "Start", Fill: green},
		elements.Element{Role: elements.Button, Box: box(2), Label: "Help", Fill: green},
		elements.Element{Role: elements.Button, Box: box(3), Label: "Retry", Fill: green},
		elements.Element{Role: elements.Text, Box: box(5), Label: "a text is a row"},
	)
	after := screen(
		elements.Element{Role: elements.Checkbox, Box: box(0), Label: "Remember me", States: []elements.State{elements.Checked}},
		elements.Element{Role: elements.Button, Box: box(1), Label: "Stop", Fill: red},
		elements.Element{Role: elements.Button, Box: box(2), Label: "Help", Fill: red}, // though its pixels are the same
		elements.Element{Role: elements.Link, Box: box(4), Label: "Why?"},
	)
	was, is := testkit.Canvas(200, 300, paper), testkit.Canvas(200, 300, paper)
	for _, n := range []int{0, 1, 3, 4, 5} {
		fill(is, box(n), ink)
	}
	c, err := diff.Diff(t.Context(), before, after, was, is)
	if err != nil {
		t.Fatal(err)
	}
	want := diff.Elements{
		Appeared: []int{3}, Vanished: []int{3},
		Changed: []diff.Change{{Before: 0, After: 0, What: []diff.Aspect{diff.States}}, {Before: 1, After: 1, What: []diff.Aspect{diff.Label, diff.Color}}},
	}
	if !reflect.DeepEqual(c.Elements, want) {
		t.Errorf("%+v, want %+v", c.Elements, want)
	}
}
