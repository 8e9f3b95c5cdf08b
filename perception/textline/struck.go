package textline

import (
	"cmp"
	"slices"
)

// A line through text separates no more than a letter does: letters extend above and below it at
// the same columns. The line is removed between letters, so the letters remain whole.
const (
	mostStruck    = 3  // maximum rows of the line's thickness, in usual letter sizes
	struckSamples = 1  // rows from the line to the row where letters are looked for
	leastCrossed  = 14 // minimum percent of its columns that letters cross
	leastGround   = 15 // minimum percent of ground in the row beside it: the ground shows between letters
	besideStruck  = 3  // pixels from its ends to the points that show the ground
	mostHoles     = 2  // maximum percent of ground among its own pixels
	crossPitch    = 3  // minimum pixels of its length for each letter; closer letters are texture
	leastCrosses  = 3  // minimum letters, or parts of letters, that cross it
)

// struck is a level line through text. Its edges are in the rows top and bottom. Letters cross it
// at the columns in crossed.
type struck struct {
	stretch
	top, bottom int32
	crossed     stretches
}

// broken is a level edge; letters may hide parts of it.
type broken struct {
	stretch
	y int32
}

// findStruck returns the lines through text. If a line has the colour of the text, only one of its
// edges may be straight.
func (f *rules) findStruck() (list []struck) {
	for _, s := range f.broken {
		for thick := int32(1); thick <= f.px(mostStruck); thick++ {
			k, ok := f.struckBy(s.stretch, s.y, thick)
			if !ok {
				k, ok = f.struckBy(s.stretch, s.y-thick, thick)
			}
			if ok {
				list = append(list, k)
				break
			}
		}
	}
	return list
}

// strike makes rules of lines through text, except where letters cross them.
func (f *rules) strike(through []struck) {
	f.struck = through
	for _, k := range through {
		for y := k.top; y <= k.bottom; y++ {
			f.level[y] = append(f.level[y].cut(stretches{k.stretch}), stretches{k.stretch}.cut(k.crossed)...)
		}
	}
}

// struckBy returns the line through text that is thick rows high and whose upper edge is in the row
// top. ok is false if it is not a line through text.
func (f *rules) struckBy(s stretch, top, thick int32) (k struck, ok bool) {
	k = struck{stretch: s, top: top, bottom: top + thick}
	above, below := top-struckSamples+1, k.bottom+struckSamples
	if above < 0 || below >= int32(f.screen.Rect.Dy()) {
		return k, false
	}
	left, right := max(0, s.from-besideStruck), min(int32(f.screen.Rect.Dx())-1, s.to+besideStruck)
	over := f.at(left, above)
	for _, at := range []uint32{f.at(right, above), f.at(left, below), f.at(right, below)} {
		if !alike(at, over) { // the ground is the same all around a text
			return k, false
		}
	}
	if f.share(above, s, over) < leastGround || f.share(below, s, over) < leastGround {
		return k, false
	}
	for y := top + 1; y <= k.bottom; y++ {
		if f.share(y, s, over) > mostHoles { // dashes have gaps
			return k, false
		}
	}
	columns := int32(0)
	for x := s.from; x <= s.to; x++ {
		if alike(f.at(x, above), over) || alike(f.at(x, below), over) || f.upright[x].has(above) && f.upright[x].has(below) {
			continue
		}
		columns++
		if n := len(k.crossed); n > 0 && k.crossed[n-1].to == x-1 {
			k.crossed[n-1].to = x
			continue
		}
		k.crossed = append(k.crossed, stretch{from: x, to: x})
	}
	n := int32(len(k.crossed))
	return k, n >= leastCrosses && n*crossPitch <= s.length() && 100*columns >= leastCrossed*s.length()
}

// share returns the percentage of the pixels of a row that have a colour along a stretch.
func (f *rules) share(y int32, s stretch, colour uint32) int32 {
	count := int32(0)
	for x := s.from; x <= s.to; x++ {
		if alike(f.at(x, y), colour) {
			count++
		}
	}
	return 100 * count / s.length()
}

// cut returns the stretches without the parts that others cover.
func (list stretches) cut(others stretches) (out stretches) {
	for _, s := range list {
		for _, o := range others {
			if o.to < s.from || o.from > s.to {
				continue
			}
			if o.from > s.from {
				out = append(out, stretch{from: s.from, to: o.from - 1, rule: s.rule, soft: s.soft})
			}
			s.from = o.to + 1
		}
		if s.from <= s.to {
			out = append(out, s)
		}
	}
	return out
}

// joined adds runs where letters cross a line through text, and returns all runs sorted. A line in
// the colour of the letters hides their edges.
func (f *rules) joined(runs []run) []run {
	if len(f.struck) == 0 {
		return runs
	}
	for _, k := range f.struck {
		for y := k.top; y <= k.bottom; y++ {
			for _, c := range k.crossed {
				runs = append(runs, run{y: y, x0: c.from, x1: c.to + 1})
			}
		}
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x0, b.x0)) })
	out := runs[:1]
	for _, r := range runs[1:] {
		if last := &out[len(out)-1]; last.y == r.y && r.x0 <= last.x1 {
			last.x1 = max(last.x1, r.x1)
			continue
		}
		out = append(out, r)
	}
	return out
}
