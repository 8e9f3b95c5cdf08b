package elements

import (
	"image"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/geo"
)

const (
	held       = 0.8 // minimum share of an element inside its container
	captionGap = 600 // maximum distance of a caption to the left of a control, in usual pixels
)

// nest sorts the list so that containers come before their content, and sets the parent of each
// element: the smallest element that contains most of it.
func (f *finder) nest() {
	slices.SortStableFunc(f.list, func(a, b Element) int { return geo.Area(b.Box) - geo.Area(a.Box) })
	f.children = make([][]int, len(f.list))
	before := newPlaces(nil, 0)
	for i := range f.list {
		if f.list[i].kind != cell {
			f.list[i].on = f.faceOf(f.list[i].Box)
		}
	}
	for i := range f.list {
		if f.ended() {
			return
		}
		e := &f.list[i]
		// an element that contains most of e contains its middle
		e.Parent = before.last(geo.Center(e.Box), func(j int) bool { return f.holds(&f.list[j], e) })
		if e.Parent >= 0 {
			f.children[e.Parent] = append(f.children[e.Parent], i)
		}
		before.add(i, e.Box)
	}
	for i := range f.children {
		slices.SortFunc(f.children[i], func(a, b int) int { return readingOrder(f.list[a].Box, f.list[b].Box) })
	}
}

// holds reports whether a contains b.
func (f *finder) holds(a, b *Element) bool {
	if a.kind == phrase && b.kind != phrase || a.kind == symbol {
		return false
	}
	if a.kind == cell && b.on != a.on && b.on >= 0 && geo.Area(f.faces[b.on].Intersect(a.Box)) < geo.Area(f.faces[b.on])/2 {
		return false // it is on a face that covers the item, such as a dialog
	}
	return float64(geo.Area(a.Box.Intersect(b.Box))) >= held*float64(geo.Area(b.Box))
}

// readingOrder compares boxes by lines and then from left to right.
func readingOrder(a, b image.Rectangle) int {
	if geo.Center(a).Y < b.Min.Y || geo.Center(b).Y < a.Min.Y {
		return a.Min.Y - b.Min.Y
	}
	return a.Min.X - b.Min.X
}

// inside returns the elements of a kind in another element, including those in its cells and tabs.
func (f *finder) inside(i int, k kind) (list []*Element) {
	for _, c := range f.children[i] {
		switch f.list[c].kind {
		case k:
			list = append(list, &f.list[c])
		case cell, tab:
			list = append(list, f.inside(c, k)...)
		}
	}
	return list
}

// labelOf returns the text of an element, or joins the texts of its content.
func (f *finder) labelOf(i int) string {
	if f.list[i].Label != "" {
		return f.list[i].Label
	}
	var words []string
	for _, c := range f.children[i] {
		if text := f.labelOf(c); text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, " ")
}

// caption sets the caption of a control: the text right of a checkbox or radio button, above or
// left of a field, or far to the left on the line if there is no nearer text.
func (f *finder) caption(e *Element) {
	checked := e.Role.IsChecked()
	if !checked && !slices.Contains([]Role{Field, TextArea, Dropdown, Slider, SearchBox, Progress}, e.Role) {
		return
	}
	near, line := f.px(40), f.px(captionGap)
	atLine := ""
	for i := range f.list {
		t := &f.list[i]
		if t.kind != phrase || geo.Center(t.Box).In(e.Box) {
			continue
		}
		level := geo.Abs(geo.Center(t.Box).Y-geo.Center(e.Box).Y) <= max(f.px(6), e.Box.Dy()/3)
		far := near
		switch {
		case checked && level && t.Box.Min.X >= e.Box.Max.X:
			far = t.Box.Min.X - e.Box.Max.X
		case level && t.Box.Max.X <= e.Box.Min.X:
			far = e.Box.Min.X - t.Box.Max.X
			if far < line && t.on == e.on {
				line, atLine = far, t.Label
			}
		case !checked && t.Box.Max.Y <= e.Box.Min.Y+f.px(2) && geo.Abs(t.Box.Min.X-e.Box.Min.X) <= f.px(16):
			far = e.Box.Min.Y - t.Box.Max.Y
		}
		if far < near {
			near, e.Caption = far, t.Label
		}
	}
	if e.Caption == "" && e.Role != Checkbox && e.Role != Radio {
		e.Caption = atLine
	}
	if e.Label == "" {
		e.Label = e.Caption
	}
}
