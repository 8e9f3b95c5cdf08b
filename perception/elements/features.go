package elements

import (
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/geo"
)

// features computes the features of an element for the models: lengths in usual pixels, shares of
// the screen, counts, and properties of the text.
type features struct {
	f       *finder
	ink     Color   // commonest color of text
	text    float64 // median height of phrases, in pixels
	leaves  []int   // phrases and symbols
	leafRow map[int]beside
	row     []float32 // the features of the current element
}

// beside is the surroundings of a phrase or symbol.
type beside struct {
	left, right, above, below     float64 // gaps to the nearest neighbours, in usual pixels
	leftKind, rightKind, downKind float32
	inRow, inColumn               int     // similar elements on its line and in its column
	pitch, uneven                 float64 // see pitches
	sameInk                       float64 // share of these elements with its ink
}

// farGap is the maximum of a gap in features, in usual pixels.
const farGap = 400

// newFeatures measures what all elements of the screen have in common, such as the median height of
// its phrases. It skips the neighbours of phrases and symbols if the screen has more than maxLeaves
// of them.
func (f *finder) newFeatures() *features {
	x := &features{f: f, leafRow: map[int]beside{}}
	var heights []int
	inks := map[Color]int{}
	for i := range f.list {
		e := &f.list[i]
		if e.kind != phrase && e.kind != symbol {
			continue
		}
		x.leaves = append(x.leaves, i)
		if e.kind == phrase {
			heights = append(heights, e.Box.Dy())
			q := Color{e.Ink.R &^ 15, e.Ink.G &^ 15, e.Ink.B &^ 15}
			if inks[q]++; inks[q] > inks[x.ink] {
				x.ink = q
			}
		}
	}
	x.text = float64(max(1, f.px(textHeight)))
	if len(heights) > 0 {
		slices.Sort(heights)
		x.text = float64(heights[len(heights)/2])
	}
	if len(x.leaves) <= maxLeaves {
		for _, i := range x.leaves {
			if f.ended() {
				break
			}
			x.leafRow[i] = x.around(i)
		}
	}
	return x
}

// maxLeaves is the maximum number of phrases and icons that are compared with each other. More are
// a pattern.
const maxLeaves = 1500

// around measures the surroundings of phrase or symbol i. A gap without a neighbour is farGap.
func (x *features) around(i int) beside {
	f, a := x.f, &x.f.list[i]
	b := beside{left: farGap, right: farGap, above: farGap, below: farGap}
	near := f.px(4)
	var ys []int
	same := 0
	for _, j := range x.leaves {
		o := &f.list[j]
		if j == i {
			continue
		}
		level := geo.Center(o.Box).Y >= a.Box.Min.Y && geo.Center(o.Box).Y < a.Box.Max.Y
		alike := o.kind == a.kind && geo.Abs(o.Box.Dy()-a.Box.Dy()) <= near
		if level {
			x.level(&b, a, o)
			if alike && o.on == a.on {
				b.inRow++
				if Apart(*o.Ink, *a.Ink) < otherInk {
					same++
				}
			}
			continue
		}
		if o.Box.Min.X < a.Box.Max.X && a.Box.Min.X < o.Box.Max.X {
			x.upright(&b, a, o)
		}
		if alike && (geo.Abs(o.Box.Min.X-a.Box.Min.X) <= near || geo.Abs(geo.Center(o.Box).X-geo.Center(a.Box).X) <= near/2) && geo.Abs(o.Box.Min.Y-a.Box.Min.Y) < f.px(420) {
			b.inColumn++
			ys = append(ys, o.Box.Min.Y)
			if Apart(*o.Ink, *a.Ink) < otherInk {
				same++
			}
		}
	}
	b.pitch, b.uneven = x.pitches(append(ys, a.Box.Min.Y))
	if n := b.inRow + b.inColumn; n > 0 {
		b.sameInk = float64(same) / float64(n)
	}
	return b
}

// level sets the left or right gap of b if o, on the line of a, is nearer than the neighbours so far.
func (x *features) level(b *beside, a, o *Element) {
	if gap := x.px(a.Box.Min.X - o.Box.Max.X); o.Box.Max.X <= a.Box.Min.X+1 && gap < b.left {
		b.left, b.leftKind = gap, float32(o.kind)+1
	}
	if gap := x.px(o.Box.Min.X - a.Box.Max.X); o.Box.Min.X >= a.Box.Max.X-1 && gap < b.right {
		b.right, b.rightKind = gap, float32(o.kind)+1
	}
}

// upright sets the gap above or below of b if o, in the column of a, is nearer than the neighbours so far.
func (x *features) upright(b *beside, a, o *Element) {
	if gap := x.px(a.Box.Min.Y - o.Box.Max.Y); o.Box.Max.Y <= a.Box.Min.Y+3 && gap < b.above {
		b.above = gap
	}
	if gap := x.px(o.Box.Min.Y - a.Box.Max.Y); o.Box.Min.Y >= a.Box.Max.Y-3 && gap < b.below {
		b.below, b.downKind = gap, float32(o.kind)+1
	}
}

