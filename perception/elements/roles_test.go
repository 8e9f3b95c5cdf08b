package elements_test

import (
	"fmt"
	"image"
	"image/color"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/windieos/windie/perception/elements"
)

var (
	pale   = color.NRGBA{150, 156, 162, 255}
	grey   = color.NRGBA{118, 118, 118, 255}
	ground = color.NRGBA{240, 241, 243, 255}
)

// disc fills a circle.
func (p *page) disc(cx, cy, r float64, c color.Color) {
	for y := int(cy - r); y <= int(cy+r); y++ {
		for x := int(cx - r); x <= int(cx+r); x++ {
			if dx, dy := float64(x)+0.5-cx, float64(y)+0.5-cy; dx*dx+dy*dy <= r*r {
				p.img.Set(x, y, c)
			}
		}
	}
}

// pill fills a box whose ends are round.
func (p *page) pill(box image.Rectangle, c color.Color) {
	r := float64(box.Dy()) / 2
	p.disc(float64(box.Min.X)+r, float64(box.Min.Y)+r, r, c)
	p.disc(float64(box.Max.X)-r, float64(box.Min.Y)+r, r, c)
	p.fill(image.Rect(box.Min.X+box.Dy()/2, box.Min.Y, box.Max.X-box.Dy()/2, box.Max.Y), c)
}

// radio draws a circle with a rim, and a dot if it is on, 16 pixels wide.
func (p *page) radio(x, y int, on bool) {
	rim := grey
	if on {
		rim = blue
	}
	p.disc(float64(x+8), float64(y+8), 8, rim)
	p.disc(float64(x+8), float64(y+8), 6.8, white)
	if on {
		p.disc(float64(x+8), float64(y+8), 4, blue)
	}
}

// check draws a box to check, 16 pixels wide.
func (p *page) check(x, y int, on bool) {
	p.outline(image.Rect(x, y, x+16, y+16), grey, white)
	if on {
		p.fill(image.Rect(x, y, x+16, y+16), blue)
		for i := range 4 {
			p.fill(image.Rect(x+3+i, y+7+i, x+5+i, y+9+i), white)
		}
		for i := range 7 {
			p.fill(image.Rect(x+6+i, y+10-i, x+8+i, y+12-i), white)
		}
	}
}

// toggle draws a switch.
func (p *page) toggle(x, y int, on bool, track color.Color) {
	p.pill(image.Rect(x, y, x+40, y+22), track)
	knob := x + 11
	if on {
		knob = x + 29
	}
	p.disc(float64(knob), float64(y+11), 8, white)
}

// arrow draws a chevron down, ten pixels wide.
func (p *page) arrow(x, y int, c color.Color) {
	for i := range 6 {
		p.fill(image.Rect(x+i, y+i, x+i+2, y+i+2), c)
		p.fill(image.Rect(x+10-i, y+i, x+12-i, y+i+2), c)
	}
}

// roleCase is what stands at a point.
type roleCase struct {
	role   elements.Role
	at     image.Point
	label  string
	states []elements.State
}

// checkRoles checks that a page's elements are what they should be.
func checkRoles(t *testing.T, p *page, cases []roleCase) []elements.Element {
	t.Helper()
	list := listOf(t, p.img, p.rows)
	for _, tt := range cases {
		e := find(t, list, tt.role, tt.at)
		if e.Label != tt.label || !slices.Equal(e.States, tt.states) {
			t.Errorf("%s at %v is %q and %v, want %q and %v", tt.role, tt.at, e.Label, e.States, tt.label, tt.states)
		}
	}
	return list
}

// absent checks that no element of a role is at a point.
func absent(t *testing.T, list []elements.Element, role elements.Role, at image.Point) {
	t.Helper()
	for _, e := range list {
		if e.Role == role && at.In(e.Box) {
			t.Errorf("there is a %s at %v, %v", role, at, e.Box)
		}
	}
}

