package elements

import (
	"image"
	"slices"
	"strings"
)

// inside is how much of an element is in another at least when it belongs to
// it.
const inside = 0.8

// nest orders the elements so that each comes after what it is in, and says
// what that is: the smallest one that holds most of it.
func (f *finder) nest() {
	slices.SortStableFunc(f.list, func(a, b Element) int { return areaOf(b.Box) - areaOf(a.Box) })
	f.children = make([][]int, len(f.list))
	for i := range f.list {
		f.list[i].Parent = -1
		for j := i - 1; j >= 0; j-- {
			if f.holds(&f.list[j], &f.list[i]) {
				f.list[i].Parent = j
				f.children[j] = append(f.children[j], i)
				break
			}
		}
	}
	for i := range f.children {
		slices.SortFunc(f.children[i], func(a, b int) int { return readingOrder(f.list[a].Box, f.list[b].Box) })
	}
}

// holds reports whether b is in a.
func (f *finder) holds(a, b *Element) bool {
	if a.kind == phrase && b.kind != phrase || a.kind == symbol {
		return false
	}
	return float64(areaOf(a.Box.Intersect(b.Box))) >= inside*float64(areaOf(b.Box))
}

// readingOrder compares boxes by their lines and then from left to right.
func readingOrder(a, b image.Rectangle) int {
	if middle(a).Y < b.Min.Y || middle(b).Y < a.Min.Y {
		return a.Min.Y - b.Min.Y
	}
	return a.Min.X - b.Min.X
}

// of returns the children of an element that were found in a way.
func (f *finder) of(i int, k kind) (list []*Element) {
	for _, c := range f.children[i] {
		if f.list[c].kind == k {
			list = append(list, &f.list[c])
		}
	}
	return list
}

// labelOf returns what is written in an element.
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

// labelFromOutside gives a control that has nothing written in it the text that
// is nearest to where labels stand: right of a box to check, and above or left
// of a field.
func (f *finder) labelFromOutside(e *Element) {
	checked := e.Role == Checkbox || e.Role == Radio || e.Role == Toggle
	if e.Label != "" || !checked && e.Role != Field && e.Role != TextArea && e.Role != Dropdown {
		return
	}
	near := f.px(40)
	for i := range f.list {
		t := &f.list[i]
		if t.kind != phrase {
			continue
		}
		level := abs(middle(t.Box).Y-middle(e.Box).Y) <= max(f.px(6), e.Box.Dy()/3)
		far := near
		switch {
		case checked && level && t.Box.Min.X >= e.Box.Max.X:
			far = t.Box.Min.X - e.Box.Max.X
		case level && t.Box.Max.X <= e.Box.Min.X:
			far = e.Box.Min.X - t.Box.Max.X
		case !checked && t.Box.Max.Y <= e.Box.Min.Y+f.px(2) && abs(t.Box.Min.X-e.Box.Min.X) <= f.px(16):
			far = e.Box.Min.Y - t.Box.Max.Y
		}
		if far < near {
			near, e.Label = far, t.Label
		}
	}
}
