// Package elements finds what a screen shows besides words: buttons, fields, icons and pictures. It
// also finds which elements contain other elements.
//
//	list, err := elements.Find(ctx, img, scene.Rows)
//
// A face is an area of one color: a page, a panel, a button. Ink is everything else on faces that
// is not text: icons, lines, pictures, borders. Items without faces, such as those of most menus,
// share the space around them. Rules with scores decide the role of each element.
package elements

import (
	"context"
	"image"
	"iter"
	"slices"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/geo"
)

// Role is the purpose of an element.
type Role string

// Values of Role: first those that can be clicked or typed into, then those that only inform, then
// containers.
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
	Slider     Role = "slider"

	Progress Role = "progress bar"
	Avatar   Role = "avatar"
	Badge    Role = "badge"
	Heading  Role = "heading"
	Text     Role = "text"
	Icon     Role = "icon"
	Picture  Role = "image"

	Panel   Role = "panel"
	Row     Role = "row" // a row of a table or list
	Toolbar Role = "toolbar"
	Sidebar Role = "sidebar"
	Dialog  Role = "dialog"
)

// RoleNames returns the names of all roles.
func RoleNames() []string {
	return []string{
		string(Button), string(IconButton), string(Link), string(MenuItem), string(Tab), string(Field), string(SearchBox), string(TextArea),
		string(Dropdown), string(Checkbox), string(Radio), string(Toggle), string(Slider), string(Progress), string(Avatar), string(Badge),
		string(Heading), string(Text), string(Icon), string(Picture), string(Panel), string(Row), string(Toolbar), string(Sidebar), string(Dialog),
	}
}

// Holds reports whether elements of the role are containers, such as panels.
func (r Role) Holds() bool {
	return r == Panel || r == Row || r == Toolbar || r == Sidebar || r == Dialog
}

// IsActedOn reports whether elements of the role can be clicked, set or typed into.
func (r Role) IsActedOn() bool {
	switch r {
	case Button, IconButton, Link, MenuItem, Tab, Field, SearchBox, TextArea, Dropdown, Checkbox, Radio, Toggle, Slider:
		return true
	}
	return false
}

// IsChecked reports whether elements of the role can be on or off.
func (r Role) IsChecked() bool { return r == Checkbox || r == Radio || r == Toggle }

// Element is a visible part of a screen, such as a button, a text or a panel.
type Element struct {
	// Role is the purpose of the element.
	Role Role
	// Box is in pixels of the screen.
	Box image.Rectangle
	// Label is the text in the element, or else the text beside it. It may be empty.
	Label string
	// Caption is the text beside a field, a checkbox or a similar control. It may be empty.
	Caption string
	// Fill is the color of the element's surface; nil if it has none.
	Fill *Color
	// Border is the color of the element's border; nil if it has none.
	Border *Color
	// Ink is the color of the element's text or icon; nil if it has none.
	Ink *Color
	// Icons has the possible meanings of the element's icon, the likeliest first.
	Icons []icons.Candidate
	// States are the visible states of the element.
	States []State
	// Parent is the index of the element's container in the list of elements. The container comes
	// before the element. -1 means that there is no container.
	Parent int

	kind kind
	on   int // index of the face that it is on, or -1
}

// State is a visible state of an element.
type State string

// Values of State.
const (
	Checked   State = "checked" // the control is on, for example a checkbox or a switch
	Unchecked State = "unchecked"
	Disabled  State = "disabled"
	Selected  State = "selected"
	Focused   State = "focused"
	Empty     State = "empty" // the field shows only a placeholder or nothing
)

// kind is how an element was found.
type kind int

const (
	face    kind = iota // an area of one color
	phrase              // writing
	symbol              // ink as small as an icon
	photo               // larger ink
	cell                // the space of an item without a face
	line                // a field that is only a line below its text
	control             // recognized by its shape alone
	tab                 // the space of a tab
)