// Controls are found by their shape, with whether they are on.
func TestControls(t *testing.T) {
	t.Parallel()
	p := newPage(600, 500)
	p.radio(40, 40, false)
	p.write(66, 41, "Light", ink)
	p.radio(40, 70, true)
	p.write(66, 71, "Dark", ink)
	p.check(40, 110, false)
	p.write(66, 111, "Chime", ink)
	p.check(40, 140, true)
	p.write(66, 141, "Badge", ink)
	p.write(40, 184, "Banners", ink)
	p.toggle(300, 180, true, blue)
	p.write(40, 224, "Quiet", ink)
	p.toggle(300, 220, false, grey)
	p.write(40, 264, "Flash", ink)
	p.toggle(300, 260, false, color.NRGBA{228, 230, 236, 255})
	p.write(40, 304, "Volume", ink)
	p.fill(image.Rect(200, 308, 380, 312), blue)
	p.disc(300, 310, 8, blue)
	p.write(40, 344, "Copied", ink)
	p.fill(image.Rect(200, 344, 280, 354), blue)
	p.fill(image.Rect(280, 344, 380, 354), line)
	checkRoles(t, p, []roleCase{
		{elements.Radio, image.Pt(48, 48), "Light", []elements.State{elements.Unchecked}},
		{elements.Radio, image.Pt(48, 78), "Dark", []elements.State{elements.Checked}},
		{elements.Checkbox, image.Pt(48, 118), "Chime", []elements.State{elements.Unchecked}},
		{elements.Checkbox, image.Pt(48, 148), "Badge", []elements.State{elements.Checked}},
		{elements.Toggle, image.Pt(320, 191), "Banners", []elements.State{elements.Checked}},
		{elements.Toggle, image.Pt(320, 231), "Quiet", []elements.State{elements.Unchecked}},
		{elements.Toggle, image.Pt(320, 271), "Flash", []elements.State{elements.Unchecked, elements.Disabled}},
		{elements.Slider, image.Pt(250, 310), "Volume", nil},
		{elements.Progress, image.Pt(300, 349), "Copied", nil},
	})
}

// Dots of color in a row are there to be chosen; a dot, a ring or a square by
// itself is an icon.
func TestControlsNeedCompany(t *testing.T) {
	t.Parallel()
	p := newPage(600, 300)
	for i, c := range []color.Color{blue, color.NRGBA{220, 53, 69, 255}, color.NRGBA{40, 167, 69, 255}} {
		p.disc(float64(60+40*i), 60, 12, c)
	}
	list := checkRoles(t, p, []roleCase{{elements.Button, image.Pt(100, 60), "", nil}})
	if e := find(t, list, elements.Button, image.Pt(100, 60)); e.Fill.Name() != "red" {
		t.Errorf("the second dot is %s", e.Fill.Name())
	}
	p = newPage(600, 300)
	p.disc(60, 60, 12, blue)
	p.disc(160, 60, 8, ink)
	p.disc(160, 60, 6.8, white)
	p.write(176, 54, "Editors", ink)
	p.outline(image.Rect(300, 52, 316, 68), ink, white)
	list = listOf(t, p.img, p.rows)
	absent(t, list, elements.Button, image.Pt(60, 60))
	absent(t, list, elements.Radio, image.Pt(160, 60))
	absent(t, list, elements.Checkbox, image.Pt(308, 60))
}

// Fields say whether they are empty, in use or out of use, and what they are
// for; an arrow at the end makes one a dropdown.
func TestFieldsTellTheirStates(t *testing.T) {
	t.Parallel()
	p := newPage(700, 500)
	for i, label := range []string{"Name", "Street", "Town", "Country"} {
		p.write(40, 36+80*i, label, ink)
	}
	p.outline(image.Rect(40, 56, 340, 94), line, white)
	p.write(52, 68, "Your name", pale)
	p.fill(image.Rect(39, 135, 341, 175), blue)
	p.outline(image.Rect(40, 136, 340, 174), blue, white)
	p.write(52, 148, "Quay Street", ink)
	p.outline(image.Rect(40, 216, 340, 254), line, color.NRGBA{233, 236, 239, 255})
	p.outline(image.Rect(40, 296, 340, 334), line, white)
	p.write(52, 308, "Ireland", ink)
	p.arrow(318, 312, ink)
	p.outline(image.Rect(400, 56, 660, 94), line, white)
	p.write(412, 68, "Search orders", pale)
	p.fill(image.Rect(400, 136, 520, 174), color.NRGBA{228, 229, 233, 255})
	p.write(432, 148, "Restore", color.NRGBA{170, 172, 180, 255})
	list := checkRoles(t, p, []roleCase{
		{elements.Field, image.Pt(300, 75), "Your name", []elements.State{elements.Empty}},
		{elements.Field, image.Pt(300, 155), "Quay Street", []elements.State{elements.Focused}},
		{elements.Field, image.Pt(300, 235), "Town", []elements.State{elements.Empty, elements.Disabled}},
		{elements.Dropdown, image.Pt(200, 315), "Ireland", nil},
		{elements.SearchBox, image.Pt(640, 75), "Search orders", []elements.State{elements.Empty}},
		{elements.Button, image.Pt(410, 155), "Restore", []elements.State{elements.Disabled}},
	})
	for at, caption := range map[image.Point]string{{X: 300, Y: 155}: "Street", {X: 300, Y: 75}: "Name"} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			if e := find(t, list, elements.Field, at); e.Caption != caption {
				t.Errorf("the field at %v is captioned %q, want %q", at, e.Caption, caption)
			}
		})
	}
}

