package textline_test

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strconv"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
)

// A line that is missing in a column is added where ink stands, as that of a faint number, and nowhere else.
func TestMendAddsMissing(t *testing.T) {
	t.Parallel()
	const count, pitch, gone = 12, 22, 5
	for name, c := range map[string]struct {
		ink   color.Color
		place image.Point // of the missing one, from its own
		text  string
		added bool
	}{
		"a number":          {color.Gray{90}, image.Point{}, "6", true},
		"nothing":           {color.Gray{90}, image.Point{}, " ", false},
		"too faint":         {color.Gray{45}, image.Point{}, "6", false},
		"at another height": {color.Gray{90}, image.Pt(0, 7), "6", false},
		"at another side":   {color.Gray{90}, image.Pt(-14, 0), "6", false},
		"of another height": {color.Gray{90}, image.Point{}, "_", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(200, 40+count*pitch, color.Gray{30})
			var want image.Rectangle
			for n := range count {
				text, at, ink := strconv.Itoa(n+1), image.Pt(52, 30+n*pitch), color.Color(color.Gray{90})
				if n >= 9 {
					at.X -= 8
				}
				if n == gone {
					text, at, ink = c.text, at.Add(c.place), c.ink
				}
				drawn := testkit.Pen{Ink: ink, Em: 13}.Write(img, at.X, at.Y, text)
				if n == gone {
					want = union(drawn)
				}
			}
			layout := find(t, img)
			layout.Lines = slices.DeleteFunc(layout.Lines, func(l textline.Line) bool { return l.Box.Overlaps(want) })
			before := len(layout.Lines)
			layout.Mend(img)
			if added := len(layout.Lines) - before; added != map[bool]int{true: 1}[c.added] {
				t.Fatalf("%d lines were added: %v", added, boxes(layout.Lines))
			}
			if c.added && !slices.ContainsFunc(layout.Lines, func(l textline.Line) bool { return near(l.Box, want, 2) }) {
				t.Errorf("no line is at %v: %v", want, boxes(layout.Lines))
			}
		})
	}
}

// A line is parted at a rule between cells that is too weak to be found, and not at a margin that text goes on over.
func TestMendParts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		others int // rows with cells on both sides of the rule
		rule   uint8
		parts  int
	}{
		"cells":    {4, 238, 2},
		"a margin": {0, 238, 1},
		"no rule":  {4, 255, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(300, 200, white)
			left := union(testkit.Pen{Ink: black, Em: 13}.Write(img, 60, 40, "Kestrel"))
			x := left.Max.X + 3
			testkit.Pen{Ink: black, Em: 13}.Write(img, x+3, 40, "Norwood")
			for n := range c.others {
				testkit.Pen{Ink: black, Em: 13}.Write(img, x+3, 70+30*n, "Hallam")
			}
			draw.Draw(img, image.Rect(x, 0, x+1, 200), image.NewUniform(color.Gray{c.rule}), image.Point{}, draw.Src)
			layout := find(t, img)
			layout.Mend(img)
			row := slices.DeleteFunc(boxes(layout.Lines), func(b image.Rectangle) bool { return b.Min.Y > 45 })
			if len(row) != c.parts {
				t.Fatalf("%d lines, want %d: %v", len(row), c.parts, row)
			}
			if c.parts == 2 && !near(row[0], left, 2) {
				t.Errorf("the first is at %v, want %v", row[0], left)
			}
		})
	}
}

// A weak rule behind a number, as where lines of code are folded, is no letter of it, and a stroke that is no higher than the line is.
func TestMendEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule image.Rectangle
		goes bool
	}{
		"a rule":   {image.Rect(66, 0, 67, 200), true},
		"a stroke": {image.Rect(66, 32, 67, 44), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(120, 200, white)
			number := union(testkit.Pen{Ink: black, Em: 13}.Write(img, 40, 42, "16"))
			draw.Draw(img, c.rule, image.NewUniform(color.Gray{190}), image.Point{}, draw.Src)
			given, _ := textline.Given(img, number.Inset(-2))
			stroke, _ := textline.Given(img, image.Rect(64, 32, 69, 44))
			layout := textline.Layout{Lines: []textline.Line{given.With(stroke)}}
			layout.Mend(img)
			if got := len(layout.Lines) == 1 && layout.Lines[0].Box == given.Box; got != c.goes {
				t.Errorf("the line is %v, the number %v", boxes(layout.Lines), given.Box)
			}
		})
	}
}

// A frame that lost its upper side goes to the shapes, and what stands around letters otherwise stays.
func TestMendUnframes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sides  []image.Rectangle // of 40,30 to 64,50
		framed bool
	}{
		"a frame":        {[]image.Rectangle{image.Rect(40, 30, 42, 50), image.Rect(62, 30, 64, 50), image.Rect(40, 48, 64, 50)}, true},
		"without a foot": {[]image.Rectangle{image.Rect(40, 30, 42, 50), image.Rect(62, 30, 64, 50)}, false},
		"without a side": {[]image.Rectangle{image.Rect(40, 30, 42, 50), image.Rect(40, 48, 64, 50)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(120, 80, white)
			frame, letter := image.Rect(40, 30, 64, 50), image.Rect(49, 35, 56, 44)
			for _, side := range c.sides {
				draw.Draw(img, side, image.NewUniform(color.Gray{150}), image.Point{}, draw.Src)
			}
			draw.Draw(img, letter, image.NewUniform(black), image.Point{}, draw.Src)
			given, _ := textline.Given(img, frame)
			of, _ := textline.Given(img, letter.Inset(-4))
			layout := textline.Layout{Lines: []textline.Line{given.With(of)}}
			layout.Mend(img)
			if got := len(layout.Lines) == 1 && layout.Lines[0].Box == letter && slices.Equal(layout.Shapes, []image.Rectangle{frame}); got != c.framed {
				t.Errorf("framed %v, want %v: %v %v", got, c.framed, boxes(layout.Lines), layout.Shapes)
			}
		})
	}
}

// The icons of a list are no column that a line is missing in: the one that is known as a frame is not added with the label beside it.
func TestMendLeavesIcons(t *testing.T) {
	t.Parallel()
	const count, pitch, side, framed = 7, 87, 42, 2
	img := testkit.Canvas(260, 20+count*pitch, color.Gray{40})
	var layout textline.Layout
	var labels []image.Rectangle
	for n := range count {
		icon := image.Rect(20, 30+n*pitch, 20+side, 30+n*pitch+side)
		draw.Draw(img, icon, image.NewUniform(blue), image.Point{}, draw.Src)
		label := union(testkit.Pen{Ink: white, Em: 16}.Write(img, 76, icon.Min.Y+27, "Letters"))
		labels = append(labels, label)
		switch n {
		case framed:
			layout.Lines = append(layout.Lines, textline.LineOf(label))
		case count - 1: // one that is taken for a line with its label, as beside a shadow
			layout.Lines = append(layout.Lines, textline.LineOf(icon, label))
		default:
			layout.Lines = append(layout.Lines, textline.LineOf(icon), textline.LineOf(label))
		}
	}
	layout.Mend(img)
	if got := boxes(layout.Lines); !slices.Contains(got, labels[framed]) {
		t.Errorf("no line is the label at %v: %v", labels[framed], got)
	}
}
