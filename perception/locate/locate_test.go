package locate_test

import (
	"cmp"
	"fmt"
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
	blue   = &elements.Color{R: 0, G: 123, B: 255}
	red    = &elements.Color{R: 220, G: 53, B: 69}
	orange = &elements.Color{R: 253, G: 126, B: 20}
	white  = &elements.Color{R: 255, G: 255, B: 255}
	black  = &elements.Color{R: 33, G: 37, B: 41}
)

// shop returns a screen with a search bar, a menu, a table and a form.
func shop() *elements.Screen {
	list := []elements.Element{
		{Role: elements.Panel, Box: image.Rect(0, 0, 1000, 700), Fill: white, Parent: -1},
		{Role: elements.SearchBox, Box: image.Rect(200, 10, 600, 50), Label: "Search products", Fill: white, Ink: black},
		{Role: elements.IconButton, Box: image.Rect(600, 10, 650, 50), Fill: orange, Ink: white, Icons: []icons.Candidate{{Name: "search", Score: 0.97}}},
		{Role: elements.IconButton, Box: image.Rect(900, 10, 940, 50), Fill: white, Ink: black, Icons: []icons.Candidate{{Name: "settings", Score: 0.9}, {Name: "globe", Score: 0.05}}},
		{Role: elements.MenuItem, Box: image.Rect(0, 100, 150, 140), Label: "Orders", Ink: black},
		{Role: elements.MenuItem, Box: image.Rect(0, 140, 150, 180), Label: "Customers", Ink: blue, States: []elements.State{elements.Selected}},
		{Role: elements.Field, Box: image.Rect(300, 400, 600, 440), Label: "Email", Fill: white},
		{Role: elements.Checkbox, Box: image.Rect(300, 460, 316, 476), Label: "Remember me", States: []elements.State{elements.Checked}},
		{Role: elements.Button, Box: image.Rect(300, 500, 400, 540), Label: "Save", Fill: blue, Ink: white},
		{Role: elements.Button, Box: image.Rect(420, 500, 520, 540), Label: "Cancel", Fill: white, Ink: black},
		{Role: elements.Heading, Box: image.Rect(300, 100, 500, 130), Label: "Latest orders", Ink: black},
	}
	for i, name := range []string{"Anna", "Boris", "Clara"} {
		y := 150 + 60*i
		list = append(list,
			elements.Element{Role: elements.Text, Box: image.Rect(300, y, 360, y+20), Label: name, Ink: black},
			elements.Element{Role: elements.Button, Box: image.Rect(700, y-5, 780, y+25), Label: "Delete", Fill: red, Ink: white},
		)
	}
	return &elements.Screen{Scene: &perception.Scene{Header: perception.Header{Width: 1000, Height: 700}}, Elements: list}
}

// A clear description finds one point.
func TestFound(t *testing.T) {
	t.Parallel()
	screen := shop()
	for description, want := range map[string]image.Point{
		`the "Save" button`: {X: 350, Y: 520},
		"save":              {X: 350, Y: 520},
		"the blue button":   {X: 350, Y: 520},
		"orange search button on the right side of the search bar": {X: 625, Y: 30},
		"button right of Save":                 {X: 470, Y: 520},
		"the button to the left of cancel":     {X: 350, Y: 520},
		"search box":                           {X: 400, Y: 30},
		`the "Email" input field`:              {X: 450, Y: 420},
		"field above the checkbox":             {X: 450, Y: 420},
		"remember me checkbox":                 {X: 308, Y: 468},
		"the checked tick box":                 {X: 308, Y: 468},
		"selected menu item":                   {X: 75, Y: 160},
		"delete button in the row of Boris":    {X: 740, Y: 220},
		"second delete button":                 {X: 740, Y: 220},
		"last delete button":                   {X: 740, Y: 280},
		"the 3rd delete button from the top":   {X: 740, Y: 280},
		"icon button at the top right":         {X: 920, Y: 30},
		"the gear":                             {X: 920, Y: 30},
		"cog icon":                             {X: 920, Y: 30},
		"click on the menu item called Orders": {X: 75, Y: 120},
		"the text between Anna and Clara":      {X: 330, Y: 220},
	} {
		t.Run(description, func(t *testing.T) {
			answer := locate.Find(screen, description)
			if m, ok := answer.One(); !ok || m.Point != want {
				t.Errorf("%q is %v, want %v", description, show(screen, answer), want)
			}
		})
	}
}

