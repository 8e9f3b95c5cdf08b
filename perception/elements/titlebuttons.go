package elements

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/geo"
)

// Limits for title bars and their buttons, in usual pixels.
const (
	leastBar    = 10  // minimum height of a bar
	leastWidth  = 150 // minimum width of a bar
	leastWindow = 240 // minimum width of a window
	endZone     = 190 // width of the zone at a bar's end that may contain buttons
	mostButton  = 56  // maximum width of a button
	leastButton = 14  // minimum width and height of a button's box; smaller marks are padded
	mostButtons = 6   // maximum buttons at an end of a bar
	thinStripe  = 9   // maximum height of a paler stripe at the top of a bar
	usualBar    = 44  // maximum height of a bar in the color of its window
	maxBars     = 200 // maximum bars on a screen; more are a pattern
)

// addTitleButtons adds the buttons of title bars: a few marks at the end of a bar, of which one is
// a cross. A bar is a face, a piece of ink of that size, a shaded strip, or the top of a window.
func (f *finder) addTitleButtons(ink []blob) {
	var bars []image.Rectangle
	isBar := func(b image.Rectangle) bool {
		return b.Dy() >= f.px(leastBar) && b.Dy() <= f.px(titleBarHigh) && b.Dx() >= f.px(leastWidth)
	}
	add := func(b image.Rectangle) {
		switch {
		case isBar(b):
			bars = append(bars, b)
		case b.Dx() >= f.px(leastWindow) && b.Dy() > f.px(titleBarHigh): // a window
			bars = append(bars, f.topOf(b))
		}
	}
	for _, b := range f.faces {
		add(b)
	}
	for _, b := range ink {
		add(b.box)
	}
	for _, b := range f.shaded() {
		add(b)
	}
	f.addDockButtons()
	if len(bars) > maxBars {
		return
	}
	seen := map[image.Rectangle]bool{} // beginnings and ends of bars, in steps of 8 usual pixels
	for _, bar := range bars {
		if f.ended() {
			return
		}
		at := image.Rect(bar.Min.X/f.px(8), bar.Min.Y/f.px(8), bar.Max.X/f.px(8), 0)
		if seen[at] || !f.hasMarks(bar) { // a cheap check: most faces have no marks at their ends
			continue
		}
		seen[at] = true
		bar = f.grown(bar)
		if f.addEnd(bar, false) {
			f.addMenu(bar)
		} else {
			_ = f.addEnd(bar, true) || f.addDiscs(bar)
		}
	}
}

// hasMarks reports whether there is ink near an end of a bar, on one of three of its rows.
func (f *finder) hasMarks(bar image.Rectangle) bool {
	reach := min(f.px(titleEnd), bar.Dx()/2)
	for part := 2; part <= 4; part++ {
		y := bar.Min.Y + part*bar.Dy()/6
		for _, from := range []int{bar.Min.X + f.px(4), bar.Max.X - reach} {
			ground := f.at(from, y)
			for x := from; x < from+reach-f.px(4); x++ {
				if Apart(f.at(x, y), ground) > 2*distinct {
					return true
				}
			}
		}
	}
	return false
}

// grown returns a bar with the rows above and below it that are only a little paler or darker.
func (f *finder) grown(bar image.Rectangle) image.Rectangle {
	zone := bar
	zone.Min.X = max(bar.Min.X, bar.Max.X-f.px(endZone))
	for last := f.mostOf(zone, bar.Min.Y); bar.Min.Y > zone.Min.Y-f.px(thinStripe) && bar.Min.Y > f.img.Rect.Min.Y; bar.Min.Y-- {
		next := f.mostOf(zone, bar.Min.Y-1)
		if Apart(next, last) > 2*distinct {
			break
		}
		last = next
	}
	for last := f.mostOf(zone, bar.Max.Y-1); bar.Max.Y < zone.Max.Y+f.px(thinStripe) && bar.Max.Y < f.img.Rect.Max.Y; bar.Max.Y++ {
		next := f.mostOf(zone, bar.Max.Y)
		if Apart(next, last) > 2*distinct {
			break
		}
		last = next
	}
	return bar
}

