package elements_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
)

// A page is a picture with what is written on it, which readers would have
// read.
type page struct {
	img  *image.NRGBA
	rows []perception.Row
}

var (
	white = color.NRGBA{255, 255, 255, 255}
	ink   = color.NRGBA{33, 37, 41, 255}
	blue  = color.NRGBA{0, 123, 255, 255}
	line  = color.NRGBA{206, 212, 218, 255}
	dark  = color.NRGBA{52, 58, 64, 255}
)

func newPage(w, h int) *page {
	p := &page{img: image.NewNRGBA(image.Rect(0, 0, w, h))}
	p.fill(p.img.Rect, white)
	return p
}

func (p *page) fill(box image.Rectangle, c color.Color) {
	draw.Draw(p.img, box, image.NewUniform(c), image.Point{}, draw.Src)
}

// outline draws a box with a line around it.
func (p *page) outline(box image.Rectangle, border, c color.Color) {
	p.fill(box, border)
	p.fill(box.Inset(1), c)
}

// write puts strokes where a text of that many letters would be, with its left
// end at (x, y), 13 pixels high.
func (p *page) write(x, y int, text string, c color.Color) {
	for i, r := range text {
		if r != ' ' {
			p.fill(image.Rect(x+8*i, y, x+8*i+2, y+13), c)
			p.fill(image.Rect(x+8*i, y, x+8*i+6, y+2), c)
		}
	}
	p.rows = append(p.rows, perception.NewRow([]perception.Word{{Text: text, Confidence: 1, Box: image.Rect(x, y, x+8*len(text), y+13)}}))
}

// cross draws an icon.
func (p *page) cross(box image.Rectangle, c color.Color) {
	m := box.Min.Add(box.Max).Div(2)
	p.fill(image.Rect(box.Min.X, m.Y-1, box.Max.X, m.Y+1), c)
	p.fill(image.Rect(m.X-1, box.Min.Y, m.X+1, box.Max.Y), c)
}

// find returns the element in the middle of whose box a point is, of a role.
func find(t *testing.T, list []elements.Element, role elements.Role, at image.Point) elements.Element {
	t.Helper()
	for _, e := range list {
		if e.Role == role && at.In(e.Box) {
			return e
		}
	}
	for _, e := range list {
		if at.In(e.Box) {
			t.Logf("there is: %s %q %v", e.Role, e.Label, e.Box)
		}
	}
	t.Fatalf("no %s at %v", role, at)
	return elements.Element{}
}

// form is a page with one of most things.
func form() *page {
	p := newPage(900, 600)
	p.fill(image.Rect(0, 0, 200, 600), dark)
	for i, label := range []string{"Home", "Users", "Reports", "Settings"} {
		p.write(40, 100+44*i, label, white)
		p.cross(image.Rect(14, 99+44*i, 28, 113+44*i), white)
	}
	p.write(240, 40, "Email", ink)
	p.outline(image.Rect(240, 60, 540, 98), line, white)
	p.write(252, 72, "Enter email", color.NRGBA{134, 142, 150, 255})
	p.outline(image.Rect(240, 130, 256, 146), line, white)
	p.write(264, 131, "Remember me", ink)
	p.fill(image.Rect(240, 180, 340, 218), blue)
	p.write(266, 192, "Submit", white)
	p.outline(image.Rect(360, 180, 398, 218), line, color.NRGBA{248, 249, 250, 255})
	p.cross(image.Rect(372, 192, 386, 206), ink)
	p.write(240, 260, "Read the", ink)
	p.write(312, 260, "manual", blue)
	p.write(240, 281, "Message", ink)
	p.outline(image.Rect(240, 300, 640, 400), line, white)
	p.fill(image.Rect(240, 440, 276, 458), color.NRGBA{220, 53, 69, 255})
	p.write(246, 443, "New", white)
	return p
}