// The text with a thick line below it is the selected tab, and those beside it
// are tabs; so is the one with a face in a small bar of texts.
func TestTabs(t *testing.T) {
	t.Parallel()
	p := newPage(700, 300)
	for i, label := range []string{"General", "Sound", "Privacy"} {
		p.write(40+110*i, 40, label, ink)
	}
	p.fill(image.Rect(144, 64, 196, 67), blue)
	p.fill(image.Rect(40, 150, 340, 184), ground)
	p.fill(image.Rect(140, 153, 240, 181), white)
	for i, label := range []string{"Day", "Week", "Month"} {
		p.write(76+100*i, 161, label, ink)
	}
	p.write(40, 240, "terms", ink)
	p.fill(image.Rect(40, 254, 80, 255), ink)
	selected := []elements.State{elements.Selected}
	list := checkRoles(t, p, []roleCase{
		{elements.Tab, image.Pt(60, 46), "General", nil}, {elements.Tab, image.Pt(160, 46), "Sound", selected}, {elements.Tab, image.Pt(280, 46), "Privacy", nil},
		{elements.Tab, image.Pt(90, 167), "Day", nil}, {elements.Tab, image.Pt(150, 160), "Week", selected}, {elements.Tab, image.Pt(290, 167), "Month", nil},
		{elements.Link, image.Pt(60, 246), "terms", nil},
	})
	if e := find(t, list, elements.Tab, image.Pt(160, 46)); overlap(e.Box, image.Rect(144, 26, 196, 67)) < 0.7 {
		t.Errorf("the selected tab is at %v", e.Box)
	}
}

// shell is a window with a bar, a list at its side, a table, and a dialog.
func shell() *page {
	p := newPage(1200, 800)
	p.fill(p.img.Rect, ground)
	p.fill(image.Rect(0, 0, 1200, 48), dark)
	for i, label := range []string{"Files", "View", "Help"} {
		p.write(40+400*i, 18, label, white)
	}
	p.cross(image.Rect(1150, 17, 1164, 31), white)
	p.fill(image.Rect(0, 49, 200, 800), white)
	p.fill(image.Rect(8, 143, 192, 179), color.NRGBA{220, 231, 248, 255})
	for i, label := range []string{"Inbox", "Sent", "Drafts", "Trash"} {
		p.write(40, 110+44*i, label, ink)
	}
	p.fill(image.Rect(240, 80, 1160, 320), white)
	p.fill(image.Rect(250, 210, 1150, 254), color.NRGBA{225, 230, 240, 255})
	for i := range 5 {
		for j, cell := range []string{"Monday", "orders", "37 GB"} {
			p.write(260+300*j, 100+44*i, cell, ink)
		}
	}
	return p
}

// A button as wide as the fields of a form is no item of a list.
func TestWideButton(t *testing.T) {
	t.Parallel()
	p := newPage(500, 400)
	p.outline(image.Rect(60, 40, 440, 380), line, white)
	for i, label := range []string{"Remember me", "Log in", "Forgotten?", "Register"} {
		if i == 1 {
			p.fill(image.Rect(80, 121, 420, 161), blue)
			p.write(226, 135, label, white)
			continue
		}
		p.write(206, 81+54*i, label, ink)
	}
	checkRoles(t, p, []roleCase{{elements.Button, image.Pt(100, 140), "Log in", nil}})
}

