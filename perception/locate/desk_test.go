package locate_test

import (
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/locate"
)

var (
	grey  = &elements.Color{R: 108, G: 117, B: 125}
	green = &elements.Color{R: 40, G: 167, B: 69}
	mint  = &elements.Color{R: 200, G: 240, B: 205}
)

func icon(name string) []icons.Candidate { return []icons.Candidate{{Name: name, Score: 0.95}} }

// desk returns a screen with a sidebar, a toolbar, tabs, cards, a form and a dialog.
func desk() *elements.Screen {
	list := []elements.Element{
		{Role: elements.Panel, Box: image.Rect(0, 0, 1200, 800), Fill: white, Parent: -1},
		{Role: elements.Sidebar, Box: image.Rect(0, 60, 200, 800), Fill: black},                                    // 1
		{Role: elements.Toolbar, Box: image.Rect(0, 0, 1200, 60), Fill: white},                                     // 2
		{Role: elements.Panel, Box: image.Rect(220, 120, 500, 400), Fill: white, Border: grey},                     // 3, a card
		{Role: elements.Panel, Box: image.Rect(520, 120, 800, 400), Fill: white, Border: grey},                     // 4, a card
		{Role: elements.IconButton, Box: image.Rect(20, 10, 60, 50), Ink: black, Icons: icon("menu"), Parent: 2},   // 5
		{Role: elements.IconButton, Box: image.Rect(80, 10, 120, 50), Ink: black, Icons: icon("undo"), Parent: 2},  // 6
		{Role: elements.IconButton, Box: image.Rect(140, 10, 180, 50), Ink: black, Icons: icon("save"), Parent: 2}, // 7
		{Role: elements.Avatar, Box: image.Rect(1150, 10, 1190, 50), Label: "AB", Fill: blue, Ink: white, Parent: 2},
		{Role: elements.Text, Box: image.Rect(240, 140, 300, 160), Label: "Fern", Ink: black, Parent: 3},
		{Role: elements.Text, Box: image.Rect(540, 140, 600, 160), Label: "Ivy", Ink: black, Parent: 4},
		{Role: elements.Badge, Box: image.Rect(240, 180, 290, 200), Label: "New", Fill: mint, Ink: green, Parent: 3},
		{Role: elements.Text, Box: image.Rect(240, 260, 300, 280), Label: "18.50", Ink: black, Parent: 3},
		{Role: elements.Text, Box: image.Rect(540, 260, 600, 280), Label: "7.90", Ink: black, Parent: 4},
		{Role: elements.Text, Box: image.Rect(540, 290, 600, 310), Label: "25 May", Ink: red, Parent: 4},
		{Role: elements.Button, Box: image.Rect(400, 340, 480, 380), Label: "Add", Fill: green, Ink: white, Parent: 3},
		{Role: elements.Button, Box: image.Rect(700, 340, 780, 380), Label: "Add", Fill: green, Ink: white, Parent: 4},
		{Role: elements.Tab, Box: image.Rect(220, 70, 300, 110), Label: "General", Ink: black, States: []elements.State{elements.Selected}},
		{Role: elements.Tab, Box: image.Rect(300, 70, 380, 110), Label: "Sound", Ink: black},
		{Role: elements.Text, Box: image.Rect(220, 440, 340, 460), Label: "Do not disturb", Ink: black},
		{Role: elements.Toggle, Box: image.Rect(460, 440, 500, 460), States: []elements.State{elements.Checked}, Fill: blue},
		{Role: elements.Text, Box: image.Rect(220, 480, 340, 500), Label: "Show banners", Ink: black},
		{Role: elements.Toggle, Box: image.Rect(460, 480, 500, 500), States: []elements.State{elements.Unchecked, elements.Disabled}, Fill: grey},
		{Role: elements.Icon, Box: image.Rect(220, 520, 240, 540), Ink: black, Icons: icon("volume")},
		{Role: elements.Slider, Box: image.Rect(250, 520, 400, 540), Fill: blue},
		{Role: elements.Checkbox, Box: image.Rect(220, 560, 236, 576), Label: "Keep me signed in", States: []elements.State{elements.Unchecked}},
		{Role: elements.Text, Box: image.Rect(245, 558, 370, 578), Label: "Keep me signed in", Ink: black},
		{Role: elements.Field, Box: image.Rect(220, 620, 500, 660), Label: "you@example.org", Fill: white, Border: red, States: []elements.State{elements.Empty}},
		{Role: elements.Button, Box: image.Rect(220, 680, 500, 720), Label: "Sign in", Fill: blue, Ink: white},
		{Role: elements.IconButton, Box: image.Rect(900, 700, 940, 740), Ink: black, Icons: icon("chevron right")},
		{Role: elements.Heading, Box: image.Rect(850, 120, 900, 140), Label: "Mail", Ink: black},
		{Role: elements.Link, Box: image.Rect(850, 160, 910, 180), Label: "Change", Ink: blue},
		{Role: elements.Heading, Box: image.Rect(850, 200, 930, 220), Label: "Security", Ink: black},
		{Role: elements.Link, Box: image.Rect(850, 240, 910, 260), Label: "Change", Ink: blue},
		{Role: elements.Text, Box: image.Rect(600, 630, 650, 650), Label: "City", Ink: black},
		{Role: elements.Field, Box: image.Rect(700, 620, 900, 660), Label: "Cork", Fill: white, Border: grey},
		{Role: elements.Field, Box: image.Rect(700, 520, 900, 560), Label: "Publish", Fill: orange, Ink: white},
		{Role: elements.Link, Box: image.Rect(950, 520, 1050, 540), Label: "Out of office", Ink: blue},
	}
	for i, name := range []string{"Inbox", "Sent", "Trash"} {
		list = append(list, elements.Element{Role: elements.Text, Box: image.Rect(20, 100+40*i, 80, 120+40*i), Label: name, Ink: white, Parent: 1})
	}
	list[len(list)-2].Ink = red // Sent is the page that is open
	return &elements.Screen{Scene: &perception.Scene{Header: perception.Header{Width: 1200, Height: 800}}, Elements: list}
}