// shaded returns bars with a color gradient. They consist of adjacent stripes.
func (f *finder) shaded() []image.Rectangle {
	var lines, columns []image.Rectangle
	for _, r := range f.regions {
		switch b := r.box; {
		case b.Dx() >= f.px(leastWidth) && b.Dy() <= f.px(thinStripe):
			lines = append(lines, b)
		case b.Dx() < f.px(leastWidth) && b.Dy() >= f.px(leastBar) && b.Dy() <= f.px(titleBarHigh):
			columns = append(columns, b)
		}
	}
	if len(lines) > maxThin || len(columns) > maxThin {
		return nil
	}
	near, far := f.px(3), f.px(16)
	slices.SortFunc(lines, func(a, b image.Rectangle) int { return a.Min.Y - b.Min.Y })
	slices.SortFunc(columns, func(a, b image.Rectangle) int { return a.Min.X - b.Min.X })
	return append(f.united(lines, func(bar, b image.Rectangle) bool {
		return b.Min.Y-bar.Max.Y <= near && geo.Abs(b.Min.X-bar.Min.X) <= far && geo.Abs(b.Max.X-bar.Max.X) <= far
	}), f.united(columns, func(bar, b image.Rectangle) bool {
		return b.Min.X-bar.Max.X <= far && geo.Abs(b.Min.Y-bar.Min.Y) <= near && geo.Abs(b.Max.Y-bar.Max.Y) <= near
	})...)
}

// united unites each box with the last bar that it continues.
func (f *finder) united(boxes []image.Rectangle, goesOn func(bar, b image.Rectangle) bool) (bars []image.Rectangle) {
	for _, b := range boxes {
		at := len(bars) - 1
		for at >= 0 && !goesOn(bars[at], b) && !f.ended() {
			at--
		}
		if at < 0 {
			bars = append(bars, b)
			continue
		}
		bars[at] = bars[at].Union(b)
	}
	return bars
}

// topOf returns the bar at the top of a window: down to the row where the color changes, at most
// usualBar high.
func (f *finder) topOf(window image.Rectangle) image.Rectangle {
	x := image.Rect(window.Min.X, 0, window.Max.X, 1)
	last := f.mostOf(x, window.Min.Y+f.px(5))
	y := window.Min.Y + f.px(6)
	for ; y < window.Min.Y+f.px(usualBar); y++ {
		next := f.mostOf(x, y)
		if Apart(last, next) > distinct && y >= window.Min.Y+f.px(leastBar) {
			break
		}
		last = next
	}
	return image.Rect(window.Min.X, window.Min.Y, window.Max.X, y)
}

// addEnd adds the buttons at the left or right end of a bar if one of them is a cross. It reports
// whether there is one.
func (f *finder) addEnd(bar image.Rectangle, left bool) bool {
	marks := f.marksAt(bar, left)
	cross := slices.IndexFunc(marks, f.holdsCross)
	if cross < 0 {
		return false
	}
	for i, m := range marks {
		if !f.isKnown(m) {
			f.keepTitleButton(m, f.titleNameOf(m, i, cross))
		}
	}
	return true
}

// isKnown reports whether a mark is a known icon, or on a face as small as a button.
func (f *finder) isKnown(b image.Rectangle) bool {
	m := geo.Center(b)
	return slices.ContainsFunc(f.symbols, m.In) || slices.ContainsFunc(f.faces, func(face image.Rectangle) bool {
		return m.In(face) && face.Dx() <= f.px(mostButton) && face.Dy() <= f.px(titleBarHigh)
	})
}

// addMenu adds the button of a window's menu: an icon at the left end of its bar.
func (f *finder) addMenu(bar image.Rectangle) {
	if marks := f.marksAt(bar, true); len(marks) > 0 && max(marks[0].Dx(), marks[0].Dy()) <= f.px(titleIcon) && min(marks[0].Dx(), marks[0].Dy()) >= f.px(5) {
		if !f.isKnown(marks[0]) {
			f.keepTitleButton(marks[0], "menu")
		}
	}
}

// addDiscs adds three discs at the left end of a bar, which close, minimize and maximize the
// window. It reports whether they exist.
func (f *finder) addDiscs(bar image.Rectangle) bool {
	var discs []image.Rectangle
	for _, m := range f.marksAt(bar, true) {
		if geo.Abs(m.Dx()-m.Dy()) > f.px(2) || m.Dx() < f.px(9) || m.Dx() > f.px(18) || !f.isRound(m) {
			break
		}
		discs = append(discs, m)
	}
	if len(discs) != len(titleNames) || geo.Abs((discs[1].Min.X-discs[0].Min.X)-(discs[2].Min.X-discs[1].Min.X)) > f.px(2) {
		return false
	}
	for i, name := range []string{titleNames[0], titleNames[2], titleNames[1]} {
		f.keepTitleButton(discs[i], name)
	}
	return true
}

