package describe_test

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/describe"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/elements/icons"
)

var (
	white = &elements.Color{R: 255, G: 255, B: 255}
	black = &elements.Color{R: 20, G: 20, B: 20}
	grey  = &elements.Color{R: 128, G: 128, B: 128}
	red   = &elements.Color{R: 220, G: 53, B: 69}
	blue  = &elements.Color{R: 13, G: 110, B: 253}
)

// page is a screen under construction, of 1000 x 700 pixels.
type page struct{ *elements.Screen }

func newPage(fill *elements.Color) page {
	p := page{&elements.Screen{Scene: &perception.Scene{Header: perception.Header{Width: 1000, Height: 700}}}}
	p.add(elements.Panel, image.Rect(0, 0, 1000, 700), "", fill)
	return p
}

// add adds an element to the smallest element that contains it.
func (p page) add(role elements.Role, box image.Rectangle, label string, fill *elements.Color) *elements.Element {
	e := elements.Element{Role: role, Box: box, Label: label, Fill: fill, Parent: -1}
	for i, o := range p.Elements {
		if box.In(o.Box) && (e.Parent < 0 || o.Box.In(p.Elements[e.Parent].Box)) {
			e.Parent = i
		}
	}
	p.Elements = append(p.Elements, e)
	return &p.Elements[len(p.Elements)-1]
}

// write adds a text at a position.
func (p page) write(x, y int, role elements.Role, text string) {
	box := image.Rect(x, y, x+7*len(text), y+13)
	p.add(role, box, text, nil)
	p.Rows = append(p.Rows, perception.NewRow([]perception.Word{{Text: text, Confidence: 1, Box: box}}))
}

func (p page) icon(x, y int, name string) {
	p.add(elements.IconButton, image.Rect(x, y, x+32, y+32), "", nil).Icons = []icons.Candidate{{Name: name, Score: 0.9}}
}

// expect checks which words a description must have, and which it must not have.
func expect(t *testing.T, p page, tells []string, never ...string) *describe.Description {
	t.Helper()
	d := describe.Describe(p.Screen)
	for _, want := range tells {
		if !strings.Contains(d.Prose, want) {
			t.Errorf("%q is not in: %s", want, d.Prose)
		}
	}
	for _, not := range never {
		if strings.Contains(d.Prose, not) {
			t.Errorf("%q is in: %s", not, d.Prose)
		}
	}
	return d
}

func kinds(d *describe.Description) (list []string) {
	for _, r := range d.Regions {
		list = append(list, string(r.Kind))
	}
	slices.Sort(list)
	return list
}

func TestThemeAndColors(t *testing.T) {
	t.Parallel()
	p := newPage(white)
	p.add(elements.Panel, image.Rect(0, 0, 1000, 175), "", blue)
	d := expect(t, p, []string{"A light page, 1000 x 700, mostly white and blue."})
	if len(d.Colors) != 2 || math.Abs(d.Colors[0].Share-0.75) > 0.01 || d.Colors[1].Color != *blue {
		t.Errorf("the colors are %+v", d.Colors)
	}
	if d := expect(t, newPage(black), []string{"A dark page"}); d.Theme != describe.Dark {
		t.Errorf("the theme is %q", d.Theme)
	}
}

// TestBarsAndColumns checks that bars and columns are described with their controls: a button with
// its color, and an icon by its name.
func TestBarsAndColumns(t *testing.T) {
	t.Parallel()
	p := newPage(white)
	p.add(elements.Panel, image.Rect(0, 0, 1000, 60), "", grey)
	p.add(elements.SearchBox, image.Rect(200, 10, 600, 50), "Search", white)
	for i, name := range []string{"bell", "settings", "user"} {
		p.icon(850+50*i, 14, name)
	}
	p.add(elements.Panel, image.Rect(0, 60, 200, 660), "", grey)
	for i, label := range []string{"Home", "Orders", "Customers"} {
		item := p.add(elements.MenuItem, image.Rect(0, 80+40*i, 200, 120+40*i), label, nil)
		if i == 1 {
			item.States = []elements.State{elements.Selected}
		}
	}
	p.add(elements.Panel, image.Rect(0, 660, 1000, 700), "", grey)
	p.add(elements.Link, image.Rect(20, 670, 80, 690), "Imprint", nil)
	p.add(elements.Button, image.Rect(300, 300, 400, 340), "Save", blue)
	p.add(elements.Button, image.Rect(420, 300, 520, 340), "Cancel", white)
	d := expect(t, p, []string{
		`At the top a bar with the search box "Search" and 3 icon buttons: bell, settings and user.`,
		`At the left a column with 3 menu items: "Home", "Orders" (selected) and "Customers".`,
		`The main part has 2 buttons: "Save" (blue) and "Cancel".`,
		`At the bottom a bar with the link "Imprint".`,
	})
	if got := kinds(d); !slices.Equal(got, []string{"footer", "header", "main", "sidebar"}) {
		t.Errorf("there are %v", got)
	}
}

