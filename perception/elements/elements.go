// Package elements tells what stands on a screen besides words: buttons,
// fields, icons, pictures, and what contains what.
//
//	list := elements.Find(img, scene.Rows)
//
// It works on what is drawn. Areas of one color are faces: of a page, a
// panel, a button. What is on them and is no writing is ink: icons, lines,
// pictures, borders. Where items have no faces of their own, as in most menus,
// the space around them is divided between them. Rules with scores then say
// what each is for.
package elements

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements/icons"
)

// Role says what an element is for.
type Role string

// The roles. What can be clicked or typed into comes first. A Tab, Dropdown,
// Radio or Toggle can be asked for, and is not told from its like yet.
const (
	Button     Role = "button"
	IconButton Role = "icon button"
	Link       Role = "link"
	MenuItem   Role = "menu item"
	Tab        Role = "tab"
	Field      Role = "field"
	SearchBox  Role = "search box"
	TextArea   Role = "text area"
	Dropdown   Role = "dropdown"
	Checkbox   Role = "checkbox"
	Radio      Role = "radio"
	Toggle     Role = "toggle"

	Badge   Role = "badge"
	Heading Role = "heading"
	Text    Role = "text"
	Icon    Role = "icon"
	Picture Role = "image"
	Panel   Role = "panel"
)

// Element is something on a screen.
type Element struct {
	Role   Role
	Box    image.Rectangle
	Label  string // what is written in it, or beside it
	Fill   *Color
	Border *Color
	Ink    *Color            // of its writing or icon
	Icons  []icons.Candidate // what its icon may be, the likeliest first
	States []State
	Parent int // the place in the list of what it is in, which comes before it; -1 for none

	kind kind
}

// State is a state that can be seen.
type State string

// The states.
const (
	Checked  State = "checked"
	Disabled State = "disabled"
	Selected State = "selected"
)

// kind is how an element was found.
type kind int

const (
	face   kind = iota // an area of one color
	phrase             // writing
	symbol             // ink as small as an icon
	photo              // larger ink
	cell               // the space of an item without a face
	line               // a field that has but a line below it
)

// Find finds the elements of a screen whose rows of text are known, each after
// what it is in. It takes about 20 ms for 1440x900 pixels on two processors.
func Find(img *image.NRGBA, rows []perception.Row) []Element {
	if img.Rect.Empty() {
		return nil
	}
	f := &finder{img: img}
	for _, r := range rows {
		f.rows = append(f.rows, r.Box)
	}
	f.unit = scale(f.rows)
	all, ground := regions(img, f.px(8)*f.px(8), f.isGround)
	f.addFaces(all)
	f.addInk(blobs(ground, img.Rect.Dx(), img.Rect.Dy()))
	f.addWriting(rows)
	f.divide()
	f.addUnderlined()
	f.nest()
	for i := range f.list {
		f.judge(i)
	}
	for i := range f.list {
		f.labelFromOutside(&f.list[i])
	}
	return f.list
}

// finder finds the elements of one screen.
type finder struct {
	img      *image.NRGBA
	unit     float64 // pixels of this screen for one of a screen with 96 dots an inch
	rows     []image.Rectangle
	faces    []image.Rectangle // from large to small
	texts    []image.Rectangle // phrases
	symbols  []image.Rectangle
	rules    []image.Rectangle // horizontal lines
	list     []Element
	children [][]int // by element
}

// textHeight is how high a row of writing is in most interfaces, in pixels, as
// readers box it.
const textHeight = 13

// scale returns the unit of a screen with these rows of writing.
func scale(rows []image.Rectangle) float64 {
	if len(rows) < 3 {
		return 1
	}
	var heights []int
	for _, r := range rows {
		heights = append(heights, r.Dy())
	}
	slices.Sort(heights)
	return max(1, float64(heights[len(heights)/2])/textHeight)
}

// px is a length on a usual screen, on this one.
func (f *finder) px(n int) int { return int(float64(n)*f.unit + 0.5) }

// isGround reports whether things are drawn on a region: it is large, or has
// the form of a button or field.
func (f *finder) isGround(r *region) bool {
	w, h := r.box.Dx(), r.box.Dy()
	area := float64(w * h)
	return r.area >= f.px(40)*f.px(40) || min(w, h) >= f.px(13) && float64(r.span) >= compact*area && float64(r.area) >= 0.3*area
}

// compact is how much of its box a face fills at least: a circle does 0.785.
const compact = 0.74

func (f *finder) addFaces(all []region) {
	for _, r := range all {
		if f.isGround(&r) && float64(r.span) >= compact*float64(areaOf(r.box)) {
			f.list = append(f.list, Element{Box: r.box, Fill: colorOf(r.color), kind: face})
		}
	}
	slices.SortStableFunc(f.list, func(a, b Element) int { return areaOf(b.Box) - areaOf(a.Box) })
	for i := range f.list {
		f.faces = append(f.faces, f.list[i].Box)
		f.addBorder(&f.list[i])
	}
}

// addBorder finds the line around a face: its color, just outside of the
// middle of at least three sides, is neither the face's nor what is behind it.
func (f *finder) addBorder(e *Element) {
	m, b := middle(e.Box), e.Box
	var found []Color
	for _, p := range [][2]image.Point{
		{{X: b.Min.X - 1, Y: m.Y}, {X: b.Min.X - 4, Y: m.Y}}, {{X: b.Max.X, Y: m.Y}, {X: b.Max.X + 3, Y: m.Y}},
		{{X: m.X, Y: b.Min.Y - 1}, {X: m.X, Y: b.Min.Y - 4}}, {{X: m.X, Y: b.Max.Y}, {X: m.X, Y: b.Max.Y + 3}},
	} {
		if !p[0].In(f.img.Rect) || !p[1].In(f.img.Rect) {
			continue
		}
		line := f.at(p[0].X, p[0].Y)
		if apart(line, *e.Fill) > 3*tolerance*2 && apart(line, f.at(p[1].X, p[1].Y)) > 3*tolerance*2 {
			found = append(found, line)
		}
	}
	if len(found) >= 3 {
		e.Border, e.Box = &found[0], pad(b, 1, 1)
	}
}

func (f *finder) at(x, y int) Color {
	p := f.img.Pix[f.img.PixOffset(x, y):]
	return Color{p[0], p[1], p[2]}
}

func colorOf(pixel uint32) *Color {
	return &Color{uint8(pixel), uint8(pixel >> 8), uint8(pixel >> 16)}
}

// apart is how far two colors are from each other, 0 to 765.
func apart(a, b Color) int {
	return abs(int(a.R)-int(b.R)) + abs(int(a.G)-int(b.G)) + abs(int(a.B)-int(b.B))
}

func abs(n int) int { return max(n, -n) }

func areaOf(r image.Rectangle) int { return r.Dx() * r.Dy() }

func pad(r image.Rectangle, x, y int) image.Rectangle {
	return image.Rect(r.Min.X-x, r.Min.Y-y, r.Max.X+x, r.Max.Y+y)
}

func middle(r image.Rectangle) image.Point { return r.Min.Add(r.Max).Div(2) }