// listOf returns the elements of a screen.
func listOf(t testing.TB, img *image.NRGBA, rows []perception.Row) []elements.Element {
	t.Helper()
	list, err := elements.ByRules(t.Context(), img, rows)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Each thing is found in its place, as what it is.
func TestFind(t *testing.T) {
	t.Parallel()
	p := form()
	list := listOf(t, p.img, p.rows)
	for _, tt := range []struct {
		role  elements.Role
		at    image.Point
		box   image.Rectangle
		label string
	}{
		{elements.Button, image.Pt(290, 199), image.Rect(240, 180, 340, 218), "Submit"},
		{elements.Field, image.Pt(500, 80), image.Rect(240, 60, 540, 98), "Enter email"},
		{elements.Checkbox, image.Pt(248, 138), image.Rect(240, 130, 256, 146), "Remember me"},
		{elements.IconButton, image.Pt(379, 199), image.Rect(360, 180, 398, 218), ""},
		{elements.TextArea, image.Pt(600, 380), image.Rect(240, 300, 640, 400), "Message"},
		{elements.Badge, image.Pt(242, 442), image.Rect(240, 440, 276, 458), "New"},
		{elements.MenuItem, image.Pt(150, 150), image.Rect(0, 128, 200, 172), "Users"},
		{elements.Icon, image.Pt(21, 106), image.Rect(14, 99, 28, 113), ""},
		{elements.Link, image.Pt(330, 266), image.Rect(312, 258, 360, 275), "manual"},
		{elements.Text, image.Pt(250, 46), image.Rect(240, 38, 280, 55), "Email"},
	} {
		t.Run(fmt.Sprint(tt.role), func(t *testing.T) {
			e := find(t, list, tt.role, tt.at)
			if overlap(e.Box, tt.box) < 0.75 || e.Label != tt.label {
				t.Errorf("%s at %v is %q at %v, want %q at %v", tt.role, tt.at, e.Label, e.Box, tt.label, tt.box)
			}
		})
	}
}

// What is in something comes after it, and says so.
func TestFindNests(t *testing.T) {
	t.Parallel()
	p := form()
	list := listOf(t, p.img, p.rows)
	for i, e := range list {
		if e.Parent >= i {
			t.Errorf("%s %v is before what it is in", e.Role, e.Box)
		}
		if e.Parent >= 0 && overlap(list[e.Parent].Box, e.Box) == 0 {
			t.Errorf("%s %v is not in %v", e.Role, e.Box, list[e.Parent].Box)
		}
	}
	submit := find(t, list, elements.Button, image.Pt(290, 199))
	if got := submit.Fill.Name() + " " + submit.Ink.Name(); got != "blue white" {
		t.Errorf("the button is %s", got)
	}
}

// A screen twice as fine has the same elements, twice as large.
func TestFindAtTwiceTheSize(t *testing.T) {
	t.Parallel()
	p := form()
	large := &page{img: image.NewNRGBA(image.Rect(0, 0, 1800, 1200))}
	for y := range 1200 {
		for x := range 1800 {
			large.img.SetNRGBA(x, y, p.img.NRGBAAt(x/2, y/2))
		}
	}
	for _, r := range p.rows {
		w := r.Words[0]
		w.Box = image.Rect(2*w.Box.Min.X, 2*w.Box.Min.Y, 2*w.Box.Max.X, 2*w.Box.Max.Y)
		large.rows = append(large.rows, perception.NewRow([]perception.Word{w}))
	}
	list := listOf(t, large.img, large.rows)
	for role, at := range map[elements.Role]image.Point{
		elements.Button: {X: 580, Y: 398}, elements.Field: {X: 1000, Y: 160}, elements.IconButton: {X: 758, Y: 398}, elements.MenuItem: {X: 300, Y: 300},
		elements.Checkbox: {X: 496, Y: 276},
	} {
		find(t, list, role, at)
	}
}

// Images without anything on them, or with too much, have no elements or many,
// and end.
func TestFindEdges(t *testing.T) {
	t.Parallel()
	if list := listOf(t, image.NewNRGBA(image.Rectangle{}), nil); len(list) > 0 {
		t.Errorf("nothing has %v", list)
	}
	for _, size := range []image.Point{{X: 1, Y: 1}, {X: 2, Y: 500}, {X: 500, Y: 2}, {X: 64, Y: 64}} {
		listOf(t, image.NewNRGBA(image.Rectangle{Max: size}), nil)
	}
	noise := image.NewNRGBA(image.Rect(0, 0, 300, 300))
	state := uint32(1)
	for i := range noise.Pix {
		state = state*1664525 + 1013904223
		noise.Pix[i] = uint8(state >> 24)
	}
	if list := listOf(t, noise, nil); len(list) > 50 {
		t.Errorf("noise has %d elements", len(list))
	}
	for _, tile := range []image.Point{{X: 14, Y: 14}, {X: 30, Y: 20}, {X: 60, Y: 24}, {X: 130, Y: 70}} {
		t.Run(tile.String(), func(t *testing.T) { // up to the edges
			p := newPage(500, 300)
			for i := range 400 {
				state = state*1664525 + 1013904223
				at := image.Pt(i%35*(tile.X+2)-i%3, i/35*(tile.Y+2)-i%2)
				p.outline(image.Rectangle{Min: at, Max: at.Add(tile)}, line, color.NRGBA{uint8(state >> 24), uint8(state >> 16), uint8(state >> 8), 255})
				if word := image.Rect(at.X, at.Y+4, at.X+16, at.Y+17); i%5 == 0 && word.In(p.img.Rect) {
					p.write(at.X, at.Y+4, "AB", ink)
				}
			}
			for _, e := range listOf(t, p.img, p.rows) {
				if !e.Box.In(p.img.Rect) {
					t.Errorf("%s %v is not on the image", e.Role, e.Box)
				}
			}
		})
	}
}

// overlap is the part that two boxes share of what they cover together.
func overlap(a, b image.Rectangle) float64 {
	area := func(r image.Rectangle) int { return r.Dx() * r.Dy() }
	shared := area(a.Intersect(b))
	return float64(shared) / float64(area(a)+area(b)-shared)
}

// BenchmarkFind finds the elements of a form of usual size.
func BenchmarkFind(b *testing.B) {
	p := newPage(1440, 900)
	draw.Draw(p.img, image.Rect(0, 0, 900, 600), form().img, image.Point{}, draw.Src)
	p.rows = form().rows
	for b.Loop() {
		listOf(b, p.img, p.rows)
	}
}
