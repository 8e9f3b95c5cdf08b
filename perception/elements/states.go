package elements

import (
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// judgeState sets the visible states of an element.
func (f *finder) judgeState(i int) {
	e := &f.list[i]
	add := func(s State) { e.States = append(e.States, s) }
	switch e.Role {
	case Field, SearchBox, TextArea:
		texts := f.inside(i, phrase)
		if len(texts) == 0 || isPlaceholder(texts[0], e) {
			add(Empty)
		}
		if f.isFocused(i) {
			add(Focused)
		}
		if e.Border != nil && f.isGreyed(i) {
			add(Disabled)
		}
	case Button, IconButton, Dropdown:
		if e.kind != control && f.isPale(i) {
			add(Disabled)
		}
		if e.Role == IconButton && e.kind == face && f.isPressed(i) {
			add(Selected)
		}
	case MenuItem, Row:
		if e.kind == face && f.isSelectedRow(i) {
			add(Selected)
		}
	}
}

// isSelectedRow reports whether no neighbour of an item has a face like it. A row must be between
// two others, because the head of a table has its own color too.
func (f *finder) isSelectedRow(i int) bool {
	e := &f.list[i]
	above, below := f.stackedOn(i, -1), f.stackedOn(i, 1)
	for _, o := range []*Element{above, below} {
		if o != nil && Apart(*o.Fill, *e.Fill) < distinct/3 && o.Box.Dy() <= 2*e.Box.Dy() {
			return false
		}
	}
	if e.Parent >= 0 {
		for _, c := range f.children[e.Parent] {
			if o := &f.list[c]; c != i && o.kind == face && o.Role == e.Role && Apart(*o.Fill, *e.Fill) < distinct/3 && isAsWide(o.Box, e.Box, f.px(5)) {
				return false
			}
		}
	}
	return e.Role == MenuItem || f.bandness(i, f.contentOf(i)) > 0
}

// Contrasts with the ground, as differences in OKLab's lightness, 0 to 1.
const (
	disabledContrast    = 0.28 // text and icons below it are disabled
	placeholderContrast = 0.47 // text of a field below it is a placeholder
)

// contrast returns the difference of two colors in lightness, 0 to 1.
func contrast(a, b Color) float64 { return max(a.lch().l-b.lch().l, b.lch().l-a.lch().l) }

// isPlaceholder reports whether a text in a field is too pale to be typed text.
func isPlaceholder(text, in *Element) bool {
	return in.Fill != nil && text.Ink.lch().c < 2*grey && contrast(*text.Ink, *in.Fill) < placeholderContrast
}

// isPale reports whether the text or icon of an element hardly differs from its ground: then the
// element is disabled.
func (f *finder) isPale(i int) bool {
	e := &f.list[i]
	ground := e.Fill
	if ground == nil {
		_, ground = GroundOf(f.list, i)
	}
	return e.Ink != nil && ground != nil && ground.lch().c < loud && e.Ink.lch().c < loud && contrast(*e.Ink, *ground) < disabledContrast
}

// isGreyed reports whether a field is darker than its ground and than another field.
func (f *finder) isGreyed(i int) bool {
	e := &f.list[i]
	_, ground := GroundOf(f.list, i)
	if ground == nil || e.Fill.lch().c >= grey || ground.lch().l-e.Fill.lch().l < 0.02 || ground.lch().l < 0.9 {
		return false
	}
	return slices.ContainsFunc(f.list, func(o Element) bool {
		return o.Role == e.Role && o.Fill != nil && o.Fill.lch().l > e.Fill.lch().l+0.02
	})
}

// isFocused reports whether a field's border is at least two pixels wide, in a color that borders
// rarely have. It excludes red, which marks an error.
func (f *finder) isFocused(i int) bool {
	e := &f.list[i]
	if e.Border == nil {
		return false
	}
	if v := e.Border.lch(); v.c < 2*grey || v.h < 100 || v.h > 330 {
		return false
	}
	m, out := geo.Center(e.Box), f.px(1)
	x, y := e.Box.Min.X-out, e.Box.Min.Y-out
	return x >= 0 && y >= 0 && Apart(f.at(x, m.Y), *e.Border) <= 4*distinct && Apart(f.at(m.X, y), *e.Border) <= 4*distinct
}

// isPressed reports whether an icon has a face while at least two others beside it have none.
func (f *finder) isPressed(i int) bool {
	e := &f.list[i]
	if e.Parent < 0 || e.Border != nil && e.Fill.lch().c < grey {
		return false
	}
	n := 0
	for _, c := range f.children[e.Parent] {
		if o := &f.list[c]; o.Role == IconButton && o.kind == cell && geo.Abs(geo.Center(o.Box).Y-geo.Center(e.Box).Y) <= f.px(6) && geo.Abs(o.Box.Dy()-e.Box.Dy()) <= f.px(16) {
			n++
		}
	}
	return n >= 2
}
