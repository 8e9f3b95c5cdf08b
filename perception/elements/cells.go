package elements

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// divide adds a cell for each item without a face, as in most menus. A cell is the item's share of
// the space between the items.
func (f *finder) divide() {
	items := f.itemsOn()
	for i, face := range f.faces {
		lines := f.lines(items[i])
		switch {
		case len(lines) == 1 && f.isOne(face, items[i]): // a button with an icon, not a bar
		case len(lines) == 1 && len(lines[0].Items) > 1 && face.Dy() <= f.px(90):
			f.divideRow(i, lines[0])
		case len(lines) == 2 && face.Dy() <= f.px(90) && areColumns(lines):
			f.divideRow(i, joined(lines))
		default:
			f.divideColumn(i, lines)
			for _, l := range lines {
				f.surround(i, l)
			}
		}
	}
}

// itemsOn returns for each face the texts, icons and badges for which it is the smallest face
// around them.
func (f *finder) itemsOn() [][]image.Rectangle {
	on := make([][]image.Rectangle, len(f.faces))
	add := func(b image.Rectangle) {
		if i := f.faceOf(b); i >= 0 {
			on[i] = append(on[i], b)
		}
	}
	for _, b := range slices.Concat(f.texts, f.symbols) {
		add(b)
	}
	for _, b := range f.faces {
		if b.Dy() <= f.px(24) && b.Dx() <= f.px(60) {
			add(b)
		}
	}
	return on
}

// isOne reports whether a face is one button or field: a text, perhaps with an icon on either side.
// Icons far from a centered text, such as minus and plus, are separate buttons.
func (f *finder) isOne(face image.Rectangle, items []image.Rectangle) bool {
	if len(items) > 3 || face.Dy() > f.px(60) || face.Dx() > f.px(520) {
		return false
	}
	at := slices.IndexFunc(items, func(b image.Rectangle) bool { return slices.Contains(f.texts, b) })
	if at < 0 {
		return false
	}
	text, before, away := items[at], 0, true
	for i, b := range items {
		if i == at {
			continue
		}
		if slices.Contains(f.texts, b) {
			return false
		}
		if b.Min.X < text.Min.X {
			before++
		}
		away = away && max(b.Min.X-text.Max.X, text.Min.X-b.Max.X) >= f.px(12)
	}
	centered := geo.Abs(geo.Center(text).X-geo.Center(face).X) <= f.px(6)
	return len(items) < 3 || before == 1 && (!away || !centered)
}

// lines sorts the items of a face into lines, and unites items at most 5 usual pixels apart.
func (f *finder) lines(items []image.Rectangle) []geo.Line {
	lines := geo.Lines(items)
	for i := range lines {
		lines[i].Items = geo.Joined(lines[i].Items, f.px(5))
	}
	return lines
}

// areColumns reports whether two lines consist of three or more icons with a text below each.
func areColumns(lines []geo.Line) bool {
	if len(lines[0].Items) < 3 || len(lines[0].Items) != len(lines[1].Items) {
		return false
	}
	for i, upper := range lines[0].Items {
		lower := lines[1].Items[i]
		if geo.Abs(geo.Center(upper).X-geo.Center(lower).X) > max(upper.Dx(), lower.Dx())/4 {
			return false
		}
	}
	return true
}

// joined makes one line of two, and unites each item with the item below it.
func joined(lines []geo.Line) geo.Line {
	l := geo.Line{Box: lines[0].Box.Union(lines[1].Box)}
	for i, upper := range lines[0].Items {
		l.Items = append(l.Items, upper.Union(lines[1].Items[i]))
	}
	return l
}

// faceOf returns the index of the smallest face that a box is on, or -1.
func (f *finder) faceOf(b image.Rectangle) int {
	if f.ended() {
		return -1
	}
	m, area := geo.Center(b), geo.Area(b)
	return f.where.last(m, func(i int) bool { return m.In(f.faces[i]) && geo.Area(f.faces[i]) > area })
}

// divideRow adds a cell for each item of a bar. The cell is as high as the bar. It extends equally
// on both sides of the item, up to the middle of the narrower gap and at most 24 usual pixels.
func (f *finder) divideRow(on int, l geo.Line) {
	face := f.faces[on]
	for i, item := range l.Items {
		left, right := f.gaps(face, l, i)
		if f.isSymbol(item) {
			f.addHit(on, item, left, right)
			continue
		}
		side := min(left, right, f.px(24))
		f.addCell(on, image.Rect(item.Min.X-side, face.Min.Y, item.Max.X+side, face.Max.Y))
	}
}