// Each description of the desk finds its element.
func TestFoundOnADesk(t *testing.T) {
	t.Parallel()
	screen := desk()
	for description, want := range map[string]image.Point{
		"hamburger icon in the top left corner":          {X: 40, Y: 30},
		"burger menu":                                    {X: 40, Y: 30},
		"floppy disk in the toolbar":                     {X: 160, Y: 30},
		"the icon between the hamburger and the disk":    {X: 100, Y: 30},
		"blue avatar with the initials AB":               {X: 1170, Y: 30},
		"Add button in the Ivy card":                     {X: 740, Y: 360},
		"the Add button of the first card":               {X: 440, Y: 360},
		"the second Add button":                          {X: 740, Y: 360},
		"price of the Ivy":                               {X: 570, Y: 270},
		"date in red":                                    {X: 570, Y: 300},
		"light green badge":                              {X: 265, Y: 190},
		"the active tab":                                 {X: 260, Y: 90},
		"tab to the right of General":                    {X: 340, Y: 90},
		"the Sound tab":                                  {X: 340, Y: 90},
		"toggle for Do not disturb":                      {X: 480, Y: 450},
		"switch next to Show banners":                    {X: 480, Y: 490},
		"the disabled switch":                            {X: 480, Y: 490},
		"the toggle that is switched on":                 {X: 480, Y: 450},
		"volume slider":                                  {X: 325, Y: 530},
		"Keep me signed in checkbox":                     {X: 228, Y: 568},
		"unticked box":                                   {X: 228, Y: 568},
		"field with a red border":                        {X: 360, Y: 640},
		"the Add button next to 7.90":                    {X: 740, Y: 360},
		"input with the placeholder “you@example.org”":   {X: 360, Y: 640},
		"the sign in button":                             {X: 360, Y: 700},
		"Trash in the sidebar":                           {X: 50, Y: 190},
		"the highlighted entry in the sidebar":           {X: 50, Y: 150},
		"right arrow at the bottom":                      {X: 920, Y: 720},
		"next page arrow":                                {X: 920, Y: 720},
		"last row's arrow":                               {X: 920, Y: 720},
		"the second item in the navigation on the left":  {X: 50, Y: 150},
		"the entry for Trash":                            {X: 50, Y: 190},
		"last Add button in the first column":            {X: 440, Y: 360},
		"Change link in the Mail section":                {X: 880, Y: 170},
		"last Change link in the Mail section":           {X: 880, Y: 170},
		"City field":                                     {X: 800, Y: 640},
		"orange button":                                  {X: 800, Y: 540},
		"Out of office link":                             {X: 1000, Y: 530},
		"the 'Add' button on the right side of the page": {X: 740, Y: 360},
	} {
		t.Run(description, func(t *testing.T) {
			answer := locate.Find(screen, description)
			if m, ok := answer.One(); !ok || m.Point != want {
				t.Errorf("%q is %v, want %v", description, show(screen, answer), want)
			}
		})
	}
}