// TestDialog checks that a dialog is recognised on a darker page, or above content that it covers.
// A card must not be.
func TestDialog(t *testing.T) {
	t.Parallel()
	dialog := func(ground *elements.Color, over bool) page {
		p := newPage(ground)
		if over {
			for i := range 6 {
				p.add(elements.Panel, image.Rect(100, 150+60*i, 600, 200+60*i), "", grey)
			}
		}
		p.add(elements.Panel, image.Rect(300, 200, 700, 400), "", white)
		p.write(320, 220, elements.Text, "Delete the file?")
		p.write(320, 260, elements.Text, "It cannot be brought back.")
		p.add(elements.Button, image.Rect(560, 350, 680, 385), "Delete", red)
		p.add(elements.Button, image.Rect(450, 350, 550, 385), "Cancel", white)
		return p
	}
	told := `The dialog "Delete the file?" is open over the page with 2 buttons: "Cancel" and "Delete" (red). It says: "It cannot be brought back."`
	expect(t, dialog(grey, false), []string{told})
	expect(t, dialog(white, true), []string{told})
	expect(t, dialog(white, false), []string{`"Cancel" and "Delete" (red)`}, "dialog")
}

// TestTablesAndLists checks that texts in columns are a table, whose cells are not menu items, and
// that equal panels are a list or a grid.
func TestTablesAndLists(t *testing.T) {
	t.Parallel()
	p := newPage(white)
	for row, cells := range [][]string{{"Name", "Size", "Changed"}, {"cat.png", "12 KB", "today"}, {"dog.png", "7 KB", "today"}, {"emu.png", "9 KB", "yesterday"}} {
		for column, text := range cells {
			p.add(elements.MenuItem, image.Rect(290+200*column, 90+30*row, 400+200*column, 120+30*row), text, nil)
			p.write(300+200*column, 100+30*row, elements.Text, text)
		}
	}
	d := expect(t, p, []string{`A table of 4 rows and 3 columns, whose first row is "Name", "Size" and "Changed".`}, "menu item")
	if got := kinds(d); !slices.Equal(got, []string{"main", "table"}) {
		t.Errorf("there are %v", got)
	}
	p = newPage(white)
	for i := range 4 {
		p.add(elements.Panel, image.Rect(100, 100+80*i, 700, 180+80*i), "", grey)
		p.write(120, 120+80*i, elements.Text, fmt.Sprint("Message ", i+1))
	}
	expect(t, p, []string{`A list of 4. It says: "Message 1 Message 2`})
	p = newPage(white)
	for i := range 6 {
		p.add(elements.Panel, image.Rect(100+250*(i%3), 100+220*(i/3), 330+250*(i%3), 300+220*(i/3)), "", grey)
	}
	expect(t, p, []string{"A grid of 2 rows and 3 columns."})
}

func TestForm(t *testing.T) {
	t.Parallel()
	p := newPage(white)
	for i, label := range []string{"Email", "Password"} {
		p.write(300, 100+80*i, elements.Text, label)
		p.add(elements.Field, image.Rect(300, 120+80*i, 700, 156+80*i), label, white)
	}
	p.add(elements.Checkbox, image.Rect(300, 290, 316, 306), "Remember me", white).States = []elements.State{elements.Checked}
	p.add(elements.Button, image.Rect(300, 330, 400, 366), "Sign in", blue)
	expect(t, p, []string{`A form with 2 fields: "Email" and "Password"; the checkbox "Remember me" (checked); and the button "Sign in" (blue).`})
}

// TestToolbar checks that the buttons of a toolbar are named. Text in the form of a toolbar must be
// a list.
func TestToolbar(t *testing.T) {
	t.Parallel()
	p := newPage(white)
	p.add(elements.Panel, image.Rect(300, 200, 900, 244), "", grey)
	for i, name := range []string{"undo", "redo", "trash", "trash"} {
		p.icon(310+40*i, 206, name)
	}
	expect(t, p, []string{"A toolbar with 4 icon buttons: undo, redo and trash (2 times)."})
	for i := range 5 {
		p.write(500+70*i, 215, elements.Text, "a text")
	}
	expect(t, p, nil, "toolbar")
}

// TestBounds checks that the description of any screen is limited.
func TestBounds(t *testing.T) {
	t.Parallel()
	if d := describe.Describe(&elements.Screen{Scene: &perception.Scene{}}); d.Prose != "An image, 0 x 0, on which nothing was found." || d.Theme != "" {
		t.Errorf("nothing is %+v", d)
	}
	p := newPage(white)
	for i := range 3000 {
		x, y := i%40*25, i/40*9
		p.Elements = append(p.Elements, elements.Element{Role: elements.Button, Box: image.Rect(x, y, x+20, y+8), Label: fmt.Sprint(i, strings.Repeat(" long", 100)), Fill: red})
		p.Rows = append(p.Rows, perception.NewRow([]perception.Word{{Text: strings.Repeat("word ", 1000), Box: image.Rect(x, y, x+20, y+8)}}))
	}
	d := describe.Describe(p.Screen)
	if len(d.Controls) != describe.MaxControls || d.MoreControls != 3000-describe.MaxControls || len(d.Text) != describe.MaxLines || d.MoreText != 3000-describe.MaxLines {
		t.Errorf("%d and %d more controls, %d and %d more lines", len(d.Controls), d.MoreControls, len(d.Text), d.MoreText)
	}
	if len(d.Prose) > 8_000 || len(d.Controls[0].Label) > 2*describe.MaxLabel || !strings.Contains(d.Prose, "more") {
		t.Errorf("%d bytes: %s", len(d.Prose), d.Prose)
	}
}
