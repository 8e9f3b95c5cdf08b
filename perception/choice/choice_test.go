package choice_test

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/choice"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/elements/icons"
)

func on(list ...elements.Element) *elements.Screen {
	return &elements.Screen{Scene: &perception.Scene{Header: perception.Header{Width: 900, Height: 600}}, Elements: list}
}

func icon(name string, score float64) []icons.Candidate {
	return []icons.Candidate{{Name: name, Score: score}}
}

// files is a list of three files, each with an icon to delete it, and a form below it.
func files() *elements.Screen {
	list := []elements.Element{
		{Role: elements.Panel, Box: image.Rect(0, 0, 900, 600), Fill: &elements.Color{R: 255, G: 255, B: 255}, Parent: -1},
		{Role: elements.Heading, Box: image.Rect(20, 340, 120, 360), Label: "Network", Parent: 0},
		{Role: elements.Checkbox, Box: image.Rect(20, 380, 36, 396), Label: "Use a proxy", States: []elements.State{elements.Checked}, Parent: 0},
		{Role: elements.Field, Box: image.Rect(120, 410, 320, 430), Caption: "Host", Label: "proxy.example", Parent: 0},
		{Role: elements.Button, Box: image.Rect(700, 550, 780, 580), Label: "Save", Fill: &elements.Color{R: 30, G: 100, B: 230}, Parent: 0},
		{Role: elements.IconButton, Box: image.Rect(860, 5, 880, 25), Icons: icon("gear", 0.4), Parent: 0},
	}
	for n, name := range []string{"a.txt", "invoice.pdf", "z.png"} {
		y := 100 + 40*n
		list = append(list,
			elements.Element{Role: elements.Row, Box: image.Rect(0, y, 900, y+40), Parent: 0},
			elements.Element{Role: elements.Text, Box: image.Rect(200, y+10, 260, y+28), Label: name, Parent: len(list)},
			elements.Element{Role: elements.IconButton, Box: image.Rect(800, y+10, 820, y+30), Icons: icon("trash", 0.9), Parent: len(list)})
	}
	return on(list...)
}

