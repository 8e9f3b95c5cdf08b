package textline

import (
	"cmp"
	"slices"
)

// A line through text parts no more than a letter does: letters stand above and below it, at the same columns. It is left out between
// them, and they are whole.
const (
	mostStruck    = 3  // rows that a line through text is thick, as wide as letters are usual
	struckSamples = 1  // rows from the line at which letters are looked for
	leastCrossed  = 14 // percent of its columns that letters cross at least
	leastGround   = 15 // percent of a row beside it that have its ground at least: it is seen between letters
	besideStruck  = 3  // pixels from its ends at which the ground is
	mostHoles     = 2  // percent of its pixels that are ground at most
	crossPitch    = 3  // pixels for each at least: closer, it is a texture
	leastCrosses  = 3  // letters, or parts of them, that cross it at least
)

// struck is a level line through text: its edges are in the rows top and bottom, and letters cross it where crossed says.
type struck struct {
	stretch
	top, bottom int32
	crossed     stretches
}

// broken is a level edge of which letters may hide parts.
type broken struct {
	stretch
	y int32
}

// findStruck returns the lines through text. Of a line of the text's own colour only one edge may be straight.
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

// strike takes lines through text for rules, but where letters cross them.
func (f *rules) strike(through []struck) {
	f.struck = through
	for _, k := range through {
		for y := k.top; y <= k.bottom; y++ {
			f.level[y] = append(f.level[y].cut(stretches{k.stretch}), stretches{k.stretch}.cut(k.crossed)...)
		}
	}
}

// struckBy returns the line through text whose upper edge is in the row top, if there is one.
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

// share returns how many pixels of a row have a colour along a stretch, of a hundred.
func (f *rules) share(y int32, s stretch, colour uint32) int32 {
	count := int32(0)
	for x := s.from; x <= s.to; x++ {
		if alike(f.at(x, y), colour) {
			count++
		}
	}
	return 100 * count / s.length()
}

// cut returns stretches without where others are.
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

// joined returns the runs with those of letters where lines go through them: a line of their own colour hides their edges.
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
