package overlay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"
)

// Whatever the marks, tags stay on the screen, and nothing changes beyond
// frames and tags.
func TestPixelsOutsideOfFramesAndTagsStay(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		screen := noise(random, 1+random.IntN(500), 1+random.IntN(300))
		marks := randomMarks(random, screen.Rect, random.IntN(60))
		shapes := laidOut(t, screen, marks)
		marked, err := Draw(t.Context(), screen, marks, Options{Labels: true})
		if err != nil {
			t.Fatal(err)
		}
		wiped := clone(marked)
		for _, s := range shapes {
			if !s.frame.In(screen.Rect) || !s.tag.In(screen.Rect) {
				t.Errorf("seed %d: frame %v and tag %v leave %v", seed, s.frame, s.tag, screen.Rect)
			}
			restore(wiped, screen, s.frame)
			restore(wiped, screen, s.tag)
		}
		if !bytes.Equal(wiped.Pix, screen.Pix) {
			t.Errorf("seed %d: a pixel changed outside of frames and tags", seed)
		}
	}
}

func TestTagsKeepClearOfEachOther(t *testing.T) {
	t.Parallel()
	screen := blank(1440, 900)
	for name, marks := range map[string][]Mark{
		"a menu":            rows(20, image.Pt(120, 17), image.Pt(0, 43), image.Pt(40, 12)),
		"dense lines":       rows(40, image.Pt(300, 15), image.Pt(0, 21), image.Pt(60, 10)),
		"words of a line":   rows(20, image.Pt(60, 16), image.Pt(65, 0), image.Pt(10, 300)),
		"nested":            {{Box: image.Rect(100, 100, 700, 700), Label: "1"}, {Box: image.Rect(110, 110, 690, 300), Label: "2"}, {Box: image.Rect(112, 112, 200, 130), Label: "3"}},
		"one box, 10 names": rows(10, image.Pt(120, 60), image.Point{}, image.Pt(500, 500)),
		"in the corners": {
			{Box: image.Rect(0, 0, 40, 16), Label: "1"}, {Box: image.Rect(1400, 0, 1440, 16), Label: "2"},
			{Box: image.Rect(0, 884, 40, 900), Label: "3"}, {Box: image.Rect(1400, 884, 1440, 900), Label: "4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shapes := laidOut(t, screen, marks)
			for i, a := range shapes {
				if a.tag.Empty() {
					t.Errorf("mark %d has no tag", i+1)
				}
				for j, b := range shapes[:i] {
					if a.tag.Overlaps(b.tag) {
						t.Errorf("the tags of %d and %d overlap: %v, %v", j+1, i+1, b.tag, a.tag)
					}
				}
			}
		})
	}
}

// The place of a tag, chosen by what is around its mark.
func TestTagPlaces(t *testing.T) {
	t.Parallel()
	box := image.Rect(300, 200, 400, 216)
	above, below := image.Rect(280, 170, 420, 196), image.Rect(280, 220, 420, 246)
	left, right := image.Rect(200, 190, 296, 226), image.Rect(404, 190, 500, 226)
	at := image.Pt
	for name, c := range map[string]struct {
		texts []image.Rectangle // marked
		ink   []image.Rectangle // not marked, but on the screen
		line  int               // a line across the screen at this y; 0: none
		want  image.Point       // on which side of the box the tag is
	}{
		"nothing":                {want: at(0, -1)},
		"text just touched":      {texts: []image.Rectangle{image.Rect(280, 150, 420, 181)}, want: at(0, -1)},
		"text above":             {texts: []image.Rectangle{above}, want: at(0, 1)},
		"text above and below":   {texts: []image.Rectangle{above, below}, want: at(-1, 0)},
		"only the right is free": {texts: []image.Rectangle{above, below, left}, want: at(1, 0)},
		"all around":             {texts: []image.Rectangle{above, below, left, right}, want: at(0, 0)},
		"ink above":              {ink: []image.Rectangle{above}, want: at(0, 1)},
		"ink above and below":    {ink: []image.Rectangle{above, below}, want: at(-1, 0)},
		"a line above":           {line: 190, want: at(0, -1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screen := blank(800, 600)
			for _, r := range c.ink {
				stripes(screen, r)
			}
			if c.line > 0 {
				fill(screen, image.Rect(0, c.line, 800, c.line+1), ink)
			}
			marks := []Mark{{Box: box, Label: "1"}}
			for _, r := range c.texts {
				marks = append(marks, Mark{Box: r})
			}
			tag := laidOut(t, screen, marks)[0].tag
			if got := side(box, tag); got != c.want {
				t.Errorf("the tag is at %v, side %v, want %v", tag, got, c.want)
			}
		})
	}
}

func TestPlacingStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	screen := blank(100, 100)
	s := sizesFor(screen.Rect, 0)
	shapes := shapesOf([]Mark{{Box: image.Rect(40, 40, 60, 60), Label: "1"}}, screen.Rect, s)
	if err := placeTags(ctx, shapes, screen, s, newOccupancy(screen.Rect)); !errors.Is(err, context.Canceled) || !shapes[0].tag.Empty() {
		t.Errorf("placed at %v with error %v", shapes[0].tag, err)
	}
}

