package elements

import (
	"image"
	"slices"
)

// A bar is items beside each other on one face.
type bar struct {
	box   image.Rectangle
	items []image.Rectangle // from left to right
}

// divide gives items without faces of their own, as those of most menus, the
// space between them.
func (f *finder) divide() {
	for i, face := range f.faces {
		lines := f.linesOn(i)
		if len(lines) == 1 && len(lines[0].items) > 1 && face.Dy() <= f.px(90) {
			f.divideRow(face, lines[0])
		}
		f.divideColumn(face, lines)
	}
}

// linesOn returns the lines of text and icons that are on a face and on no
// smaller one.
func (f *finder) linesOn(face int) (lines []bar) {
	var items []image.Rectangle
	for _, list := range [][]image.Rectangle{f.texts, f.symbols} {
		for _, b := range list {
			if f.faceOf(b) == face {
				items = append(items, b)
			}
		}
	}
	for _, b := range f.faces[face+1:] { // badges
		if b.Dy() <= f.px(24) && b.Dx() <= f.px(60) && f.faceOf(b) == face {
			items = append(items, b)
		}
	}
	slices.SortFunc(items, func(a, b image.Rectangle) int { return middle(a).Y - middle(b).Y })
	for _, b := range items {
		last := len(lines) - 1
		if last >= 0 && middle(b).Y < lines[last].box.Max.Y && middle(lines[last].box).Y > b.Min.Y {
			lines[last].box = lines[last].box.Union(b)
			lines[last].items = append(lines[last].items, b)
		} else {
			lines = append(lines, bar{b, []image.Rectangle{b}})
		}
	}
	for i := range lines {
		lines[i].items = f.besides(lines[i].items)
	}
	return lines
}

// besides sorts items from left to right, and joins those that touch: an icon
// and its badge, an icon and its label.
func (f *finder) besides(items []image.Rectangle) (apart []image.Rectangle) {
	slices.SortFunc(items, func(a, b image.Rectangle) int { return a.Min.X - b.Min.X })
	for _, b := range items {
		if last := len(apart) - 1; last >= 0 && b.Min.X-apart[last].Max.X <= f.px(5) {
			apart[last] = apart[last].Union(b)
		} else {
			apart = append(apart, b)
		}
	}
	return apart
}

// faceOf returns the smallest face that something is on, -1 for none.
func (f *finder) faceOf(b image.Rectangle) int {
	for i := len(f.faces) - 1; i >= 0; i-- { // the smallest first
		if middle(b).In(f.faces[i]) && areaOf(f.faces[i]) > areaOf(b) {
			return i
		}
	}
	return -1
}

// divideRow gives each item of a bar the bar's height, and the width up to the
// middle of the gaps beside it, but not more on one side than on the other.
func (f *finder) divideRow(face image.Rectangle, l bar) {
	for i, item := range l.items {
		left, right := item.Min.X-face.Min.X, face.Max.X-item.Max.X
		if i > 0 {
			left = (item.Min.X - l.items[i-1].Max.X) / 2
		}
		if i+1 < len(l.items) {
			right = (l.items[i+1].Min.X - item.Max.X) / 2
		}
		side := min(left, right, f.px(24))
		if f.isSymbol(item) { // as wide as it is high, as far as there is room
			half := f.px(18)
			m := middle(item)
			f.addCell(image.Rect(max(m.X-half, item.Min.X-left), m.Y-half, min(m.X+half, item.Max.X+right), m.Y+half).Intersect(face))
			continue
		}
		f.addCell(image.Rect(item.Min.X-side, face.Min.Y, item.Max.X+side, face.Max.Y))
	}
}

// isSymbol reports whether an item is an icon and nothing more.
func (f *finder) isSymbol(item image.Rectangle) bool {
	return slices.Contains(f.symbols, item)
}

// divideColumn gives each line of a list the list's width, and the height up to
// the middle of the gaps above and below.
func (f *finder) divideColumn(face image.Rectangle, lines []bar) {
	for i, l := range lines {
		pitch := 0
		for _, k := range []int{i - 1, i + 1} {
			if k < 0 || k >= len(lines) || abs(lines[k].items[0].Min.X-l.items[0].Min.X) > f.px(10) {
				continue
			}
			if d := abs(middle(lines[k].box).Y - middle(l.box).Y); pitch == 0 || d < pitch {
				pitch = d
			}
		}
		if pitch < f.px(26) || pitch > f.px(80) {
			continue
		}
		y := middle(l.box).Y
		f.addCell(image.Rect(face.Min.X, y-pitch/2, face.Max.X, y+pitch/2))
	}
}

// addCell adds the space of an item, unless that has a face of its own.
func (f *finder) addCell(box image.Rectangle) {
	for _, b := range f.faces {
		if overlap(b, box) >= 0.5 {
			return
		}
	}
	f.list = append(f.list, Element{Box: box.Intersect(f.img.Rect), kind: cell})
}

// overlap is the part that two boxes share of what they cover together.
func overlap(a, b image.Rectangle) float64 {
	shared := areaOf(a.Intersect(b))
	return float64(shared) / float64(areaOf(a)+areaOf(b)-shared)
}
