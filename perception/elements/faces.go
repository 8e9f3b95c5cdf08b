package elements

import (
	"image"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/geo"
)

// candidate is a possible role of a face, with its score from 0 to 1.
type candidate struct {
	role  Role
	score float64
}

// judgeFace gives a face the role with the best score.
func (f *finder) judgeFace(i int) {
	e := &f.list[i]
	c := f.contentOf(i)
	best := slices.MaxFunc([]candidate{
		{Panel, 0.4}, {Button, f.buttonness(e, c)}, {IconButton, f.iconButtonness(e, c)}, {Field, f.fieldness(e, c)},
		{Dropdown, f.dropness(e, c)}, {TextArea, f.areaness(e, c)}, {Badge, f.badgeness(e, c)}, {Avatar, f.avatarness(e, c)},
		{MenuItem, f.itemness(i, c)}, {Row, f.rowness(e, c)}, {f.bandRole(e), f.bandness(i, c)},
	}, func(a, b candidate) int { return int(1000 * (a.score - b.score)) })
	e.Role = best.role
	f.takeInk(i)
	if e.Role == Panel {
		if f.isFilledIcon(i) {
			e.Role, e.Ink, e.Fill, e.Border = Icon, e.Fill, nil, nil
			return
		}
		if len(f.children[i]) == 0 && min(e.Box.Dx(), e.Box.Dy()) >= f.px(18) && f.isColorful(e.Box) {
			e.Role = Picture
		}
		return
	}
	e.Label = f.labelOf(i)
	if e.Role == Field && f.isSearch(e, c) {
		e.Role = SearchBox
	}
}

// isFilledIcon reports whether a small, empty face has the shape of an icon, and sets its Icons.
func (f *finder) isFilledIcon(i int) bool {
	e := &f.list[i]
	if len(f.children[i]) > 0 || max(e.Box.Dx(), e.Box.Dy()) > f.px(mostDrawing) || !f.standsOut(i) {
		return false
	}
	if e.Icons = icons.Match(f.cut(e.Box)); e.Icon() == "" {
		e.Icons = nil
	}
	return e.Icons != nil
}

// content is the elements on a face, from left to right on each line.
type content struct {
	texts, symbols, faces, controls []*Element
	stands                          bool // the face differs from its ground
	stacked                         bool // another face of the same width touches it above or below
}

// contentOf returns the content of face or cell i, with the content of its cells and tabs but not
// of other elements inside it. It works only after nest.
func (f *finder) contentOf(i int) content {
	return content{f.inside(i, phrase), f.inside(i, symbol), f.inside(i, face), f.inside(i, control), f.standsOut(i), f.isStacked(i)}
}

// within reports whether a length is from..to usual pixels, both included.
func (f *finder) within(n, from, to int) bool { return n >= f.px(from) && n <= f.px(to) }

// standsOut reports whether a face differs from its ground.
func (f *finder) standsOut(i int) bool {
	e := &f.list[i]
	_, ground := GroundOf(f.list, i)
	return e.Border != nil || e.Fill == nil || ground == nil || Apart(*ground, *e.Fill) >= 12
}

// isStacked reports whether a face touches another face of the same width above or below, as in a
// list or table.
func (f *finder) isStacked(i int) bool {
	e, near := &f.list[i], f.px(3)
	touches := func(i int) bool {
		b := f.faces[i]
		return geo.Abs(b.Min.X-e.Box.Min.X) <= near && geo.Abs(b.Max.X-e.Box.Max.X) <= near &&
			(geo.Abs(b.Min.Y-e.Box.Max.Y) <= near || geo.Abs(b.Max.Y-e.Box.Min.Y) <= near)
	}
	return f.where.any(e.Box.Min, touches) || f.where.any(image.Pt(e.Box.Min.X, e.Box.Max.Y), touches)
}