// Find returns the elements of a screen. The bounds of img must begin at (0, 0). rows are the rows of
// text on the screen. In the result, a container comes before its content. Soon after ctx ends,
// Find returns the error of ctx. It takes less than 20 ms for 1440 x 900 pixels on two cores.
func Find(ctx context.Context, img *image.NRGBA, rows []perception.Row) ([]Element, error) {
	f, err := find(ctx, img, rows)
	if err != nil || f == nil {
		return nil, err
	}
	for _, step := range []func(){f.sift, f.nameTitleBars, f.captionAll} {
		if step(); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return f.list, nil
}

// find finds elements and sets their roles by rules alone. It returns nil for an empty screen.
func find(ctx context.Context, img *image.NRGBA, rows []perception.Row) (*finder, error) {
	if img.Rect.Empty() {
		return nil, nil
	}
	rows = writingOf(rows)
	f := &finder{ctx: ctx, img: img, rows: boxesOf(rows)}
	f.unit = unitOf(f.rows)
	ink, err := f.addRegions()
	if err != nil {
		return nil, err
	}
	for _, step := range []func(){
		func() { f.addInk(ink) }, func() { f.addControls(f.regions, ink) }, func() { f.addWriting(rows) }, f.addTabs, f.divide, f.addUnderlined, f.nest, f.judgeAll,
	} {
		if step(); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return f, nil
}

// addRegions finds the areas of one color, adds the faces among them, and returns the ink on them.
func (f *finder) addRegions() ([]blob, error) {
	all, ground, err := regions(f.ctx, f.img, f.px(8)*f.px(8), f.isGround)
	if err != nil || ground == nil {
		return nil, err
	}
	f.regions = all
	f.addFaces(all)
	return blobs(ground, f.img.Rect.Dx(), f.img.Rect.Dy()), f.ctx.Err()
}

// WorkingBytes returns the maximum memory that Find needs for a screen of this size, in bytes,
// without the screen's own pixels.
func WorkingBytes(size image.Point) int64 {
	pixels := size.X * size.Y
	return 1<<20 + int64(pixels) + runBytes*int64(min(pixels/minRun, maxRuns))
}

// captionAll sets the captions of all elements. It is the last step of Find, because sift may still
// change roles.
func (f *finder) captionAll() {
	for i := range f.list {
		if f.ended() {
			return
		}
		f.caption(&f.list[i])
	}
}

// ended reports whether ctx has ended. Loops over lists that a hostile screen can make long call
// it.
func (f *finder) ended() bool { return f.ctx.Err() != nil }

// judgeAll sets roles and states: first by each element alone, then by its neighbours.
func (f *finder) judgeAll() {
	for i := range f.list {
		if f.ended() {
			return
		}
		f.judge(i)
	}
	for i := range f.list {
		if f.ended() {
			return
		}
		f.selectAmong(i)
		f.selectByInk(i)
	}
	for i := range f.list {
		if f.ended() {
			return
		}
		f.judgeState(i)
		f.judgePanel(i)
	}
}

// finder finds the elements of one screen.
type finder struct {
	ctx      context.Context
	regions  []region
	img      *image.NRGBA
	unit     float64 // pixels of this screen per usual pixel, of a screen with 96 dots per inch
	rows     []image.Rectangle
	faces    []image.Rectangle // from large to small
	where    places            // index of the faces
	texts    []image.Rectangle // phrases
	symbols  []image.Rectangle
	rules    []image.Rectangle // horizontal lines
	controls []image.Rectangle
	tabs     []image.Rectangle
	list     []Element
	children [][]int // by element
}

const (
	textHeight  = 13   // pixels of a text row's box in most interfaces, which defines a usual pixel
	mostDrawing = 24   // maximum width and height of a filled part of an icon, in usual pixels
	compact     = 0.74 // minimum share of its box that a face fills: a circle fills 0.785
)

// unitOf returns the pixels per usual pixel of a screen with these rows of text.
func unitOf(rows []image.Rectangle) float64 {
	heights := make([]int, len(rows))
	for i, r := range rows {
		heights[i] = r.Dy()
	}
	return geo.Unit(heights, 3, textHeight)
}

// px converts usual pixels to pixels of this screen.
func (f *finder) px(n int) int { return int(float64(n)*f.unit + 0.5) }

// isGround reports whether a region is large, or has the shape of a button or field.
func (f *finder) isGround(r *region) bool {
	if f.ended() {
		return false
	}
	area := float64(geo.Area(r.box))
	return r.area >= f.px(40)*f.px(40) || min(r.box.Dx(), r.box.Dy()) >= f.px(13) && float64(r.span) >= compact*area && float64(r.area) >= 0.3*area && !f.isDrawing(r)
}

// isDrawing reports whether a region is a filled part of an icon, or the inside of its lines.
func (f *finder) isDrawing(r *region) bool {
	w, h := r.box.Dx(), r.box.Dy()
	if max(w, h) > f.px(mostDrawing) || f.written(r.box) {
		return false
	}
	filled := 100*r.area >= 98*r.span && 1000*r.span < 955*w*h
	return filled && !f.isDisc(r) || f.isHollow(r)
}

// isDisc reports whether a region fills about as much of its box as a circle.
func (f *finder) isDisc(r *region) bool {
	w, h := r.box.Dx(), r.box.Dy()
	part := float64(r.span) / float64(w*h)
	return geo.Abs(w-h) <= f.px(1) && part > 0.76 && part < 0.82
}

// isHollow reports whether a region is small and its color continues outside of a thin line around
// it.
func (f *finder) isHollow(r *region) bool {
	c := *colorOf(r.color)
	if max(r.box.Dx(), r.box.Dy()) > f.px(18) {
		return false
	}
	for at, out := range sides(r.box) {
		again := false
		for range f.px(4) {
			if at = at.Add(out); at.In(f.img.Rect) && Apart(f.at(at.X, at.Y), c) <= 3*tolerance {
				again = true
				break
			}
		}
		if !again {
			return false
		}
	}
	return true
}

// sides yields the pixels just outside of the middles of a box's sides, each with the step away
// from the box.
func sides(b image.Rectangle) iter.Seq2[image.Point, image.Point] {
	m := geo.Center(b)
	return func(yield func(at, out image.Point) bool) {
		_ = yield(image.Pt(b.Min.X-1, m.Y), image.Pt(-1, 0)) && yield(image.Pt(b.Max.X, m.Y), image.Pt(1, 0)) &&
			yield(image.Pt(m.X, b.Min.Y-1), image.Pt(0, -1)) && yield(image.Pt(m.X, b.Max.Y), image.Pt(0, 1))
	}
}

// addFaces adds the faces among the regions to f.list and f.faces, from large to small. It is the
// first step that adds to f.list, so both have the same indices until keepGroups removes some.
func (f *finder) addFaces(all []region) {
	for _, r := range all {
		if f.isGround(&r) && !f.isLetter(r.box) && float64(r.span) >= compact*float64(geo.Area(r.box)) {
			f.list = append(f.list, Element{Box: r.box, Fill: colorOf(r.color), kind: face})
		}
	}
	slices.SortStableFunc(f.list, func(a, b Element) int { return geo.Area(b.Box) - geo.Area(a.Box) })
	for i := range f.list {
		f.faces = append(f.faces, f.list[i].Box)
		f.addBorder(&f.list[i])
	}
	f.placeFaces()
}

// placeFaces indexes the faces, with a margin for the lines and corners that belong to them. See
// borders.
func (f *finder) placeFaces() { f.where = newPlaces(f.faces, f.px(4)+1) }

// isLetter reports whether an area is part of a large letter. An area twice as wide as high is a
// button that OCR included in a row.
func (f *finder) isLetter(b image.Rectangle) bool {
	return slices.ContainsFunc(f.rows, func(r image.Rectangle) bool {
		return b.In(geo.Pad(r, 2, 2)) && 2*b.Dx() < r.Dx() && b.Dx() < 2*r.Dy()
	})
}

// addBorder sets the border of a face if it has a line around it. Just outside of the middle of at
// least three sides, a color must differ from the face's and from the color behind it.
func (f *finder) addBorder(e *Element) {
	var found []Color
	for at, out := range sides(e.Box) {
		behind := at.Add(out.Mul(f.px(2) + 1))
		if !at.In(f.img.Rect) || !behind.In(f.img.Rect) {
			continue
		}
		line := f.at(at.X, at.Y)
		// Smoothing may leave a pale pixel between the face and the line.
		for range f.px(1) {
			at = at.Add(out)
			if c := f.at(at.X, at.Y); f.unit > 1 && Apart(c, *e.Fill) > Apart(line, *e.Fill) {
				line = c
			}
		}
		if Apart(line, *e.Fill) > 3*tolerance*2 && Apart(line, f.at(behind.X, behind.Y)) > 3*tolerance*2 {
			found = append(found, line)
		}
	}
	if len(found) >= 3 {
		e.Border, e.Box = &found[0], geo.Pad(e.Box, 1, 1).Intersect(f.img.Rect)
	}
}

// GroundOf returns the index and the color of the nearest container that has a color and contains
// element i. If the element has no such container, it returns -1 and nil.
func GroundOf(list []Element, i int) (int, *Color) {
	for p := list[i].Parent; p >= 0; p = list[p].Parent {
		if list[p].Fill != nil {
			return p, list[p].Fill
		}
	}
	return -1, nil
}

// Icon returns the name of the element's icon. It returns "" if the score of the best candidate is
// less than icons.Sure.
func (e *Element) Icon() string {
	if len(e.Icons) > 0 && e.Icons[0].Score >= icons.Sure {
		return e.Icons[0].Name
	}
	return ""
}

// at returns the color of a pixel. The pixel must be inside the image.
func (f *finder) at(x, y int) Color {
	p := f.img.Pix[f.img.PixOffset(x, y):]
	return Color{p[0], p[1], p[2]}
}

// colorOf converts a pixel in the byte order of memory, as in region.color: the lowest byte is red.
func colorOf(pixel uint32) *Color {
	return &Color{uint8(pixel), uint8(pixel >> 8), uint8(pixel >> 16)}
}
