package evaluate

import (
	"image"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// recalled counts found elements: all clickable ones, and of these the buttons and fields. False
// counts found clickable elements without a true one beneath.
type recalled struct {
	All      part `json:"all"`
	Controls part `json:"controls"`
	False    part `json:"false"`
}

// add adds the counts of o.
func (r *recalled) add(o recalled) {
	r.All.add(o.All)
	r.Controls.add(o.Controls)
	r.False.add(o.False)
}

// trueElement is an element of a page. Role is its ARIA role.
type trueElement struct {
	Tag, Type, Role, Text, Cls string
	X, Y, W, H                 float64
}

var (
	controlTags = []string{"button", "input", "textarea", "select"}
	actionTags  = []string{"a", "label", "summary", "option"}
	actionRoles = []string{"button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
		"option", "combobox", "listbox", "textbox", "searchbox", "slider", "spinbutton", "treeitem"}
)

// isControl reports whether an element is a button or a field, by its tag or class.
func (e trueElement) isControl() bool {
	return slices.Contains(controlTags, e.Tag) || strings.Contains(e.Cls, "btn")
}

// isAction reports whether an element is clickable.
func (e trueElement) isAction() bool {
	return e.isControl() || slices.Contains(actionTags, e.Tag) || slices.Contains(actionRoles, e.Role)
}

// leastOverlap is the minimum overlap of a found element, by geo.Overlap. leastSide is the minimum side of a true
// element, in image pixels: a smaller one is invisible and does not count.
const (
	leastOverlap = 0.5
	leastSide    = 4
)

// missedElement is an element that was not found, or that no click hits, with the found element
// that overlaps it most.
type missedElement struct {
	Tag     string        `json:"tag"`
	Text    string        `json:"text"`
	Box     [4]int        `json:"box"` // x, y, width, height, in image pixels
	Nearest elements.Role `json:"nearest,omitempty"`
	Overlap float64       `json:"overlap"`
	Clicked bool          `json:"clicked,omitempty"` // the middle of a found element is in it nevertheless
}

// actionFound lists the roles of found clickable elements.
var actionFound = []elements.Role{elements.Button, elements.IconButton, elements.Link, elements.MenuItem, elements.Tab, elements.Field,
	elements.SearchBox, elements.TextArea, elements.Dropdown, elements.Checkbox, elements.Radio, elements.Toggle, elements.Slider}

// findFalse counts the found clickable elements whose middle is on no clickable element of the
// page.
func (s *screened) findFalse(beneath []image.Rectangle, on *elements.Screen) {
	for _, e := range on.Elements {
		if !slices.Contains(actionFound, e.Role) {
			continue
		}
		isFalse := !slices.ContainsFunc(beneath, geo.Center(e.Box).In)
		s.Elements.False.count(isFalse)
		if isFalse {
			s.FalseElements = append(s.FalseElements, falseElement{e.Role, e.Label, [4]int{e.Box.Min.X, e.Box.Min.Y, e.Box.Dx(), e.Box.Dy()}})
		}
	}
}

// isWhole reports whether the truth lists elements other than menu items. Some toolkits list only
// their menus, and some screens list only words.
func (t truth) isWhole() bool {
	return slices.ContainsFunc(t.Els, func(e trueElement) bool { return e.Role != "menuitem" })
}

// falseElement is an element found where the page has none.
type falseElement struct {
	Role elements.Role `json:"role"`
	Text string        `json:"text"`
	Box  [4]int        `json:"box"` // x, y, width, height, in image pixels
}

// find compares the found elements with those of the page.
func (s *screened) find(t truth, on *elements.Screen) {
	screen := image.Rect(0, 0, on.Width, on.Height)
	var beneath []image.Rectangle
	for _, e := range t.Els {
		px := func(v float64) int { return int(v * t.DPR) }
		box := image.Rect(px(e.X), px(e.Y), px(e.X+e.W), px(e.Y+e.H)).Intersect(screen)
		if !e.isAction() || box.Dx() < leastSide || box.Dy() < leastSide {
			continue
		}
		beneath = append(beneath, box)
		m := missedElement{Tag: e.Tag, Text: e.Text, Box: [4]int{box.Min.X, box.Min.Y, box.Dx(), box.Dy()}}
		for _, o := range on.Elements {
			if v := geo.Overlap(box, o.Box); v > m.Overlap {
				m.Nearest, m.Overlap = o.Role, v
			}
		}
		found := m.Overlap >= leastOverlap
		s.Elements.All.count(found)
		m.Clicked = isClicked(box, on)
		kind := t.clickKind(e)
		if kind != "" {
			s.Clicks.count(kind, m.Clicked)
		}
		if e.isControl() {
			s.Elements.Controls.count(found)
		}
		if !found || kind != "" && !m.Clicked {
			s.MissedElements = append(s.MissedElements, m)
		}
	}
	if t.isWhole() {
		s.findFalse(beneath, on)
	}
}
