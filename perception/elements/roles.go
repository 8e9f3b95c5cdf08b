package elements

import "image"

// judge sets the role of an element by what it is and contains.
func (f *finder) judge(i int) {
	e := &f.list[i]
	switch e.kind {
	case control:
	case tab:
		e.Label = f.labelOf(i)
		f.takeInk(i)
	case phrase:
		e.Role = f.roleOfPhrase(e)
	case symbol:
		e.Role = Icon
		// a symbol with a text on it, such as a bell with a number, stays an icon
		if min(e.Box.Dx(), e.Box.Dy()) >= f.px(18) && e.Icon() == "" && !f.written(e.Box) && f.isColorful(e.Box) {
			e.Role, e.Icons = Picture, nil
		}
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

// roleOfPhrase distinguishes links, headings and other text by color, underline and height.
func (f *finder) roleOfPhrase(e *Element) Role {
	switch v := e.Ink.lch(); {
	case v.c >= 2*grey && v.h >= 218 && v.h <= 300, f.isUnderlined(e):
		return Link
	case float64(e.Box.Dy()) >= 1.4*1.35*textHeight*f.unit:
		return Heading
	}
	return Text
}

// isUnderlined reports whether a line below a phrase has its color and width.
func (f *finder) isUnderlined(e *Element) bool {
	if e.Box.Dx() < f.px(20) {
		return false
	}
	inked := func(c Color) bool { return Apart(c, *e.Ink) <= 3*distinct }
	ends := func(x, y int) bool { return x < 0 || x >= f.img.Rect.Max.X || !inked(f.at(x, y)) }
	rim := e.Box.Dy() / 7 // pixels between the text and the bottom of its box
	for y := e.Box.Max.Y - rim - f.px(3); y <= e.Box.Max.Y && y < f.img.Rect.Max.Y; y++ {
		n := f.countIn(image.Rect(e.Box.Min.X, y, e.Box.Max.X, y+1), inked)
		if 100*n >= 88*e.Box.Dx() && ends(e.Box.Min.X-f.px(6), y) && ends(e.Box.Max.X+f.px(5), y) {
			return true
		}
	}
	return false
}

const (
	picturePoints = 24 // points along each side of an area that isColorful looks at
	blended       = 40 // maximum distance of a color from a blend of two, 0 to 765
)

// isColorful reports whether an area is a picture: at least a sixth of its points are not blends of
// its ground and its ink.
func (f *finder) isColorful(b image.Rectangle) bool {
	ground, ink, n := f.at(b.Min.X, b.Min.Y), f.inkOf(b), 0
	for i := range picturePoints * picturePoints {
		c := f.at(b.Min.X+b.Dx()*(i%picturePoints)/picturePoints, b.Min.Y+b.Dy()*(i/picturePoints)/picturePoints)
		if fromBlend(c, ground, ink) > blended {
			n++
		}
	}
	return 6*n >= picturePoints*picturePoints
}

// fromBlend returns the distance, 0 to 765, of a color from the equally light blend of two others.
func fromBlend(c, from, to Color) int {
	sum := func(c Color) int { return int(c.R) + int(c.G) + int(c.B) }
	whole := sum(to) - sum(from)
	if whole == 0 {
		return Apart(c, from)
	}
	part := float64(sum(c)-sum(from)) / float64(whole)
	mix := func(a, b uint8) uint8 { return uint8(min(255, max(0, float64(a)+part*(float64(b)-float64(a))))) }
	return Apart(c, Color{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B)})
}

// judgeCell sets the role of a cell: IconButton for a narrow one with only icons, Row for a wide
// one with spread texts, else MenuItem.
func (f *finder) judgeCell(i int) {
	e := &f.list[i]
	e.Label = f.labelOf(i)
	e.Role = MenuItem
	switch c := f.contentOf(i); {
	case len(c.texts) == 0 && len(c.symbols) > 0 && e.Box.Dx() <= f.px(80):
		e.Role = IconButton
	case e.Box.Dx() >= f.px(300) && f.isSpread(e, c):
		e.Role = Row
	}
	f.takeInk(i)
}

// takeInk copies the ink of an element's first text or icon to the element, and the candidates of
// its only icon.
func (f *finder) takeInk(i int) {
	texts, symbols := f.inside(i, phrase), f.inside(i, symbol)
	if len(symbols) == 1 && len(texts) <= 1 {
		f.list[i].Icons = symbols[0].Icons
	}
	for _, in := range [][]*Element{texts, symbols} {
		if len(in) > 0 && f.list[i].Ink == nil {
			f.list[i].Ink = in[0].Ink
		}
	}
}