// isRound reports whether the corners of a box have no ink, while its middle and the middles of its
// sides have.
func (f *finder) isRound(b image.Rectangle) bool {
	mask := f.cut(b)
	r := mask.Rect.Inset(1)
	m := geo.Center(r)
	inked := func(x, y int) bool { return mask.AlphaAt(x, y).A > 60 }
	return !inked(r.Min.X, r.Min.Y) && !inked(r.Max.X-1, r.Min.Y) && !inked(r.Min.X, r.Max.Y-1) && !inked(r.Max.X-1, r.Max.Y-1) &&
		inked(m.X, r.Min.Y+1) && inked(m.X, r.Max.Y-2) && inked(r.Min.X+1, m.Y) && inked(r.Max.X-2, m.Y) && inked(m.X, m.Y)
}

// marksAt returns the marks at an end of a bar that may be buttons, starting at the end.
func (f *finder) marksAt(bar image.Rectangle, left bool) []image.Rectangle {
	zone := bar
	if reach := min(f.px(endZone), bar.Dx()/2); left {
		zone.Max.X = bar.Min.X + reach
	} else {
		zone.Min.X = bar.Max.X - reach
	}
	var marks []image.Rectangle
	for _, m := range f.marksIn(zone) {
		// tiles that touch are separate marks
		if inner := f.marksIn(m.Inset(f.px(2))); m.Dx() >= f.px(20) && 10*m.Dx() > 16*m.Dy() && len(inner) > 1 {
			marks = append(marks, inner...)
			continue
		}
		marks = append(marks, m)
	}
	if !left {
		slices.Reverse(marks)
	}
	return f.evenly(marks, bar, left)
}

// marksIn returns the marks in a zone of a bar, from left to right. A mark differs from the
// commonest color of its row, because bars are often paler at the top.
func (f *finder) marksIn(zone image.Rectangle) []image.Rectangle {
	var columns []blob // columns with ink, united when close
	top, bottom := make([]int, zone.Dx()), make([]int, zone.Dx())
	for i := range top {
		top[i] = -1
	}
	for y := zone.Min.Y; y < zone.Max.Y; y++ {
		ground := f.mostOf(zone, y)
		for x := zone.Min.X; x < zone.Max.X; x++ {
			if Apart(f.at(x, y), ground) > 2*distinct {
				if i := x - zone.Min.X; top[i] < 0 {
					top[i], bottom[i] = y, y+1
				} else {
					bottom[i] = y + 1
				}
			}
		}
	}
	for i := range top {
		if top[i] < 0 {
			continue
		}
		x := zone.Min.X + i
		b := image.Rect(x, top[i], x+1, bottom[i])
		if n := len(columns); n > 0 && x-columns[n-1].box.Max.X < f.px(2) {
			columns[n-1].box = columns[n-1].box.Union(b)
			continue
		}
		columns = append(columns, blob{box: b})
	}
	marks := make([]image.Rectangle, len(columns))
	for i, c := range columns {
		marks[i] = c.box
	}
	return marks
}

// mostOf returns the commonest color of a row in a zone. It looks at every third pixel.
func (f *finder) mostOf(zone image.Rectangle, y int) (most Color) {
	var seen [8]Color
	var counts [8]int
	n, best := 0, 0
	for x := zone.Min.X; x < zone.Max.X; x += 3 {
		c := f.at(x, y)
		k := 0
		for k < n && Apart(seen[k], c) > distinct/2 {
			k++
		}
		if k == len(seen) {
			continue
		}
		if k == n {
			seen[k], n = c, n+1
		}
		if counts[k]++; counts[k] > best {
			best, most = counts[k], seen[k]
		}
	}
	return most
}

// evenly returns the marks at the end of a bar that may be buttons, up to the first that is too
// wide, too far from the one before, or in a row of text.
func (f *finder) evenly(marks []image.Rectangle, bar image.Rectangle, left bool) (kept []image.Rectangle) {
	at := bar.Max.X
	if left {
		at = bar.Min.X
	}
	for _, m := range marks {
		if min(m.Dx(), m.Dy()) < f.px(5) && m.Dx() < f.px(6) { // a line at the end, or between buttons
			continue
		}
		step := geo.Abs(geo.Center(m).X - at)
		if m.Dx() > f.px(mostButton) || step > f.px(titlePitch) || len(kept) == mostButtons || f.isAmongLetters(m) {
			break
		}
		kept, at = append(kept, m), geo.Center(m).X
	}
	return kept
}

