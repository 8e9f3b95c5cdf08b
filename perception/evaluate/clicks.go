package evaluate

import (
	"fmt"
	"image"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// clicks counts, by kind such as "link", the elements of pages that a click would hit: the middle
// of a found clickable element is inside them. A click does not require a matching box.
type clicks map[string]part

// add adds the counts of o, kind by kind. c may be nil before it.
func (c *clicks) add(o clicks) {
	for kind, p := range o {
		if *c == nil {
			*c = clicks{}
		}
		sum := (*c)[kind]
		sum.add(p)
		(*c)[kind] = sum
	}
}

// count adds one element of a kind.
func (c *clicks) count(kind string, hit bool) {
	var p part
	p.count(hit)
	c.add(clicks{kind: p})
}

// print writes the counts by kind.
func (c clicks) print(w io.Writer) {
	if len(c) == 0 {
		return
	}
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		list = append(list, fmt.Sprintf("%s %v", kind, c[kind]))
	}
	fmt.Fprintf(w, "click points inside: %s\n", strings.Join(list, ", "))
}

// mostClicked is the maximum ratio of the areas of the found element and the true one.
const mostClicked = 4

// isClicked reports whether the middle of a found clickable element is in a box, and its area is at
// most mostClicked times the area of the box.
func isClicked(box image.Rectangle, on *elements.Screen) bool {
	return slices.ContainsFunc(on.Elements, func(e elements.Element) bool {
		return e.Role.IsActedOn() && geo.Center(e.Box).In(box) && geo.Area(e.Box) <= mostClicked*geo.Area(box)
	})
}

// titleBarNames are the names of buttons in title bars of windows and docks.
var titleBarNames = []string{"close", "minimize", "maximize", "restore", "float"}

// clickKinds lists kinds of clickable elements with their tags and roles; the first match counts.
var clickKinds = []struct {
	kind        string
	tags, roles []string
}{
	{"check", nil, []string{"checkbox", "radio", "switch"}},
	{"select", []string{"select"}, []string{"combobox", "listbox"}},
	{"field", []string{"input", "textarea"}, []string{"textbox", "searchbox", "spinbutton"}},
	{"menu item", nil, []string{"menuitem", "menuitemcheckbox", "menuitemradio"}},
	{"tab", nil, []string{"tab"}},
	{"button", []string{"button"}, []string{"button"}},
	{"link", []string{"a"}, []string{"link"}},
}

// clickKind returns the kind of a clickable element, or "" if it is not counted.
func (t truth) clickKind(e trueElement) string {
	switch {
	case t.isTitleButton(e):
		return "title button"
	case slices.Contains([]string{"checkbox", "radio"}, e.Type):
		return "check"
	case strings.Contains(e.Cls, "btn") || slices.Contains([]string{"button", "submit", "reset", "image"}, e.Type):
		return "button"
	}
	for _, k := range clickKinds {
		if slices.Contains(k.roles, e.Role) {
			return k.kind
		}
	}
	for _, k := range clickKinds {
		if slices.Contains(k.tags, e.Tag) {
			return k.kind
		}
	}
	return ""
}

// isTitleButton reports whether e has the name of a title bar's button, with another such button
// beside it.
func (t truth) isTitleButton(e trueElement) bool {
	named := func(e trueElement) bool {
		return e.isControl() && slices.Contains(titleBarNames, strings.ToLower(e.Text))
	}
	return named(e) && slices.ContainsFunc(t.Els, func(o trueElement) bool {
		return named(o) && o.X != e.X && max(o.Y, e.Y) < min(o.Y+o.H, e.Y+e.H) && max(o.X, e.X) < min(o.X+o.W, e.X+e.W)+e.W
	})
}
