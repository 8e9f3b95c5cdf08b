package elements

import (
	"slices"
	"strings"
)

// judge says what an element is for.
func (f *finder) judge(i int) {
	e := &f.list[i]
	switch e.kind {
	case phrase:
		e.Role = f.roleOfPhrase(e)
	case symbol:
		e.Role = Icon
	case photo:
		e.Role = Picture
	case line:
		e.Role, e.Label = Field, f.labelOf(i)
		f.takeInk(i)
	case cell:
		f.judgeCell(i)
	case face:
		f.judgeFace(i)
	}
}

// roleOfPhrase tells links, which have a color, and headings, which are
// large, from other text.
func (f *finder) roleOfPhrase(e *Element) Role {
	switch v := e.Ink.lch(); {
	case v.c >= 2*grey && v.h >= 218 && v.h <= 300:
		return Link
	case float64(e.Box.Dy()) >= 1.4*1.35*textHeight*f.unit:
		return Heading
	}
	return Text
}

// judgeCell says what the space of an item is: one icon's is a button.
func (f *finder) judgeCell(i int) {
	e := &f.list[i]
	e.Label = f.labelOf(i)
	e.Role = MenuItem
	if e.Label == "" && len(f.of(i, symbol)) > 0 && e.Box.Dx() <= f.px(80) {
		e.Role = IconButton
	}
	f.takeInk(i)
}

// takeInk gives an element the color of what is written in it, or drawn, and
// the meaning of its icon.
func (f *finder) takeInk(i int) {
	if s := f.of(i, symbol); len(s) == 1 && len(f.of(i, phrase)) <= 1 {
		f.list[i].Icons = s[0].Icons
	}
	for _, k := range []kind{phrase, symbol} {
		if in := f.of(i, k); len(in) > 0 && f.list[i].Ink == nil {
			f.list[i].Ink = in[0].Ink
		}
	}
}

// candidate is a role that a face may have, and how much speaks for it.
type candidate struct {
	role  Role
	score float64
}

// judgeFace says what a face is: what fits best of what it may be.
func (f *finder) judgeFace(i int) {
	e := &f.list[i]
	best := slices.MaxFunc([]candidate{
		{Panel, 0.4}, {Button, f.buttonness(i)}, {IconButton, f.iconButtonness(i)}, {Field, f.fieldness(i)},
		{TextArea, f.areaness(i)}, {Checkbox, f.checkness(i)}, {Badge, f.badgeness(i)},
	}, func(a, b candidate) int { return int(1000 * (a.score - b.score)) })
	e.Role = best.role
	f.takeInk(i)
	if e.Role == Panel {
		return
	}
	e.Label = f.labelOf(i)
	if e.Role == Field && strings.Contains(strings.ToLower(e.Label), "search") {
		e.Role = SearchBox
	}
	if e.Role == Checkbox && (len(f.of(i, symbol)) > 0) {
		e.States = append(e.States, Checked)
	}
}

// within reports by how much a length is one of those that are usual.
func (f *finder) within(n, from, to int) bool { return n >= f.px(from) && n <= f.px(to) }

// stands out reports whether a face can be told from what it is on.
func (f *finder) standsOut(i int) bool {
	e := &f.list[i]
	if e.Border != nil {
		return true
	}
	for p := e.Parent; p >= 0; p = f.list[p].Parent {
		if f.list[p].Fill != nil {
			return apart(*f.list[p].Fill, *e.Fill) >= 12
		}
	}
	return true
}

// buttonness: one line in the middle, of text and perhaps icons.
func (f *finder) buttonness(i int) float64 {
	e := &f.list[i]
	texts := f.of(i, phrase)
	if len(texts) == 0 || len(texts) > 3 || len(f.of(i, symbol)) > 2 || len(f.of(i, face)) > 1 || !f.within(e.Box.Dy(), 18, 64) || e.Box.Dx() < f.px(20) || !f.standsOut(i) {
		return 0
	}
	content := texts[0].Box
	for _, c := range append(texts[1:], f.of(i, symbol)...) {
		if m := middle(c.Box).Y; m < texts[0].Box.Min.Y || m > texts[0].Box.Max.Y {
			return 0
		}
		content = content.Union(c.Box)
	}
	off := abs(middle(content).X - middle(e.Box).X)
	if off <= max(f.px(4), e.Box.Dx()/20) {
		return 0.9
	}
	if content.Dx() >= e.Box.Dx()/2 && e.Box.Dx() <= f.px(300) {
		return 0.6
	}
	return 0
}

// iconButtonness: an icon in the middle and no text.
func (f *finder) iconButtonness(i int) float64 {
	e := &f.list[i]
	icons := f.of(i, symbol)
	if len(icons) == 0 || len(icons) > 2 || len(f.of(i, phrase)) > 0 || !f.within(e.Box.Dy(), 18, 72) || !f.within(e.Box.Dx(), 18, 90) || !f.standsOut(i) {
		return 0
	}
	if abs(middle(icons[0].Box).X-middle(e.Box).X) > e.Box.Dx()/5 {
		return 0.3
	}
	return 0.8
}

// fieldness: wide, and empty or with a text at its left.
func (f *finder) fieldness(i int) float64 {
	e := &f.list[i]
	if !f.within(e.Box.Dy(), 22, 60) || e.Box.Dx() < f.px(60) || e.Box.Dx() < 2*e.Box.Dy() || !f.standsOut(i) {
		return 0
	}
	texts := f.of(i, phrase)
	switch {
	case len(f.of(i, face)) > 1 || len(texts) > 2:
		return 0
	case len(texts) == 0 && e.Border != nil:
		return 0.7
	case len(texts) == 0:
		return 0.45
	case texts[0].Box.Min.X-e.Box.Min.X > f.px(44):
		return 0
	}
	if e.Border != nil {
		return 0.85
	}
	return 0.5
}

// areaness: a large field, with text at its top or none.
func (f *finder) areaness(i int) float64 {
	e := &f.list[i]
	if e.Border == nil || !f.within(e.Box.Dy(), 60, 400) || !f.within(e.Box.Dx(), 120, 1000) || len(f.of(i, face)) > 0 || len(f.of(i, phrase)) > 1 {
		return 0
	}
	return 0.6
}

// checkness: a small square with a border, and nothing or a check in it.
func (f *finder) checkness(i int) float64 {
	e := &f.list[i]
	if e.Border == nil || !f.within(e.Box.Dx(), 11, 28) || abs(e.Box.Dx()-e.Box.Dy()) > f.px(3) || len(f.of(i, phrase)) > 0 {
		return 0
	}
	return 0.7
}

// badgeness: small, filled, with a short text.
func (f *finder) badgeness(i int) float64 {
	e := &f.list[i]
	texts := f.of(i, phrase)
	if e.Border != nil || len(texts) != 1 || e.Box.Dy() > f.px(24) || e.Box.Dx() > f.px(80) || !f.standsOut(i) {
		return 0
	}
	return 0.95
}