// isAmongLetters reports whether a mark is part of a longer row of text. OCR may read a cross alone
// as a letter.
func (f *finder) isAmongLetters(b image.Rectangle) bool {
	return slices.ContainsFunc(f.rows, func(t image.Rectangle) bool {
		return geo.Center(b).In(geo.Pad(t, 1, t.Dy()/4)) && t.Dx() > 4*b.Dx() && b.Dy() <= t.Dy()*3/2
	})
}

// holdsCross reports whether a mark is a cross, or a tile with a cross on it.
func (f *finder) holdsCross(b image.Rectangle) bool {
	for in := 0; in <= min(f.px(12), b.Dx()/3) && b.Dx()-2*in >= leastCross && b.Dy() >= leastCross; in += max(1, f.px(1)) {
		inner := image.Rect(b.Min.X+in, b.Min.Y+min(in, (b.Dy()-leastCross)/2), b.Max.X-in, b.Max.Y-min(in, (b.Dy()-leastCross)/2))
		if f.isCrossed(f.glyphIn(inner)) {
			return true
		}
	}
	return false
}

// leastCross is the minimum width and height of a cross, in pixels of the screen.
const leastCross = 5

// isCrossed reports whether ink is in the four corners and the middle of a box, and not at the
// middles of its sides. It accepts smaller and thicker crosses than isCross.
func (f *finder) isCrossed(b image.Rectangle) bool {
	w, h := b.Dx(), b.Dy()
	if min(w, h) < leastCross || 3*geo.Abs(w-h) > w {
		return false
	}
	mask := f.cut(b)
	from := b.Min.Sub(geo.Pad(b, 1, 1).Intersect(f.img.Rect).Min)
	most := func(r image.Rectangle) (most uint8) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				most = max(most, mask.AlphaAt(from.X+x, from.Y+y).A)
			}
		}
		return most
	}
	third, middle, across := max(1, w/4), image.Rect((w-1)/2, 0, w/2+1, 1), image.Rect(0, (h-1)/2, 1, h/2+1)
	high := max(1, h/4)
	for _, at := range []image.Point{{}, {w - third, 0}, {0, h - high}, {w - third, h - high}} {
		if most(image.Rect(0, 0, third, high).Add(at)) < 120 {
			return false
		}
	}
	for _, side := range []image.Rectangle{middle, middle.Add(image.Pt(0, h-1)), across, across.Add(image.Pt(w-1, 0))} {
		if most(side) > 100 {
			return false
		}
	}
	return most(image.Rect((w-1)/2, (h-1)/2, w/2+1, h/2+1)) >= 120
}

// glyphIn returns the box of the ink on a tile.
func (f *finder) glyphIn(tile image.Rectangle) (glyph image.Rectangle) {
	mask := f.cut(tile)
	from := geo.Pad(tile, 1, 1).Intersect(f.img.Rect).Min
	for y := range mask.Rect.Dy() {
		for x := range mask.Rect.Dx() {
			if mask.AlphaAt(x, y).A > 110 {
				glyph = glyph.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return glyph.Add(from)
}

// titleNameOf names a button by its ink, or else by its distance from the cross: close, maximize,
// minimize.
func (f *finder) titleNameOf(b image.Rectangle, at, cross int) string {
	glyph := f.glyphIn(b.Inset(1))
	switch {
	case at == cross:
		return titleNames[0]
	case glyph.Dx() >= 3*glyph.Dy() && glyph.Dy() > 0:
		return "minus"
	case geo.Abs(at-cross) < len(titleNames):
		return titleNames[geo.Abs(at-cross)]
	}
	return "menu"
}

// keepTitleButton adds a button with a name, unless a control is already there.
func (f *finder) keepTitleButton(mark image.Rectangle, name string) {
	if f.inControl(mark) {
		return
	}
	least := f.px(leastButton)
	box := geo.Pad(mark, max(0, least-mark.Dx())/2, max(0, least-mark.Dy())/2).Intersect(f.img.Rect)
	ink := f.inkOf(mark)
	f.keepControl(Element{Role: IconButton, Box: box, Ink: &ink, Icons: []icons.Candidate{{Name: name, Score: 0.9}}})
}