// Each line says what distinguishes its element, and no more.
func TestLines(t *testing.T) {
	t.Parallel()
	plain := elements.Element{Role: elements.IconButton, Parent: -1}
	at := func(x, y int) elements.Element { e := plain; e.Box = image.Rect(x, y, x+10, y+10); return e }
	dialog := on(
		elements.Element{Role: elements.Dialog, Box: image.Rect(200, 200, 600, 400), Parent: -1},
		elements.Element{Role: elements.Text, Box: image.Rect(220, 210, 300, 228), Label: "Export", Parent: 0},
		elements.Element{Role: elements.Button, Box: image.Rect(500, 360, 560, 390), Label: "Save", Parent: 0},
	)
	add := func(x int) elements.Element {
		return elements.Element{Role: elements.Button, Box: image.Rect(x, 10, x+40, 30), Label: "Add", Parent: -1}
	}
	twins := on(elements.Element{Role: elements.Text, Box: image.Rect(10, 10, 60, 28), Label: "Tents", Parent: -1}, add(100), add(200))
	for name, tt := range map[string]struct {
		screen *elements.Screen
		list   []int
		want   []string
	}{
		"rows": {files(), []int{8, 11}, []string{`icon button, trash, in the row of "a.txt"`, `icon button, trash, in the row of "invoice.pdf"`}},
		"controls": {files(), []int{2, 3, 4, 5}, []string{
			`checkbox "Use a proxy", checked, under "Network", left`, `field "Host" with "proxy.example", under "Network", bottom left`,
			`blue button "Save", under "Network", bottom right`, `icon button, perhaps gear, top right`,
		}},
		"dialog": {dialog, []int{1, 2}, []string{`text "Export", in dialog, left`, `button "Save", in dialog "Export", center`}},
		"one":    {files(), []int{4}, []string{`blue button "Save", under "Network"`}},
		"none":   {files(), nil, []string{}},
		"row of unnamed": {on(at(300, 10), at(100, 10), at(200, 10)), []int{0, 1, 2}, []string{
			"icon button, top", "icon button, top left, the first of 2 from the left", "icon button, top left, the second of 2 from the left",
		}},
		"twins of a row": {twins, []int{1, 2}, []string{`button "Add", the first of 2 from the left`, `button "Add", the second of 2 from the left`}},
		"column":         {on(at(10, 30), at(10, 10)), []int{0, 1}, []string{"icon button, the second of 2 from the top", "icon button, the first of 2 from the top"}},
		"newlines":       {on(elements.Element{Role: elements.Button, Box: image.Rect(0, 0, 9, 9), Label: "a\nb\u202e", Parent: -1}), []int{0}, []string{`button "a b"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := choice.New(tt.screen).Among(tt.list); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// The line of an element alone has its place if other elements have the same name.
func TestOf(t *testing.T) {
	t.Parallel()
	lines := choice.New(files())
	if got := lines.Of(4); got != `blue button "Save", under "Network"` {
		t.Error(got)
	}
	cancel := elements.Element{Role: elements.Button, Box: image.Rect(0, 0, 9, 9), Label: "Cancel", Parent: -1}
	if got := choice.New(on(cancel, cancel)).Of(0); got != `button "Cancel", top left` {
		t.Error(got)
	}
	if got := lines.Of(8); got != `icon button, trash, in the row of "a.txt", top right` {
		t.Error(got)
	}
}

// Five lines take at most 150 tokens, at four characters each, whatever the labels are.
func TestLinesAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Ä long label ", 20)
	list := []elements.Element{
		{Role: elements.Dialog, Box: image.Rect(0, 0, 900, 600), Label: long, Parent: -1},
		{Role: elements.Heading, Box: image.Rect(10, 10, 800, 30), Label: long, Parent: 0},
	}
	for n := range 5 {
		list = append(list, elements.Element{
			Role: elements.IconButton, Box: image.Rect(800, 400+30*n, 820, 420+30*n), Label: long, Caption: "x" + long, Fill: &elements.Color{R: 20, G: 30, B: 120},
			States: []elements.State{elements.Selected, elements.Focused, elements.Disabled}, Parent: 0,
		})
	}
	all := ""
	for _, line := range choice.New(on(list...)).Among([]int{2, 3, 4, 5, 6}) {
		if utf8.RuneCountInString(line) > choice.MaxLine || !strings.Contains(line, " of 5 from the top") || !strings.Contains(line, "disabled") {
			t.Errorf("%d: %s", utf8.RuneCountInString(line), line)
		}
		all += line
	}
	if utf8.RuneCountInString(all) > 5*choice.MaxLine {
		t.Error(all)
	}
}

// Hints distinguish matches by their rows, or else by their order.
func TestHints(t *testing.T) {
	t.Parallel()
	lines := choice.New(files())
	if got := strings.Join(lines.Hints([]int{8, 11, 14}), "; "); got != `in the row of "a.txt"; in the row of "invoice.pdf"; in the row of "z.png"` {
		t.Error(got)
	}
	if got := strings.Join(lines.Hints([]int{4, 5}), "; "); got != "the second; the first" {
		t.Error(got)
	}
	var many []elements.Element
	var list []int
	for n := range 25 {
		many, list = append(many, elements.Element{Role: elements.Button, Box: image.Rect(20*n, 0, 20*n+10, 10), Parent: -1}), append(list, n)
	}
	lines = choice.New(on(many...))
	if got := lines.Hints(list); got[3] != "the 4th from the left" || got[20] != "" || len(got) != 25 {
		t.Errorf("%q", got)
	}
	if got := lines.Hints(list[:1]); got[0] != "" {
		t.Errorf("%q", got)
	}
}

func ExampleLines_Among() {
	for _, line := range choice.New(files()).Among([]int{8, 11}) {
		fmt.Println(line)
	}
	// Output:
	// icon button, trash, in the row of "a.txt"
	// icon button, trash, in the row of "invoice.pdf"
}