// pitches returns the median step of a column, and the difference of the largest step from it, in
// usual pixels.
func (x *features) pitches(ys []int) (middle, uneven float64) {
	slices.Sort(ys)
	var steps []int
	for i := 1; i < len(ys); i++ {
		if d := ys[i] - ys[i-1]; d > 2 {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return 0, 0
	}
	slices.Sort(steps)
	m := steps[len(steps)/2]
	return x.px(m), x.px(steps[len(steps)-1] - m)
}

// px converts pixels of this screen to usual pixels.
func (x *features) px(n int) float64 { return float64(n) / x.f.unit }

// add appends features to the row. Their order is part of the trained models, so it must not change.
func (x *features) add(values ...float64) {
	for _, v := range values {
		x.row = append(x.row, float32(v))
	}
}

// addIf appends a feature for each condition: 1 if it holds, else 0.
func (x *features) addIf(conditions ...bool) {
	for _, c := range conditions {
		x.add(given(c, 1))
	}
}

// of returns the features of an element. The next call overwrites the slice.
func (x *features) of(i int) []float32 {
	x.row = x.row[:0]
	e := &x.f.list[i]
	x.addPlace(e)
	x.addLook(i, e)
	x.addText(e.Label)
	x.addParts(i)
	x.addGround(e)
	leaf := i
	if e.kind != phrase && e.kind != symbol { // take the text or icon inside it
		leaf = x.leafOf(i)
	}
	x.addBeside(leaf)
	return x.row
}

// addPlace adds the features of an element's size and position, and of the kind and role that the
// rules gave it.
func (x *features) addPlace(e *Element) {
	w, h := float64(x.f.img.Rect.Dx()), float64(x.f.img.Rect.Dy())
	b := e.Box
	x.add(x.px(b.Dx()), x.px(b.Dy()), float64(b.Dx())/float64(max(1, b.Dy())), float64(b.Min.X)/w, float64(b.Max.X)/w, float64(b.Min.Y)/h,
		float64(b.Max.Y)/h, x.px(b.Min.X), x.px(b.Min.Y), x.px(x.f.img.Rect.Dy()-b.Max.Y), float64(b.Dy())/x.text, float64(e.kind))
	for _, k := range []kind{face, phrase, symbol, cell, control, tab} {
		x.addIf(e.kind == k)
	}
	for _, r := range []Role{Button, IconButton, Link, MenuItem, Tab, Field, Panel, Badge, Heading, Row, Avatar, Checkbox, Radio} {
		x.addIf(e.Role == r)
	}
}

// addLook adds the features of an element's colors, contrast, icon and states. Without a ground, it
// assumes white.
func (x *features) addLook(i int, e *Element) {
	_, ground := GroundOf(x.f.list, i)
	on := Color{255, 255, 255}
	if ground != nil {
		on = *ground
	}
	fill := on
	if e.Fill != nil {
		fill = *e.Fill
	}
	ink := fill
	if e.Ink != nil {
		ink = *e.Ink
	}
	border := 0
	if e.Border != nil {
		border = Apart(*e.Border, fill)
	}
	v, k, g := fill.lch(), ink.lch(), on.lch()
	blue := given(k.c >= grey && k.h >= 218 && k.h <= 300, 1)
	x.addIf(e.Fill != nil, e.Border != nil)
	x.add(v.c, v.l, float64(Apart(fill, on)), float64(border), k.c, k.l, blue, contrast(ink, fill), float64(Apart(ink, x.ink)), g.l, g.c)
	score, known := 0.0, e.Icon() != ""
	if len(e.Icons) > 0 {
		score = e.Icons[0].Score
	}
	x.add(score)
	x.addIf(known, slices.Contains(e.States, Selected), slices.Contains(e.States, Disabled))
}

// actions are words with which labels of clickable elements begin.
var actions = wordSet(`add all apply approve archive assign attach back book browse buy call cancel change chat check choose clear close collapse comment compose
	confirm connect contact continue copy create cut delete deploy details disable discard dismiss donate done download duplicate edit enable enter exit expand
	export filter find finish follow forgot forward generate get go hide home ignore import insert install invite join keep launch learn like load log login logout
	manage mark message more move mute new next ok open paste pause pay play post preview previous print publish read refresh register reject reload
	remind remove rename reply report request reset resend restore retry return review run save schedule search see select send set share show sign signup skip
	sort start stop submit subscribe switch sync test tour try turn undo unfollow unsubscribe update upgrade upload use verify view visit watch write yes no`)

// destinations are words for pages to which menus lead.
var destinations = wordSet(`about account activity admin alerts analytics api apps billing blog bookmarks buttons calendar cards cart categories charts components contacts
	customers dashboard docs documentation documents downloads drafts email errors explore faq favorites favourites features feed file files forms friends gallery
	help history home icons inbox insights inventory invoices issues layout library license links login maps media members menu messages music news
	notifications orders overview pages panel payments people photos plans plugins pricing privacy products profile projects register reports reviews roadmap
	sales schedule security sent services settings shop sidebar sitemap spam starred stats store support tables tags tasks team templates terms themes timeline
	tools trash tutorials typography ui user users utilities videos wallet widgets wiki tabs view window format insert tools help edit bookmarks options`)

// wordSet returns the set of the words in a text with spaces between them.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// addText adds the features of a label: its length, the shares of digits and capitals, and whether
// it begins with one of actions or is one of destinations.
func (x *features) addText(label string) {
	words := strings.Fields(strings.ToLower(label))
	letters, digits, upper, runes := 0, 0, 0, 0
	for _, r := range label {
		runes++
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsUpper(r):
			upper++
			letters++
		case unicode.IsLetter(r):
			letters++
		}
	}
	first, capitals := "", 0
	if len(words) > 0 {
		first = strings.Trim(words[0], ".,:;!?+")
	}
	for w := range strings.FieldsSeq(label) {
		if r := []rune(w)[0]; unicode.IsUpper(r) {
			capitals++
		}
	}
	x.add(float64(runes), float64(len(words)), part(digits, runes), part(upper, letters), part(capitals, len(words)))
	x.addIf(actions[first], len(words) > 0 && len(words) <= 3 && destinations[strings.Trim(words[len(words)-1], ".,:;")], strings.HasSuffix(label, ":"),
		strings.HasSuffix(label, "."), strings.ContainsAny(label, "$€£%"), strings.Contains(label, "@"), strings.HasSuffix(label, "…") || strings.HasSuffix(label, "..."))
}

