package locate_test

import (
	"image"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/locate"
)

// onScreen returns a screen with elements. The first one contains all others.
func onScreen(list ...elements.Element) *elements.Screen {
	all := []elements.Element{{Role: elements.Panel, Box: image.Rect(0, 0, 1000, 800), Fill: white, Parent: -1}}
	return &elements.Screen{Scene: &perception.Scene{Header: perception.Header{Width: 1000, Height: 800}}, Elements: append(all, list...)}
}

func text(label string, x, y int) elements.Element {
	return elements.Element{Role: elements.Text, Box: image.Rect(x, y, x+60, y+18), Label: label, Ink: black}
}

// Each rule finds the right point on a small screen, or no single point.
func TestRules(t *testing.T) {
	t.Parallel()
	button := func(role elements.Role, label string, x, y int, fill *elements.Color) elements.Element {
		return elements.Element{Role: role, Box: image.Rect(x, y, x+80, y+30), Label: label, Fill: fill, Ink: black}
	}
	bar := elements.Element{Role: elements.Panel, Box: image.Rect(0, 0, 1000, 50), Fill: blue}
	cogAt := func(x, y int) elements.Element {
		return elements.Element{Role: elements.IconButton, Box: image.Rect(x, y, x+30, y+30), Icons: icon("settings"), Ink: black}
	}
	wide := button(elements.Button, "Add", 100, 300, white)
	wide.Box.Max.X += 120
	table := []elements.Element{text("Name", 100, 100), text("Harbour", 300, 100), text("Cost", 500, 100),
		text("Fjord", 100, 140), text("Sent", 300, 140), text("7.20", 500, 140), text("Coast", 100, 180), text("Lost", 300, 180), text("9.10", 500, 180)}
	for _, tt := range []struct {
		name, asked string
		on          []elements.Element
		want        image.Point // none if it is not clear
	}{
		{"a twin of another role", "the Delete button", []elements.Element{button(elements.Button, "Delete", 100, 200, white), button(elements.Panel, "Delete", 100, 300, white)}, image.Point{}},
		{"a heading is no twin", "the Save button", []elements.Element{button(elements.Button, "Save", 100, 200, white), text("Save", 400, 100)}, image.Pt(140, 215)},
		{"in the bar", "rightmost icon in the top bar", []elements.Element{bar, cogAt(800, 10), cogAt(900, 60)}, image.Pt(815, 25)},
		{"the same in the middle", "cogwheel", []elements.Element{{Role: elements.IconButton, Box: image.Rect(0, 600, 60, 650), Icons: icon("settings"), Ink: black}, {Role: elements.IconButton, Box: image.Rect(14, 609, 46, 641), Icons: icon("settings"), Ink: black, Parent: 1}}, image.Pt(30, 625)},
		{"one of two", "the lower one of the two Add buttons", []elements.Element{button(elements.Button, "Add", 100, 200, white), button(elements.Button, "Add", 100, 300, white)}, image.Pt(140, 315)},
		{"in a column", "the harbour of Fjord", table, image.Pt(330, 149)},
		{"a filled button", "the filled button", []elements.Element{button(elements.Button, "Cancel", 100, 200, white), button(elements.Button, "Apply", 300, 200, blue)}, image.Pt(340, 215)},
		{"a verb that is a name", "the Find entry", []elements.Element{button(elements.MenuItem, "Find", 100, 200, nil), button(elements.MenuItem, "Copy", 100, 240, nil)}, image.Pt(140, 215)},
		{"the window", "minimise button of the window", []elements.Element{{Role: elements.IconButton, Box: image.Rect(900, 0, 930, 30), Icons: icon("minus"), Ink: black}, {Role: elements.IconButton, Box: image.Rect(500, 770, 530, 800), Icons: icon("minus"), Ink: black}}, image.Pt(915, 15)},
		{"the largest", "the big button", []elements.Element{button(elements.Button, "Open", 100, 200, white), wide}, image.Pt(200, 315)},
		{"the smallest", "the small button", []elements.Element{button(elements.Button, "Open", 100, 200, white), wide}, image.Pt(140, 215)},
		{"as large", "the big button", []elements.Element{button(elements.Button, "Open", 100, 200, white), button(elements.Button, "Add", 100, 300, white)}, image.Point{}},
		{"the largest text", "the big text", []elements.Element{text("Total", 100, 100), {Role: elements.Text, Box: image.Rect(100, 300, 240, 340), Label: "Fjord", Ink: black}}, image.Pt(170, 320)},
		{"in a grid", "the third gear icon", []elements.Element{cogAt(100, 100), cogAt(200, 100), cogAt(100, 200), cogAt(200, 200)}, image.Pt(115, 215)},
		{"an arrow rather than a chevron", "arrow pointing up", []elements.Element{{Role: elements.IconButton, Box: image.Rect(100, 100, 130, 130), Icons: icon("arrow up"), Ink: black}, {Role: elements.IconButton, Box: image.Rect(200, 100, 230, 130), Icons: icon("chevron up"), Ink: black}}, image.Pt(115, 115)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer := locate.Find(onScreen(tt.on...), tt.asked)
			m, ok := answer.One()
			if tt.want == (image.Point{}) && (ok || len(answer.Matches) < 2) || tt.want != (image.Point{}) && (!ok || m.Point != tt.want) {
				t.Errorf("%s: %q is %v of %d, want %v", tt.name, tt.asked, m.Point, len(answer.Matches), tt.want)
			}
		})
	}
}

// The picture of a card and the text below it are one card, and the groups of an open menu are one menu.
func TestTogether(t *testing.T) {
	t.Parallel()
	heart := func(x, parent int) elements.Element {
		return elements.Element{Role: elements.IconButton, Box: image.Rect(x, 110, x+40, 150), Icons: icon("heart"), Ink: black, Parent: parent}
	}
	panel := func(x, y, h int) elements.Element {
		return elements.Element{Role: elements.Panel, Box: image.Rect(x, y, x+200, y+h), Fill: white, Border: grey}
	}
	fern, ivy := text("Fern", 60, 250), text("Ivy", 360, 250)
	fern.Parent, ivy.Parent = 2, 4
	cards := onScreen(panel(50, 100, 120), panel(50, 220, 120), panel(350, 100, 120), panel(350, 220, 120), heart(200, 1), heart(500, 3), fern, ivy)
	if m, ok := locate.Find(cards, "heart on the Ivy card").One(); !ok || m.Element != 6 {
		t.Errorf("the heart is %d", m.Element)
	}
	item := elements.Element{Role: elements.MenuItem, Box: image.Rect(50, 180, 240, 210), Label: "Find", Fill: blue, Ink: black, States: []elements.State{elements.Selected}}
	other := item
	other.Box, other.Label = image.Rect(500, 500, 690, 530), "Elsewhere"
	menu := onScreen(panel(50, 100, 80), panel(50, 210, 80), item, other)
	if m, ok := locate.Find(menu, "highlighted item in the open menu").One(); !ok || m.Element != 3 {
		t.Errorf("the item is %d", m.Element)
	}
}