// A high box is a region with room inside, so tags may go there.
func TestTagsMayLieOnRegions(t *testing.T) {
	t.Parallel()
	screen := blank(400, 300)
	for high, want := range map[int]image.Point{72: {0, 1}, 73: {0, -1}} {
		t.Run(fmt.Sprint(high), func(t *testing.T) {
			shapes := laidOut(t, screen, []Mark{
				{Box: image.Rect(100, 195, 200, 211), Label: "1"},
				{Box: image.Rect(0, 190-high, 400, 190)},
			})
			if got := side(shapes[0].box, shapes[0].tag); got != want {
				t.Errorf("below a box %d high the tag is on side %v, want %v", high, got, want)
			}
		})
	}
}

func TestTagsLeftOutForLackOfRoom(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{100, 17}, {12, 100}, {1, 1}} {
		t.Run(size.String(), func(t *testing.T) {
			shapes := laidOut(t, blank(size.X, size.Y), []Mark{{Box: image.Rect(0, 0, 1, 1), Label: "12"}})
			if tag := shapes[0].tag; !tag.Empty() {
				t.Errorf("a screen of %v has a tag at %v", size, tag)
			}
		})
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	face := newTypeface(12)
	long := strings.Repeat("w", maxLabel)
	for _, c := range []struct {
		label string
		room  int
		want  string
	}{
		{"Check out", 200, "Check out"},
		{"Check out", 48, "Chec…"},
		{"Check out", 53, "Check…"},
		{"Check out", 8, ""},
		{"Check out", 0, ""},
		{"Check out", -5, ""},
		{"", 100, ""},
		{" \n two\nlines\x00 ", 100, "two lines"},
		{"Überschrift Größe", 200, "Überschrift Größe"},
		{long, 10_000, long},
		{long + "w", 10_000, long[:maxLabel] + "…"},
	} {
		t.Run(fmt.Sprint(c.label, " ", c.want), func(t *testing.T) {
			text, width := face.fit(c.label, c.room)
			if text != c.want || width > max(c.room, 0) || (width == 0) != (text == "") {
				t.Errorf("fit(%q, %d) = %q, %d wide; want %q", c.label, c.room, text, width, c.want)
			}
		})
	}
}

func TestLettersStayInTheirBox(t *testing.T) {
	t.Parallel()
	screen := blank(60, 40)
	box := image.Rect(20, 15, 35, 20)
	newTypeface(24).draw(screen, box, -3, "Wgj", ink)
	wiped := clone(screen)
	restore(wiped, blank(60, 40), box)
	if !bytes.Equal(wiped.Pix, blank(60, 40).Pix) {
		t.Error("a letter reaches out of its box")
	}
	if bytes.Equal(screen.Pix, wiped.Pix) {
		t.Error("no letter was drawn")
	}
}

// laidOut returns the shapes that Draw would draw with labels, in the order of
// marks.
func laidOut(t *testing.T, screen *image.NRGBA, marks []Mark) []shape {
	t.Helper()
	s := sizesFor(screen.Rect, 0)
	shapes := shapesOf(marks, screen.Rect, s)
	if err := placeTags(t.Context(), shapes, screen, s, newOccupancy(screen.Rect)); err != nil {
		t.Fatal(err)
	}
	return shapes
}

// rows returns n marks of size, from start on, each a step further.
func rows(n int, size, step, start image.Point) []Mark {
	marks := make([]Mark, n)
	for i := range marks {
		at := start.Add(step.Mul(i))
		marks[i] = Mark{Box: image.Rectangle{Min: at, Max: at.Add(size)}, Label: fmt.Sprint(i + 1)}
	}
	return marks
}

func randomMarks(random *rand.Rand, screen image.Rectangle, n int) []Mark {
	marks := make([]Mark, n)
	for i := range marks {
		at := image.Pt(random.IntN(screen.Dx()+40)-20, random.IntN(screen.Dy()+40)-20)
		size := image.Pt(random.IntN(200), random.IntN(60))
		marks[i] = Mark{
			Box:   image.Rectangle{Min: at, Max: at.Add(size)},
			Label: strings.Repeat("Wj1 ", random.IntN(12)),
		}
	}
	return marks
}

// side returns on which side of box tag lies: x and y are -1, 0 or 1.
func side(box, tag image.Rectangle) image.Point {
	var at image.Point
	switch {
	case tag.Max.X <= box.Min.X:
		at.X = -1
	case tag.Min.X >= box.Max.X:
		at.X = 1
	}
	switch {
	case tag.Max.Y <= box.Min.Y:
		at.Y = -1
	case tag.Min.Y >= box.Max.Y:
		at.Y = 1
	}
	return at
}

func blank(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	fill(img, img.Rect, white)
	return img
}

func noise(random *rand.Rand, width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32())
	}
	return img
}

// stripes draws what has edges as text does.
func stripes(img *image.NRGBA, r image.Rectangle) {
	for x := r.Min.X; x < r.Max.X; x += 5 {
		fill(img, image.Rect(x, r.Min.Y, x+1, r.Max.Y), ink)
	}
}

func fill(img *image.NRGBA, r image.Rectangle, c color.NRGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetNRGBA(x, y, c)
		}
	}
}

// restore copies r back from the original.
func restore(img, original *image.NRGBA, r image.Rectangle) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetNRGBA(x, y, original.NRGBAAt(x, y))
		}
	}
}
