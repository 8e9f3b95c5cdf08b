package elements

import (
	"bytes"
	"image"
	"math"
	"slices"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/geo"
)

// blob is a connected piece of ink: a letter, icon, line or picture.
type blob struct {
	box  image.Rectangle
	area int // pixels of ink
}

// blobs returns the pieces of ink: the pixels with 0 in ground. It returns nil for noise.
func blobs(ground []byte, width, height int) []blob {
	var runs []run
	var above, here int
	for y := range height {
		if len(runs) > maxRuns {
			return nil
		}
		line := ground[y*width : (y+1)*width]
		above, here = here, len(runs)
		for x := 0; x < width; {
			skip := bytes.IndexByte(line[x:], 0)
			if skip < 0 {
				break
			}
			start := x + skip
			x = width
			if n := bytes.IndexByte(line[start:], 1); n >= 0 {
				x = start + n
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

// addInk adds icons and pictures, and collects horizontal lines in f.rules.
func (f *finder) addInk(all []blob) {
	var small []blob
	for _, b := range all {
		switch w, h := b.box.Dx(), b.box.Dy(); {
		case f.isWriting(b.box), f.isBorder(b.box):
		case max(w, h) <= f.px(40) && b.area >= f.px(3):
			small = append(small, b)
		case h <= f.px(3) && w >= f.px(80):
			f.rules = append(f.rules, b.box)
		case min(w, h) >= f.px(16) && b.area >= geo.Area(b.box)/2:
			f.list = append(f.list, Element{Box: b.box, kind: photo})
		}
	}
	for _, b := range f.cluster(f.stacked(small), f.px(3)) {
		w, h := b.Dx(), b.Dy()
		thick := min(w, h) >= f.px(5) || w <= f.px(24) && h >= f.px(2) && !f.isUpright(b) // a minus is thin
		if thick && max(w, h) >= f.px(7) && max(w, h) <= f.px(48) {
			ink := f.inkOf(b)
			f.list = append(f.list, Element{Box: b, Ink: &ink, kind: symbol})
			f.symbols = append(f.symbols, b)
		}
	}
	f.nameIcons()
}

// isUpright reports whether a box is a vertical line, and not dots below each other.
func (f *finder) isUpright(b image.Rectangle) bool {
	if b.Dy() < 4*b.Dx() {
		return false
	}
	ground, x := f.at(max(0, b.Min.X-1), geo.Center(b).Y), geo.Center(b).X
	return f.countIn(image.Rect(x, b.Min.Y, x+1, b.Max.Y), func(c Color) bool { return Apart(c, ground) <= distinct/2 }) == 0
}

// nameIcons sets the candidates of the icons, several in parallel.
func (f *finder) nameIcons() {
	var symbols []int
	for i := range f.list {
		if f.list[i].kind == symbol {
			symbols = append(symbols, i)
		}
	}
	_ = fair.Each(f.ctx, len(symbols), func(i int) { // Find returns the error of ctx
		e := &f.list[symbols[i]]
		e.Icons = icons.Match(f.uncovered(e.Box))
	})
}

// uncovered returns the ink in a box without the ink of a badge on its corner.
func (f *finder) uncovered(box image.Rectangle) *image.Alpha {
	mask := f.cut(box)
	from := geo.Pad(box, 1, 1).Intersect(f.img.Rect).Min
	for i, b := range f.faces {
		if !b.Overlaps(box) || 4*geo.Area(b) > 3*geo.Area(box) || box.In(b) || geo.Center(box).In(b) || !f.written(b) && f.list[i].Fill.lch().c < loud {
			continue
		}
		for y := b.Min.Y - 2; y < b.Max.Y+2; y++ {
			for x := b.Min.X - 2; x < b.Max.X+2; x++ {
				if at := image.Pt(x, y).Sub(from); at.In(mask.Rect) {
					mask.Pix[mask.PixOffset(at.X, at.Y)] = 0
				}
			}
		}
	}
	return mask
}

// cut returns the ink in a box: the difference of each pixel from the commonest color of the box's
// rim, scaled so that the largest difference is 255.
func (f *finder) cut(box image.Rectangle) *image.Alpha {
	box = geo.Pad(box, 1, 1).Intersect(f.img.Rect)
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
		far[i] = Apart(f.at(box.Min.X+i%box.Dx(), box.Min.Y+i/box.Dx()), ground)
		most = max(most, far[i])
	}
	for i, d := range far {
		mask.Pix[i] = uint8(255 * d / most)
	}
	return mask
}

// isBorder reports whether ink is part of the border of a face. After ctx ends it returns true.
func (f *finder) isBorder(box image.Rectangle) bool {
	if f.ended() {
		return true
	}
	return f.where.any(geo.Center(box), func(i int) bool { return f.borders(box, f.faces[i]) })
}

// borders reports whether ink is the line around a face, or part of one of its round corners. If
// the middle of the ink is more than 4 usual pixels outside of the face, the result is false;
// isBorder relies on that.
func (f *finder) borders(box, face image.Rectangle) bool {
	if near := f.px(4); face.In(geo.Pad(box, near, near)) && box.In(geo.Pad(face, near, near)) {
		return true
	}
	if f.roundsCorner(box, face) || f.roundsEnd(box, face) {
		return true
	}
	m, radius := geo.Center(box), face.Dy()/2
	if box.Dy() > face.Dy() || // an icon that has the face as its badge
		face.Dy() > f.px(80) || face.Dx() < face.Dy() || !m.In(geo.Pad(face, f.px(3), f.px(3))) {
		return false
	}
	dx := radius - min(m.X-face.Min.X, face.Max.X-m.X)
	dy := radius - min(m.Y-face.Min.Y, face.Max.Y-m.Y)
	return dx > 0 && dy >= 0 && math.Hypot(float64(dx), float64(dy)) >= float64(radius-f.px(3))
}

// roundsCorner reports whether ink is in a corner of a face that is round.
func (f *finder) roundsCorner(box, face image.Rectangle) bool {
	near := f.px(2)
	if max(box.Dx(), box.Dy()) > f.px(24) || !box.In(geo.Pad(face, near, near)) {
		return false
	}
	x := min(box.Min.X-face.Min.X, face.Max.X-box.Max.X)
	y := min(box.Min.Y-face.Min.Y, face.Max.Y-box.Max.Y)
	return max(x, y) < near
}

// roundsEnd reports whether ink is the round end of a face, at most a half circle wide.
func (f *finder) roundsEnd(box, face image.Rectangle) bool {
	near := f.px(2)
	return face.Dx() > face.Dy() && box.In(geo.Pad(face, near, near)) && box.Dy() >= face.Dy()-near && box.Dx() <= face.Dy()/2+near &&
		(box.Min.X <= face.Min.X+near || box.Max.X >= face.Max.X-near)
}

// isWriting reports whether ink belongs to a row of text.
func (f *finder) isWriting(box image.Rectangle) bool {
	return slices.ContainsFunc(f.rows, func(t image.Rectangle) bool {
		return geo.Center(box).In(geo.Pad(t, 1, t.Dy()/4)) && box.Dy() <= t.Dy()*3/2
	})
}

// cluster unites blobs that are at most gap pixels apart.
func (f *finder) cluster(list []blob, gap int) (boxes []image.Rectangle) {
	for _, b := range list {
		boxes = append(boxes, b.box)
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(boxes) && !f.ended(); i++ {
			for j := i + 1; j < len(boxes); j++ {
				if geo.Pad(boxes[i], gap, gap).Overlaps(boxes[j]) {
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

// isDivider reports whether a line divides a table or a page, rather than underlines a field.
func (f *finder) isDivider(i int) bool {
	r, n := f.rules[i], 0
	for _, o := range f.rules {
		if geo.Abs(o.Min.X-r.Min.X) <= 2 && geo.Abs(o.Max.X-r.Max.X) <= 2 {
			n++
		}
	}
	above := image.Rect(r.Min.X, r.Min.Y-f.px(30), r.Max.X, r.Min.Y)
	texts := 0
	for _, t := range f.texts {
		if geo.Center(t).In(above) {
			texts++
		}
	}
	return n > 3 || texts > 1 || r.Dx() > f.px(600)
}

// addUnderlined adds fields that consist of a text on a line.
func (f *finder) addUnderlined() {
	for i, rule := range f.rules {
		if f.isDivider(i) {
			continue
		}
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
