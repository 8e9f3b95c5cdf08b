package describe

import (
	"cmp"
	"image"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// plurals lists the roles of controls with the plural of each.
var plurals = map[elements.Role]string{
	elements.Button: "buttons", elements.IconButton: "icon buttons", elements.Link: "links", elements.MenuItem: "menu items",
	elements.Tab: "tabs", elements.Field: "fields", elements.SearchBox: "search boxes", elements.TextArea: "text areas",
	elements.Dropdown: "dropdowns", elements.Checkbox: "checkboxes", elements.Radio: "radio buttons", elements.Toggle: "switches",
	elements.Slider: "sliders",
}

// addControls lists the first MaxControls controls in reading order. It omits rows, and links and
// icon buttons that are parts of another control.
func (d *describer) addControls() {
	for i, e := range d.screen.Elements {
		part := e.Role == elements.Link || e.Role == elements.IconButton
		if plurals[e.Role] == "" || d.isRow(i) || part && d.inControl(i) {
			continue
		}
		d.out.Controls = append(d.out.Controls, Control{
			Element: i, Role: e.Role, Label: cut(e.Label, MaxLabel), Icon: e.Icon(), States: e.States, Color: colorOf(&e),
			Box: e.Box, Point: geo.Center(e.Box), Region: -1,
		})
	}
	inOrder(d.out.Controls, func(c Control) image.Rectangle { return c.Box })
	d.out.MoreControls = max(0, len(d.out.Controls)-MaxControls)
	d.out.Controls = d.out.Controls[:len(d.out.Controls)-d.out.MoreControls]
}

// isRow reports whether a menu item or field is a row instead: it contains controls or more than
// two texts, or is wider than menus.
func (d *describer) isRow(i int) bool {
	role := d.screen.Elements[i].Role
	if role != elements.MenuItem && role != elements.Field && role != elements.TextArea {
		return false
	}
	if role == elements.MenuItem && d.out.Size.X >= d.px(600) && d.screen.Elements[i].Box.Dx() > d.out.Size.X*45/100 {
		return true
	}
	texts := 0
	for _, k := range d.children[i] {
		switch r := d.screen.Elements[k].Role; {
		case r == elements.Text || r == elements.Heading:
			texts++
		case r != elements.IconButton && plurals[r] != "":
			return true
		}
	}
	return texts > 2
}

// inControl reports whether an element is part of a control that reacts to a click in the same way.
func (d *describer) inControl(i int) bool {
	for p := d.screen.Elements[i].Parent; p >= 0; p = d.screen.Elements[p].Parent {
		switch d.screen.Elements[p].Role {
		case elements.Button, elements.IconButton, elements.Link, elements.MenuItem, elements.Tab:
			return !d.isRow(p)
		}
	}
	return false
}

// colorOf returns the name of a control's color, or "" for white, grey and black.
func colorOf(e *elements.Element) string {
	for _, c := range []*elements.Color{e.Fill, e.Ink} {
		if c == nil {
			continue
		}
		if name := c.Name(); name != "white" && name != "black" && !strings.HasSuffix(name, "grey") {
			return name
		}
	}
	return ""
}

// addText adds all text, and the headings.
func (d *describer) addText() {
	for _, r := range d.screen.Rows {
		if r.Script != "" {
			d.unread++
			continue
		}
		d.out.Text = append(d.out.Text, Line{Text: cut(r.Text, 10*MaxLabel), Box: r.Box, Region: -1})
	}
	d.out.MoreText = max(0, len(d.out.Text)-MaxLines)
	d.out.Text = d.out.Text[:len(d.out.Text)-d.out.MoreText]
	for i, e := range d.screen.Elements { // a heading with children is a text of several lines
		if e.Role == elements.Heading && len(d.out.Headings) < MaxLines && len(d.children[i]) == 0 && strings.ContainsFunc(e.Label, unicode.IsLetter) {
			d.out.Headings = append(d.out.Headings, Line{Text: cut(e.Label, MaxLabel), Box: e.Box, Region: -1})
		}
	}
	inOrder(d.out.Headings, func(l Line) image.Rectangle { return l.Box })
}

// inOrder sorts a list by lines, and each line from left to right.
func inOrder[T any](list []T, box func(T) image.Rectangle) {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(geo.Center(box(a)).Y, geo.Center(box(b)).Y) })
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && geo.Center(box(list[end])).Y < box(list[start]).Max.Y && box(list[end]).Min.Y > box(list[start]).Min.Y-box(list[start]).Dy() {
			end++
		}
		slices.SortStableFunc(list[start:end], func(a, b T) int { return cmp.Compare(box(a).Min.X, box(b).Min.X) })
		start = end
	}
}

// cut shortens a text to limit characters.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if runes := []rune(text); len(runes) > limit {
		return strings.TrimSpace(string(runes[:limit-1])) + "…"
	}
	return text
}