// gaps returns the room to the left and right of an item, in pixels: to the edge of the face, or
// half of the gap to the next item.
func (f *finder) gaps(face image.Rectangle, l geo.Line, i int) (left, right int) {
	item := l.Items[i]
	left, right = item.Min.X-face.Min.X, face.Max.X-item.Max.X
	if i > 0 {
		left = (item.Min.X - l.Items[i-1].Max.X) / 2
	}
	if i+1 < len(l.Items) {
		right = (l.Items[i+1].Min.X - item.Max.X) / 2
	}
	return left, right
}

// surround adds a cell around each icon that does not belong to a text beside it.
func (f *finder) surround(on int, l geo.Line) {
	near := f.px(11)
	for i, item := range l.Items {
		arrow := len(l.Items) > 1 && max(item.Dx(), item.Dy()) <= f.px(10) // such an arrow belongs to its line
		if !f.isSymbol(item) || arrow ||
			i+1 < len(l.Items) && !f.isSymbol(l.Items[i+1]) && l.Items[i+1].Min.X-item.Max.X <= near ||
			i > 0 && !f.isSymbol(l.Items[i-1]) && item.Min.X-l.Items[i-1].Max.X <= near/2 {
			continue
		}
		left, right := f.gaps(f.faces[on], l, i)
		f.addHit(on, item, left, right)
	}
}

// addHit adds a cell around an icon, as far as its neighbours and the face allow.
func (f *finder) addHit(on int, item image.Rectangle, left, right int) {
	face, m, half := f.faces[on], geo.Center(item), f.px(hitSide)/2
	up := half
	if face.Dy() <= f.px(90) {
		half = f.px(barHitSide) / 2
		up = half + f.px(3)
	}
	f.addCell(on, image.Rect(max(m.X-half, item.Min.X-left), m.Y-up, min(m.X+half, item.Max.X+right), m.Y+up).Intersect(face))
}

// The side of the clickable square around an icon on a page and in a bar, in usual pixels.
const (
	hitSide    = 32
	barHitSide = 40
)

// isSymbol reports whether an item is an icon, perhaps with a badge on it.
func (f *finder) isSymbol(item image.Rectangle) bool {
	if slices.Contains(f.symbols, item) {
		return true
	}
	return max(item.Dx(), item.Dy()) <= f.px(40) &&
		slices.ContainsFunc(f.symbols, func(b image.Rectangle) bool { return b.In(item) && 3*geo.Area(b) >= geo.Area(item) }) &&
		slices.ContainsFunc(f.faces, func(b image.Rectangle) bool { return b.In(item) })
}

// divideColumn adds a cell for each line of a list. The cell is as wide as the list, and includes
// half of the gaps above and below the line.
func (f *finder) divideColumn(on int, lines []geo.Line) {
	face := f.faces[on]
	for i, l := range lines {
		pitch := 0
		for _, k := range []int{i - 1, i + 1} {
			if k < 0 || k >= len(lines) || geo.Abs(lines[k].Items[0].Min.X-l.Items[0].Min.X) > f.px(10) {
				continue
			}
			if d := geo.Abs(geo.Center(lines[k].Box).Y - geo.Center(l.Box).Y); pitch == 0 || d < pitch {
				pitch = d
			}
		}
		if pitch < f.px(26) || pitch > f.px(80) {
			if pitch = f.px(hitSide); !f.isEntry(face, l) {
				continue
			}
		}
		y := geo.Center(l.Box).Y
		f.addCell(on, image.Rect(face.Min.X, y-pitch/2, face.Max.X, y+pitch/2))
	}
}

// isEntry reports whether a line of a narrow panel consists of an icon and its text.
func (f *finder) isEntry(face image.Rectangle, l geo.Line) bool {
	return face.Dx() <= f.px(400) && face.Dy() > f.px(60) && len(l.Items) == 2 && f.isSymbol(l.Items[0]) && !f.isSymbol(l.Items[1]) &&
		l.Items[1].Min.X-l.Items[0].Max.X <= f.px(14)
}

// addCell adds the cell of an item, unless a face or a tab covers it.
func (f *finder) addCell(on int, box image.Rectangle) {
	if !slices.ContainsFunc(f.faces, func(b image.Rectangle) bool { return geo.Overlap(b, box) >= 0.5 }) &&
		!slices.ContainsFunc(f.tabs, func(b image.Rectangle) bool { return geo.Center(box).In(b) }) {
		f.list = append(f.list, Element{Box: box.Intersect(f.img.Rect), kind: cell, on: on})
	}
}