// part returns n as a share of a whole, or of 1 if the whole is less.
func part(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// addParts adds the features of an element's content.
func (x *features) addParts(i int) {
	c := x.f.contentOf(i)
	e := &x.f.list[i]
	var whole image.Rectangle
	for _, k := range slices.Concat(c.texts, c.symbols) {
		whole = whole.Union(k.Box)
	}
	off, fill := 0.0, 0.0
	if !whole.Empty() {
		off = float64(geo.Abs(geo.Center(whole).X-geo.Center(e.Box).X)) / float64(max(1, e.Box.Dx()))
		fill = float64(whole.Dx()) / float64(max(1, e.Box.Dx()))
	}
	x.add(float64(len(c.texts)), float64(len(c.symbols)), float64(len(c.faces)), float64(len(c.controls)), float64(len(x.f.children[i])), off, fill, x.px(whole.Min.X-e.Box.Min.X))
	x.addIf(c.stands, c.stacked)
}

// addGround adds the features of an element's containers.
func (x *features) addGround(e *Element) {
	p := e.Parent
	if p < 0 {
		x.add(-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	} else {
		o := &x.f.list[p]
		phrases, symbols := 0, 0
		for _, c := range x.f.children[p] {
			switch x.f.list[c].kind {
			case phrase:
				phrases++
			case symbol:
				symbols++
			}
		}
		x.add(float64(o.kind), x.px(o.Box.Dx()), x.px(o.Box.Dy()), float64(len(x.f.children[p])), float64(phrases), float64(symbols),
			x.px(e.Box.Min.X-o.Box.Min.X), x.px(o.Box.Max.X-e.Box.Max.X), x.px(e.Box.Min.Y-o.Box.Min.Y), x.px(o.Box.Max.Y-e.Box.Max.Y),
			float64(geo.Abs(geo.Center(e.Box).X-geo.Center(o.Box).X))/float64(max(1, o.Box.Dx())))
		x.addIf(o.Border != nil, o.Role.IsActedOn())
	}
	acted, rows := 0, 0
	var fw, fh, fx, fc, children float64
	for ; p >= 0; p = x.f.list[p].Parent {
		o := &x.f.list[p]
		if o.Role.IsActedOn() {
			acted++
		}
		if o.Role == Row {
			rows++
		}
		if o.kind == face && fw == 0 {
			fw, fh, fx, fc, children = x.px(o.Box.Dx()), x.px(o.Box.Dy()), x.px(o.Box.Min.X), o.Fill.lch().c, float64(len(x.f.children[p]))
		}
	}
	x.add(float64(acted), float64(rows), fw, fh, fx, fc, children)
}

// leafOf returns the index of the first phrase or symbol in an element, or -1.
func (x *features) leafOf(i int) int {
	for _, c := range x.f.children[i] {
		if k := x.f.list[c].kind; k == phrase || k == symbol {
			return c
		}
		if at := x.leafOf(c); at >= 0 {
			return at
		}
	}
	return -1
}

// addBeside adds the features of the surroundings of a phrase or symbol. If leaf is -1 or unknown,
// all gaps are farGap.
func (x *features) addBeside(leaf int) {
	b, known := x.leafRow[leaf]
	if !known {
		b = beside{left: farGap, right: farGap, above: farGap, below: farGap}
	}
	e := &Element{}
	if leaf >= 0 {
		e = &x.f.list[leaf]
	}
	high, vivid := 0.0, 0.0
	if e.Ink != nil {
		high, vivid = float64(e.Box.Dy())/x.text, e.Ink.lch().c
	}
	x.add(b.left, b.right, b.above, b.below, float64(b.leftKind), float64(b.rightKind), float64(b.downKind), float64(b.inRow), float64(b.inColumn),
		b.pitch, math.Min(b.uneven, farGap), b.sameInk, high, vivid)
}
