package overlay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

var labels = overlay.Options{Labels: true}

func TestDrawKeepsTheScreenAndRepeatsItself(t *testing.T) {
	t.Parallel()
	screen := page(640, 400)
	before := bytes.Clone(screen.Pix)
	marks := table(40, 4)
	first, second := draw(t, screen, marks, labels), draw(t, screen, marks, labels)
	if !bytes.Equal(screen.Pix, before) {
		t.Error("Draw changed the screen")
	}
	if !bytes.Equal(first.Pix, second.Pix) {
		t.Error("the same marks gave two pictures")
	}
	if bytes.Equal(first.Pix, before) {
		t.Error("nothing was drawn")
	}
}

func TestDrawWithoutMarksIsACopy(t *testing.T) {
	t.Parallel()
	screen := page(64, 40)
	got := draw(t, screen, nil, labels)
	if !bytes.Equal(got.Pix, screen.Pix) || got.Rect != screen.Rect {
		t.Error("the picture is not the screen")
	}
	got.Pix[0]++
	if got.Pix[0] == screen.Pix[0] {
		t.Error("the picture shares the screen's pixels")
	}
}

func TestDrawLabelsOnlyIfAsked(t *testing.T) {
	t.Parallel()
	screen := page(200, 200)
	labeled := []overlay.Mark{{Box: image.Rect(50, 80, 90, 100), Label: "7"}}
	bare := []overlay.Mark{{Box: labeled[0].Box}}
	if !bytes.Equal(draw(t, screen, labeled, overlay.Options{}).Pix, draw(t, screen, bare, labels).Pix) {
		t.Error("a label was drawn unasked")
	}
	if bytes.Equal(draw(t, screen, labeled, labels).Pix, draw(t, screen, bare, labels).Pix) {
		t.Error("no label was drawn")
	}
}

// Boxes come from callers and from programs reading pixels; none may hurt.
func TestDrawTakesAnyBox(t *testing.T) {
	t.Parallel()
	boxes := map[string]struct {
		box  image.Rectangle
		seen bool
	}{
		"empty":         {image.Rect(10, 10, 10, 20), false},
		"zero":          {image.Rectangle{}, false},
		"inside out":    {image.Rectangle{Min: image.Pt(30, 30), Max: image.Pt(10, 10)}, false},
		"right of all":  {image.Rect(100, 0, 120, 20), false},
		"above all":     {image.Rect(0, -20, 20, 0), false},
		"one pixel":     {image.Rect(50, 50, 51, 51), true},
		"all of it":     {image.Rect(0, 0, 100, 100), true},
		"reaching out":  {image.Rect(-50, 40, 20, 400), true},
		"the last one":  {image.Rect(99, 99, 100, 100), true},
		"boundless":     {image.Rect(math.MinInt, math.MinInt, math.MaxInt, math.MaxInt), true},
		"far, far away": {image.Rect(math.MaxInt-1, math.MaxInt-1, math.MaxInt, math.MaxInt), false},
	}
	for name, c := range boxes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screen := page(100, 100)
			got := draw(t, screen, []overlay.Mark{{Box: c.box, Label: "1"}}, labels)
			if seen := !bytes.Equal(got.Pix, screen.Pix); seen != c.seen {
				t.Errorf("drawn: %v, want %v", seen, c.seen)
			}
		})
	}
}

func TestDrawTakesAnyScreenAndScale(t *testing.T) {
	t.Parallel()
	marks := []overlay.Mark{{Box: image.Rect(-5, -5, 5000, 5000), Label: "a label too long"}, {Box: image.Rect(0, 0, 1, 1), Label: "2"}}
	for _, size := range []image.Point{{0, 0}, {1, 1}, {1, 300}, {300, 1}, {17, 19}, {60, 19}, {3000, 40}} {
		t.Run(size.String(), func(t *testing.T) {
			for _, scale := range []float64{0, 1, 3, -1, 1e9, math.Inf(1), math.NaN()} {
				screen := image.NewNRGBA(image.Rectangle{Max: size})
				got := draw(t, screen, marks, overlay.Options{Labels: true, Scale: scale})
				if got.Rect != screen.Rect {
					t.Errorf("%v at scale %v became %v", size, scale, got.Rect)
				}
			}
		})
	}
}

// A part of a larger picture keeps its place, and the rest of the picture
// stays as it was.
func TestDrawOnAPartOfAPicture(t *testing.T) {
	t.Parallel()
	whole := page(300, 200)
	part := whole.SubImage(image.Rect(100, 60, 250, 160)).(*image.NRGBA)
	marks := []overlay.Mark{{Box: image.Rect(150, 100, 190, 120), Label: "1"}}
	got := draw(t, part, marks, labels)
	if got.Rect != part.Rect {
		t.Fatalf("bounds %v, want %v", got.Rect, part.Rect)
	}
	if got.NRGBAAt(147, 110) == part.NRGBAAt(147, 110) {
		t.Error("no frame where the mark is")
	}
	if got.NRGBAAt(240, 150) != part.NRGBAAt(240, 150) {
		t.Error("a pixel far from the mark changed")
	}
}