// A description of a missing element finds nothing, and Unmet names the missing terms.
func TestMissingOnADesk(t *testing.T) {
	t.Parallel()
	screen := desk()
	for description, want := range map[string]string{
		"trash can icon": "icon", "yellow button": "yellow", "red Add button": "red", "the Import button": "import", "radio button": "radio", "third Add button": "number 3, of 2 that fit",
		"toggle next to Airplane mode": "next to airplane mode", "the disabled tab": "disabled", `"Delete" in the toolbar`: `the text "Delete"`, "sidebar with stripes": "with stripes",
	} {
		t.Run(description, func(t *testing.T) {
			answer := locate.Find(screen, description)
			if len(answer.Matches) > 0 || !slices.Contains(answer.Unmet, want) {
				t.Errorf("%q is %v, want %q", description, show(screen, answer), want)
			}
		})
	}
}

// An element in a dialog or in an open menu is found by its place.
func TestPlaces(t *testing.T) {
	t.Parallel()
	screen := &elements.Screen{Scene: &perception.Scene{Header: perception.Header{Width: 1000, Height: 800}}, Elements: []elements.Element{
		{Role: elements.Panel, Box: image.Rect(0, 0, 1000, 800), Fill: grey, Parent: -1},
		{Role: elements.Dialog, Box: image.Rect(300, 200, 700, 500), Fill: white},
		{Role: elements.Panel, Box: image.Rect(20, 100, 200, 300), Fill: white, Border: grey},
		{Role: elements.Panel, Box: image.Rect(202, 120, 290, 320), Fill: white, Border: grey},
		{Role: elements.Button, Box: image.Rect(900, 20, 980, 60), Label: "Save", Fill: blue},
		{Role: elements.Button, Box: image.Rect(600, 440, 680, 480), Label: "Save", Fill: blue, Parent: 1},
		{Role: elements.MenuItem, Box: image.Rect(20, 110, 200, 140), Label: "Save", Parent: 2},
		{Role: elements.MenuItem, Box: image.Rect(202, 130, 290, 160), Label: "Save", Parent: 3},
	}}
	for description, want := range map[string]image.Point{
		"Save in the dialog": {X: 640, Y: 460}, "Save in the submenu": {X: 246, Y: 145}, "Save in the top right corner": {X: 940, Y: 40},
	} {
		t.Run(description, func(t *testing.T) {
			if m, ok := locate.Find(screen, description).One(); !ok || m.Point != want {
				t.Errorf("%q is %v, want %v", description, show(screen, locate.Find(screen, description)), want)
			}
		})
	}
}