// Bars, lists at the side, rows and selected items are found.
func TestContainers(t *testing.T) {
	t.Parallel()
	p := shell()
	list := checkRoles(t, p, []roleCase{
		{elements.MenuItem, image.Pt(180, 160), "Sent", []elements.State{elements.Selected}},
		{elements.MenuItem, image.Pt(180, 204), "Drafts", nil},
		{elements.Row, image.Pt(700, 150), "Monday orders 37 GB", nil},
		{elements.Row, image.Pt(700, 225), "Monday orders 37 GB", nil},
		{elements.IconButton, image.Pt(1157, 10), "", nil},
	})
	find(t, list, elements.Toolbar, image.Pt(600, 24))
	find(t, list, elements.Sidebar, image.Pt(100, 600))
	drafts := find(t, list, elements.MenuItem, image.Pt(180, 204))
	if role := list[drafts.Parent].Role; role != elements.Sidebar {
		t.Errorf("the item is in a %s", role)
	}
	absent(t, list, elements.Field, image.Pt(180, 160))
}

// What lies in the middle of a darker screen and has buttons is a dialog, and
// what is in it is in nothing that it covers.
func TestDialog(t *testing.T) {
	t.Parallel()
	p := shell()
	for i := range p.img.Pix {
		if i%4 != 3 {
			p.img.Pix[i] = uint8(int(p.img.Pix[i]) * 6 / 10)
		}
	}
	p.fill(image.Rect(400, 200, 800, 420), white)
	p.write(430, 230, "Delete", ink)
	p.fill(image.Rect(640, 360, 760, 398), color.NRGBA{198, 40, 40, 255})
	p.write(672, 372, "Delete", white)
	list := listOf(t, p.img, p.rows)
	if title := find(t, list, elements.Text, image.Pt(440, 236)); list[title.Parent].Role != elements.Dialog {
		t.Errorf("the title is in a %s", list[title.Parent].Role)
	}
	button := find(t, list, elements.Button, image.Pt(650, 365))
	if role := list[button.Parent].Role; role != elements.Dialog {
		t.Errorf("the button is in a %s %v", role, list[button.Parent].Box)
	}
}

// Two letters in a disc are somebody; what has many colors is a picture; a
// short text on a small face is a badge.
func TestPictures(t *testing.T) {
	t.Parallel()
	p := newPage(400, 200)
	p.disc(60, 60, 16, blue)
	p.write(52, 54, "AB", white)
	for i := range 28 * 28 {
		p.img.Set(120+i%28, 46+i/28, color.NRGBA{uint8(9 * (i % 28)), uint8(9 * (i / 28)), uint8(250 - 4*(i%28) - 4*(i/28)), 255})
	}
	p.cross(image.Rect(200, 50, 224, 74), ink)
	list := checkRoles(t, p, []roleCase{{elements.Avatar, image.Pt(50, 70), "AB", nil}, {elements.Picture, image.Pt(134, 60), "", nil}})
	absent(t, list, elements.Picture, image.Pt(212, 62))
}

// Cells of a table and the heads of cards are no fields, whatever their
// borders.
func TestCellsAreNoFields(t *testing.T) {
	t.Parallel()
	p := newPage(700, 300)
	p.fill(image.Rect(40, 40, 641, 161), line)
	for i := range 3 {
		for j := range 3 {
			x, y := 41+200*j, 41+40*i
			p.fill(image.Rect(x, y, x+199, y+39), white)
			p.write(x+12, y+13, "Cell", ink)
		}
	}
	list := listOf(t, p.img, p.rows)
	for i := range 3 {
		absent(t, list, elements.Field, image.Pt(200, 60+40*i))
	}
	p = newPage(700, 300)
	p.fill(image.Rect(40, 40, 441, 202), line)
	p.fill(image.Rect(41, 41, 440, 81), ground)
	p.fill(image.Rect(41, 82, 440, 201), white)
	p.write(54, 54, "Orders", ink)
	p.write(500, 50, "Day", ink)
	for i := range 5 { // lines between rows are no fields either
		p.write(500, 100+40*i, "Monday", pale)
		p.fill(image.Rect(490, 120+40*i, 680, 121+40*i), line)
	}
	list = listOf(t, p.img, p.rows)
	absent(t, list, elements.Field, image.Pt(300, 60))
	absent(t, list, elements.Field, image.Pt(600, 145))
}

// RoleNames lists every role that the package declares.
func TestRoleNames(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("elements.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t\w+ +Role = "([^"]+)"`).FindAllSubmatch(source, -1)
	if len(declared) < 20 || len(declared) != len(elements.RoleNames()) {
		t.Fatalf("%d roles are declared, %d listed", len(declared), len(elements.RoleNames()))
	}
	for _, found := range declared {
		if !slices.Contains(elements.RoleNames(), string(found[1])) {
			t.Errorf("%s is not listed", found[1])
		}
	}
}