func TestDrawKeepsTransparency(t *testing.T) {
	t.Parallel()
	screen := image.NewNRGBA(image.Rect(0, 0, 100, 100))
	got := draw(t, screen, []overlay.Mark{{Box: image.Rect(40, 40, 60, 60), Color: color.NRGBA{200, 0, 0, 255}}}, labels)
	if c := got.NRGBAAt(50, 50); c != (color.NRGBA{200, 0, 0, 26}) {
		t.Errorf("the tint on nothing is %v", c)
	}
	if c := got.NRGBAAt(37, 50); c != (color.NRGBA{200, 0, 0, 255}) {
		t.Errorf("the line on nothing is %v", c)
	}
	if c := got.NRGBAAt(5, 95); c.A != 0 {
		t.Errorf("an untouched pixel became %v", c)
	}
}

// Marks on marks must not pile up to a wall.
func TestDrawManyOnOneSpotLetsTheScreenThrough(t *testing.T) {
	t.Parallel()
	screen := page(100, 60)
	marks := make([]overlay.Mark, 300)
	for i := range marks {
		marks[i].Box = image.Rect(20, 20, 80, 55)
	}
	got := draw(t, screen, marks, overlay.Options{})
	dark, light := got.NRGBAAt(54, 40), got.NRGBAAt(58, 40)
	if int(light.G)-int(dark.G) < 150 {
		t.Errorf("text %v on ground %v can hardly be read", dark, light)
	}
}

func TestDrawThousandsOfMarks(t *testing.T) {
	t.Parallel()
	marks := make([]overlay.Mark, 2000)
	for i := range marks {
		box := image.Rect(0, 0, 8, 5).Add(image.Pt(i%23*9, i%17*7))
		marks[i] = overlay.Mark{Box: box, Label: fmt.Sprint(i)}
	}
	draw(t, page(200, 120), marks, labels)
}

// The smaller of two marks is seen whole, whichever comes first.
func TestDrawPutsSmallMarksOnLargeOnes(t *testing.T) {
	t.Parallel()
	red, blue := color.NRGBA{200, 0, 0, 255}, color.NRGBA{0, 0, 200, 90}
	marks := []overlay.Mark{
		{Box: image.Rect(40, 40, 60, 60), Color: blue},
		{Box: image.Rect(38, 10, 90, 90), Color: red},
	}
	screen := image.NewNRGBA(image.Rect(0, 0, 100, 100))
	got := draw(t, screen, marks, overlay.Options{})
	if c := got.NRGBAAt(50, 50); c != (color.NRGBA{0, 0, 200, 26}) {
		t.Errorf("within both, the tint is %v", c)
	}
	if c := got.NRGBAAt(37, 50); c != (color.NRGBA{0, 0, 200, 255}) {
		t.Errorf("where their frames cross, the line is %v", c)
	}
	if c := got.NRGBAAt(70, 50); c != (color.NRGBA{200, 0, 0, 26}) {
		t.Errorf("within the large one alone, the tint is %v", c)
	}
}

func TestDrawCountsMarks(t *testing.T) {
	t.Parallel()
	screen := page(4, 4)
	marks := make([]overlay.Mark, overlay.MaxMarks+1)
	for i := range marks {
		marks[i].Box = image.Rect(1, 1, 3, 3)
	}
	draw(t, screen, marks[:overlay.MaxMarks], overlay.Options{})
	_, err := overlay.Draw(t.Context(), screen, marks, overlay.Options{})
	if code := fault.CodeOf(err); code != sdkapi.ValidationError {
		t.Errorf("one too many gave %q (%v)", code, err)
	}
}

// stopping is a context that ends after it was asked left times.
type stopping struct {
	context.Context
	left int
}

func (c *stopping) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestDrawStopsWithItsContext(t *testing.T) {
	t.Parallel()
	screen, marks := page(640, 400), table(20, 4)
	const asked = 4 * 20 // for each mark to place, tint, frame and tag it
	for _, left := range []int{0, 1, 19, 20, 50, asked - 1} {
		got, err := overlay.Draw(&stopping{t.Context(), left}, screen, marks, labels)
		if !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("ended after %d: %v", left, err)
		}
	}
	if _, err := overlay.Draw(&stopping{t.Context(), asked}, screen, marks, labels); err != nil {
		t.Errorf("ended too late to matter: %v", err)
	}
}

func TestEncodeKeepsEveryPixel(t *testing.T) {
	t.Parallel()
	marked := draw(t, page(320, 200), table(8, 2), labels)
	var file bytes.Buffer
	if err := overlay.Encode(t.Context(), &file, marked); err != nil {
		t.Fatal(err)
	}
	got, header, err := perception.Decode(t.Context(), file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if header.ContentType != "image/png" || !bytes.Equal(got.Pix, marked.Pix) {
		t.Errorf("a %s with other pixels came back", header.ContentType)
	}
}

func draw(t *testing.T, screen *image.NRGBA, marks []overlay.Mark, opts overlay.Options) *image.NRGBA {
	t.Helper()
	got, err := overlay.Draw(t.Context(), screen, marks, opts)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