// The first of Nearest is the nearest miss, and Unmet has the terms that it does not meet. Each of the others is
// another place that meets a term besides its kind.
func TestNearestMiss(t *testing.T) {
	t.Parallel()
	screen := desk()
	nearest := locate.Find(screen, "red Sign in button").Nearest
	if len(nearest) == 0 {
		t.Fatal("none is near")
	}
	near := nearest[0]
	if near.Point != (image.Point{X: 360, Y: 700}) {
		t.Fatalf("%+v", near)
	}
	for _, e := range near.Evidence {
		if met := e.Met > 0.5; met == (e.Term == "red") {
			t.Errorf("%+v", e)
		}
	}
	places := map[image.Point]bool{}
	for _, m := range nearest {
		if places[m.Point] || !slices.ContainsFunc(m.Evidence, func(e locate.Evidence) bool { return e.Met > 0 && !strings.HasPrefix(e.By, "role ") }) {
			t.Errorf("%v is there already, or meets its kind alone: %+v", m.Point, m.Evidence)
		}
		places[m.Point] = true
	}
	if len(nearest) < 2 || len(nearest) > locate.MostNearest {
		t.Errorf("%d elements are near", len(nearest))
	}
	if nearest := locate.Find(screen, "dragon button").Nearest; len(nearest) != 1 {
		t.Errorf("%d elements are near a dragon, want the one that is likest its kind", len(nearest))
	}
}

// Evidence names the property that meets a term.
func TestEvidence(t *testing.T) {
	t.Parallel()
	m, ok := locate.Find(shop(), "orange search button on the right side of the search bar").One()
	want := []locate.Evidence{
		{Term: "search", By: "icon search"}, {Term: "button", By: "role icon button"}, {Term: "orange", By: "fill"},
		{Term: "on the right side of the search bar", By: "box (600,10)-(650,50)"},
	}
	if !ok || len(m.Evidence) != len(want) {
		t.Fatalf("%+v", m)
	}
	for i, e := range m.Evidence {
		if e.Term != want[i].Term || e.By != want[i].By || e.Met < 0.5 || e.Met > 1 {
			t.Errorf("%+v, want %+v", e, want[i])
		}
	}
}

// The click point of an element is outside of the targets on it.
func TestClickPoint(t *testing.T) {
	t.Parallel()
	box := image.Rect(100, 100, 300, 140)
	for _, on := range []struct {
		name string
		box  image.Rectangle
		want image.Point
	}{
		{"at its end", image.Rect(270, 110, 290, 130), image.Pt(200, 120)},
		{"in its middle", image.Rect(190, 100, 240, 140), image.Pt(145, 120)},
		{"in its upper part", image.Rect(100, 100, 300, 125), image.Pt(200, 132)},
		{"all over it", image.Rect(101, 101, 299, 139), image.Pt(200, 120)},
	} {
		t.Run(on.name, func(t *testing.T) {
			screen := &elements.Screen{Scene: &perception.Scene{Header: perception.Header{Width: 400, Height: 300}}, Elements: []elements.Element{
				{Role: elements.Tab, Box: box, Label: "Letter", Parent: -1},
				{Role: elements.IconButton, Box: on.box, Icons: icon("close")},
			}}
			if m, ok := locate.Find(screen, "the Letter tab").One(); !ok || m.Point != on.want {
				t.Errorf("%s: %v, want %v", on.name, m.Point, on.want)
			}
		})
	}
}

// A word that no element meets makes a description fail. Unmet names the word, and Nearest has the nearest miss.
func TestEachWordIsMet(t *testing.T) {
	t.Parallel()
	screen := desk()
	for description, unmet := range map[string]string{
		"the frozen Add button in the Ivy card":    "frozen",
		"hamburger icon with a sailing boat":       "sailing boat",
		"the unread Trash in the sidebar":          "unread",
		"encrypted Sign in button":                 "encrypted",
		"type in the postal code":                  "postal code",
		"the purple hamburger icon":                "purple",
		"the Sound tab of the kitchen table":       "kitchen table",
		"the link that prints the Security report": "prints",
	} {
		t.Run(description, func(t *testing.T) {
			answer := locate.Find(screen, description)
			if len(answer.Matches) > 0 {
				t.Fatalf("%q is %v", description, show(screen, answer))
			}
			if !strings.Contains(strings.Join(answer.Unmet, ", "), unmet) {
				t.Errorf("unmet is %q, and not %q", answer.Unmet, unmet)
			}
		})
	}
}