func show(s *elements.Screen, a locate.Answer) (words []string) {
	for _, m := range a.Matches {
		e := s.Elements[m.Element]
		words = append(words, fmt.Sprintf("%s %q %v (%.2f)", e.Role, e.Label, m.Point, m.Score))
	}
	for _, t := range a.Unmet {
		words = append(words, "unmet: "+t)
	}
	return words
}

// If several elements fit equally well, all of them are matches.
func TestAmbiguous(t *testing.T) {
	t.Parallel()
	screen := shop()
	for description, want := range map[string]int{"the delete button": 3, `the red "Delete" button`: 3} {
		t.Run(description, func(t *testing.T) {
			if answer := locate.Find(screen, description); len(answer.Matches) != want {
				t.Errorf("%q is %v, want %d", description, show(screen, answer), want)
			}
		})
	}
}

// A description of a missing element finds nothing, and Unmet names the missing terms.
func TestMissing(t *testing.T) {
	t.Parallel()
	screen := shop()
	for description, want := range map[string]string{
		`the "Archive" button`: `the text "Archive"`, "the green button": "green", "fifth delete button": "", "": "a description", "the": "a description",
		"zebra striped walrus": "zebra",
	} {
		t.Run(fmt.Sprintf("%.60q", description), func(t *testing.T) {
			answer := locate.Find(screen, description)
			if len(answer.Matches) > 0 || want != "" && !strings.Contains(strings.Join(answer.Unmet, "; "), want) {
				t.Errorf("%q is %v, want %q", description, show(screen, answer), want)
			}
		})
	}
}

// An empty screen has no matches, and a long description is cut.
func TestEdges(t *testing.T) {
	t.Parallel()
	empty := &elements.Screen{Scene: &perception.Scene{}}
	for _, description := range []string{"", "a button", strings.Repeat("right of the button ", 1000), strings.Repeat("between a and ", 200)} {
		if answer := locate.Find(empty, description); len(answer.Matches) > 0 {
			t.Errorf("nothing is %v", answer)
		}
		locate.Find(shop(), description)
	}
}

// FuzzFind looks for descriptions that make Find panic or return an incomplete answer.
func FuzzFind(f *testing.F) {
	f.Add(`the second "Delete" button from the left between Anna and the last row`)
	f.Add("“quoted” 'text' right of in the row of 99th")
	f.Add("the last card's icon with the red dot in the first column of the dialog")
	f.Add("the email from the message of the file for the user in light green")
	screen := shop()
	f.Fuzz(func(t *testing.T, description string) {
		answer := locate.Find(screen, description)
		if !slices.IsSortedFunc(answer.Matches, func(a, b locate.Match) int { return cmp.Compare(b.Score, a.Score) }) {
			t.Errorf("not by their scores: %v", show(screen, answer))
		}
		if len(answer.Matches) == 0 && len(answer.Unmet) == 0 {
			t.Error("nothing, for no reason")
		}
		for _, m := range answer.Matches {
			if m.Score <= 0 || m.Score > 1 || !m.Point.In(screen.Elements[m.Element].Box) {
				t.Errorf("%+v", m)
			}
			for _, e := range m.Evidence {
				if e.Term == "" || e.Met < 0 || e.Met > 1 {
					t.Errorf("%+v", e)
				}
			}
		}
	})
}

func ExampleFind() {
	screen := shop()
	answer := locate.Find(screen, "orange search button on the right side of the search bar")
	if m, ok := answer.One(); ok {
		fmt.Println(m.Point)
	}
	// Output: (625,30)
}

// BenchmarkFind measures Find on a dense screen, with usual descriptions and with the slowest ones.
func BenchmarkFind(b *testing.B) {
	screen := shop()
	for range 4 {
		screen.Elements = append(screen.Elements, screen.Elements...)
	}
	for name, description := range map[string]string{
		"short": "the blue Save button",
		"long":  "delete button in the row of Boris, right of the blue button below the heading",
		"worst": strings.Repeat("the button between Anna and the button next to ", 20),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				locate.Find(screen, description)
			}
			b.ReportMetric(float64(len(screen.Elements)), "elements")
		})
	}
}
