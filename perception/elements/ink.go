package elements

import (
	"image"
	"math"

	"github.com/windieos/windie/perception/elements/icons"
)

// A blob is a connected piece of what is drawn on the grounds: a letter, an
// icon, a line, a picture, the border of a field.
type blob struct {
	box  image.Rectangle
	area int
}

// blobs finds what is not ground.
func blobs(ground []bool, width, height int) []blob {
	var runs []run
	var above, here int
	for y := range height {
		line := ground[y*width : (y+1)*width]
		above, here = here, len(runs)
		for x := 0; x < width; x++ {
			if line[x] {
				continue
			}
			start := x
			for x < width && !line[x] {
				x++
			}
			runs = append(runs, run{int32(start), int32(x), int32(y), int32(len(runs)), 0})
		}
		join(runs, above, here, len(runs), 1)
	}
	var list []blob
	number := make([]int32, len(runs))
	for i, r := range runs {
		top := root(runs, int32(i))
		if number[top] == 0 {
			list = append(list, blob{box: image.Rect(int(r.x0), int(r.y), int(r.x1), int(r.y)+1)})
			number[top] = int32(len(list))
		}
		k := &list[number[top]-1]
		k.box.Min.X, k.box.Max.X, k.box.Max.Y = min(k.box.Min.X, int(r.x0)), max(k.box.Max.X, int(r.x1)), int(r.y)+1
		k.area += int(r.x1 - r.x0)
	}
	return list
}

// addInk adds icons and pictures. Ink of writing is neither.
func (f *finder) addInk(all []blob) {
	var small []blob
	for _, b := range all {
		switch w, h := b.box.Dx(), b.box.Dy(); {
		case f.isWriting(b.box), f.isBorder(b.box):
		case max(w, h) <= f.px(40) && b.area >= f.px(3):
			small = append(small, b)
		case h <= f.px(3) && w >= f.px(80):
			f.rules = append(f.rules, b.box)
		case min(w, h) >= f.px(16) && b.area >= areaOf(b.box)/2:
			f.list = append(f.list, Element{Box: b.box, kind: photo})
		}
	}
	for _, b := range cluster(small, f.px(3)) {
		w, h := b.Dx(), b.Dy()
		thick := min(w, h) >= f.px(5) || w <= f.px(24) && h >= f.px(2) // a minus is thin
		if thick && max(w, h) >= f.px(7) && max(w, h) <= f.px(48) {
			ink := f.inkOf(b)
			f.list = append(f.list, Element{Box: b, Ink: &ink, Icons: icons.Match(f.cut(b)), kind: symbol})
			f.symbols = append(f.symbols, b)
		}
	}
}

// cut returns the ink in a box: how far each pixel is from what most of the
// box's rim is, against the farthest.
func (f *finder) cut(box image.Rectangle) *image.Alpha {
	box = pad(box, 1, 1).Intersect(f.img.Rect)
	counts, ground := map[Color]int{}, Color{}
	count := func(x, y int) {
		c := f.at(x, y)
		if counts[c]++; counts[c] > counts[ground] {
			ground = c
		}
	}
	for x := box.Min.X; x < box.Max.X; x++ {
		count(x, box.Min.Y)
		count(x, box.Max.Y-1)
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		count(box.Min.X, y)
		count(box.Max.X-1, y)
	}
	mask := image.NewAlpha(image.Rect(0, 0, box.Dx(), box.Dy()))
	far, most := make([]int, len(mask.Pix)), 1
	for i := range far {
		far[i] = apart(f.at(box.Min.X+i%box.Dx(), box.Min.Y+i/box.Dx()), ground)
		most = max(most, far[i])
	}
	for i, d := range far {
		mask.Pix[i] = uint8(255 * d / most)
	}
	return mask
}

// isBorder reports whether a piece of ink is the line around a face, or what
// rounds its corners: near one of them, and beyond the widest arc that fits
// there.
func (f *finder) isBorder(box image.Rectangle) bool {
	m := middle(box)
	for _, face := range f.faces {
		if near := f.px(4); face.In(pad(box, near, near)) && box.In(pad(face, near, near)) {
			return true
		}
		radius := face.Dy() / 2
		if face.Dy() > f.px(80) || face.Dx() < face.Dy() || !m.In(pad(face, f.px(3), f.px(3))) {
			continue
		}
		dx := radius - min(m.X-face.Min.X, face.Max.X-m.X)
		dy := radius - min(m.Y-face.Min.Y, face.Max.Y-m.Y)
		if dx > 0 && dy >= 0 && math.Hypot(float64(dx), float64(dy)) >= float64(radius-f.px(3)) {
			return true
		}
	}
	return false
}

// isWriting reports whether a piece of ink is of a row of text.
func (f *finder) isWriting(box image.Rectangle) bool {
	for _, t := range f.rows {
		if middle(box).In(pad(t, 1, t.Dy()/4)) && box.Dy() <= t.Dy()*3/2 {
			return true
		}
	}
	return false
}

// cluster unites pieces that are no further apart than gap.
func cluster(list []blob, gap int) (boxes []image.Rectangle) {
	for _, b := range list {
		boxes = append(boxes, b.box)
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(boxes); i++ {
			for j := i + 1; j < len(boxes); j++ {
				if pad(boxes[i], gap, gap).Overlaps(boxes[j]) {
					boxes[i] = boxes[i].Union(boxes[j])
					boxes[j] = boxes[len(boxes)-1]
					boxes = boxes[:len(boxes)-1]
					again = true
					j--
				}
			}
		}
	}
	return boxes
}

// addUnderlined adds fields that are writing on a line. The line does not reach
// the sides of what it is on, as one does that divides it.
func (f *finder) addUnderlined() {
	for _, rule := range f.rules {
		on := f.faceOf(rule)
		if on < 0 || rule.Min.X-f.faces[on].Min.X < f.px(6) || f.faces[on].Max.X-rule.Max.X < f.px(6) {
			continue
		}
		for _, row := range f.rows {
			if gap, in := rule.Min.Y-row.Max.Y, row.Min.X-rule.Min.X; gap >= f.px(3) && gap <= f.px(16) && in >= 0 && in <= f.px(24) && row.Max.X <= rule.Max.X {
				box := image.Rect(rule.Min.X, row.Min.Y-gap, rule.Max.X, rule.Max.Y)
				f.list = append(f.list, Element{Box: box.Intersect(f.img.Rect), kind: line})
			}
		}
	}
}