// buttonness scores a face as a button: one line of text in the middle, perhaps with icons.
func (f *finder) buttonness(e *Element, c content) float64 {
	if len(c.texts) == 0 || len(c.texts) > 3 || len(c.symbols) > 2 || len(c.faces) > 1 || len(c.controls) > 0 ||
		!f.within(e.Box.Dy(), 18, 64) || e.Box.Dx() < f.px(20) || !c.stands {
		return 0
	}
	whole, filled := c.texts[0].Box, c.texts[0].Box.Dx()
	for _, k := range slices.Concat(c.texts[1:], c.symbols) {
		filled += k.Box.Dx()
		if m := geo.Center(k.Box).Y; m < c.texts[0].Box.Min.Y || m > c.texts[0].Box.Max.Y {
			return 0
		}
		whole = whole.Union(k.Box)
	}
	if whole.Dx()-filled > max(f.px(40), e.Box.Dx()/2) {
		return 0 // a text and a mark at the two ends of a field
	}
	if off := geo.Abs(geo.Center(whole).X - geo.Center(e.Box).X); off <= max(f.px(4), e.Box.Dx()/20) {
		return 0.9
	}
	return given(2*whole.Dx() >= e.Box.Dx() && e.Box.Dx() <= f.px(300), 0.6)
}

// iconButtonness scores a face with an icon in the middle and no text.
func (f *finder) iconButtonness(e *Element, c content) float64 {
	if len(c.symbols) == 0 || len(c.symbols) > 2 || len(c.texts) > 0 || !f.within(e.Box.Dy(), 18, 72) || !f.within(e.Box.Dx(), 18, 90) || !c.stands {
		return 0
	}
	if geo.Abs(geo.Center(c.symbols[0].Box).X-geo.Center(e.Box).X) > e.Box.Dx()/5 {
		return 0.3
	}
	return 0.8
}

// fieldness scores a wide face that is empty or has a text at its left. Without a border it must
// contain a placeholder or be a search box.
func (f *finder) fieldness(e *Element, c content) float64 {
	if !f.within(e.Box.Dy(), 22, 60) || e.Box.Dx() < f.px(60) || e.Box.Dx() < 2*e.Box.Dy() || !c.stands ||
		len(c.faces) > 1 || len(c.texts) > 2 || len(c.symbols) > 3 || len(c.controls) > 0 || e.Fill.lch().c >= loud {
		return 0
	}
	switch {
	case c.stacked:
		return 0
	case len(c.texts) == 0 && e.Border != nil:
		return 0.7
	case len(c.texts) == 0:
		return 0.45
	case c.texts[0].Box.Min.X-e.Box.Min.X > f.px(52):
		return 0
	case e.Border != nil:
		return 0.85
	case e.Box.Dx() <= f.px(900) && (isPlaceholder(c.texts[0], e) || f.isSearch(e, c)):
		return 0.7
	}
	return 0
}

// isSearch reports whether a field contains the word "search" or a magnifier.
func (f *finder) isSearch(e *Element, c content) bool {
	text := strings.ToLower(e.Label)
	for _, t := range c.texts {
		text += " " + strings.ToLower(t.Label)
	}
	return strings.Contains(text, "search") || slices.ContainsFunc(c.symbols, func(s *Element) bool { return s.Shows(0.3, "search") })
}

// Shows returns true if names contains the likeliest meaning of the element's icon, and the
// probability of this meaning is at least score.
func (e *Element) Shows(score float64, names ...string) bool {
	return len(e.Icons) > 0 && e.Icons[0].Score >= score && slices.Contains(names, e.Icons[0].Name)
}

// dropness scores a face with a text at the left and a downward arrow at the right end.
func (f *finder) dropness(e *Element, c content) float64 {
	if !f.within(e.Box.Dy(), 18, 60) || e.Box.Dx() > f.px(900) || len(c.texts) > 2 || len(c.symbols) == 0 || len(c.symbols) > 2 || !c.stands {
		return 0
	}
	last := c.symbols[len(c.symbols)-1]
	if slices.ContainsFunc(c.texts, func(t *Element) bool { return t.Box.Max.X > last.Box.Min.X+f.px(3) }) {
		return 0
	}
	arrow := last.Shows(0.1, "chevron down", "caret down", "sort")
	return given(arrow && (len(c.texts) > 0 || e.Box.Dx() >= 2*e.Box.Dy()) && e.Box.Max.X-last.Box.Max.X <= f.px(24), 0.95)
}

// areaness scores a large field without text or with a text at its top left.
func (f *finder) areaness(e *Element, c content) float64 {
	if e.Border == nil || c.stacked || !f.within(e.Box.Dy(), 60, 400) || !f.within(e.Box.Dx(), 120, 1000) || len(c.faces)+len(c.controls) > 0 || len(c.texts) > 1 || len(c.symbols) > 1 {
		return 0
	}
	return given(len(c.texts) == 0 || c.texts[0].Box.Min.Y-e.Box.Min.Y <= f.px(24) && c.texts[0].Box.Min.X-e.Box.Min.X <= f.px(24), 0.6)
}

// given returns score if ok, or else 0.
func given(ok bool, score float64) float64 {
	if ok {
		return score
	}
	return 0
}

// badgeness scores a small filled face with a short text.
func (f *finder) badgeness(e *Element, c content) float64 {
	small := e.Box.Dy() <= f.px(24) && e.Box.Dx() <= f.px(120)
	return given(e.Border == nil && len(c.texts) == 1 && len(c.symbols) <= 1 && small && c.stands, 0.95)
}

// avatarness scores a disc with up to three letters.
func (f *finder) avatarness(e *Element, c content) float64 {
	if len(c.texts) != 1 || len(c.symbols)+len(c.faces) > 0 || !f.within(e.Box.Dy(), 18, 80) || geo.Abs(e.Box.Dx()-e.Box.Dy()) > f.px(3) {
		return 0
	}
	n := 0
	for _, r := range c.texts[0].Label {
		if n++; !unicode.IsLetter(r) {
			return 0
		}
	}
	s := shape{f, e.Box, f.at(max(0, e.Box.Min.X-f.px(2)), max(0, e.Box.Min.Y-f.px(2)))}
	return given(n <= 3 && s.roundEnds(), 0.97)
}

// itemness scores an item of a list in which other items have no face, unless it looks like a
// button.
func (f *finder) itemness(i int, c content) float64 {
	e := &f.list[i]
	if len(c.texts) == 0 || f.buttonness(e, c) >= 0.9 || e.Parent < 0 || !f.within(e.Box.Dy(), 18, 80) || !c.stands {
		return 0
	}
	n := 0
	for _, p := range f.children[e.Parent] {
		o := &f.list[p]
		shared := min(o.Box.Max.X, e.Box.Max.X) - max(o.Box.Min.X, e.Box.Min.X)
		if (o.kind == cell && e.Border == nil || o.kind == face && c.stacked) && p != i && 3*shared >= 2*max(o.Box.Dx(), e.Box.Dx()) && 2*o.Box.Dy() >= e.Box.Dy() && o.Box.Dy() <= 2*e.Box.Dy() {
			n++
		}
	}
	return given(n >= 2, 0.96)
}

// rowness scores a wide face with at least three texts far apart, except a bar at the top of the
// screen.
func (f *finder) rowness(e *Element, c content) float64 {
	wide := f.within(e.Box.Dy(), 18, 90) && e.Box.Dx() >= f.px(300)
	return given(e.Box.Min.Y > f.px(2) && len(c.symbols) < len(c.texts) && wide && f.isSpread(e, c), 0.97)
}

// isSpread reports whether an element has three or more texts apart from each other that cover half
// of its width.
func (f *finder) isSpread(e *Element, c content) bool {
	if len(c.texts) < 3 {
		return false
	}
	whole := c.texts[0].Box
	n, end := 1, c.texts[0].Box.Max.X
	for _, t := range c.texts[1:] {
		if t.Box.Min.X > end+f.px(20) {
			n++
		}
		end = max(end, t.Box.Max.X)
		whole = whole.Union(t.Box)
	}
	return n >= 3 && 2*whole.Dx() >= e.Box.Dx()
}
