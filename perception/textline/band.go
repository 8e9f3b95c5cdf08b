package textline

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/textmap"
)

// Parts of a row of text, in percent of its height from its top. The map of text is trained with
// rows that are 1.33 capitals high.
const (
	capitalTop = 4  // the top of the capitals
	baseline   = 79 // the baseline
	lowLine    = 82 // a line may be drawn here or below: an underline, a frame
)

// band is a row of text with the edges in and around it.
type band struct {
	screen *image.NRGBA
	row    image.Rectangle // the row of text
	around int             // pixels of surroundings on each side that may have parts of its letters
	area   image.Rectangle // the row and its surroundings; narrow makes it smaller
	runs   []run           // edges in area, sorted by rows of pixels
	cuts   []int           // x of the upright lines, ascending
	glyphs []component     // of the row
}

// Letters may extend beyond their row on each side by a quarter of its height, and at least by leastAround
// pixels. Frames are looked for above and below a row as far as half of its height, and marks beside it as
// far as twice its height.
const (
	sideRows    = 2
	letterPart  = 4
	framePart   = 2
	leastAround = 2
)

// bandOf returns a band without runs.
func bandOf(screen *image.NRGBA, of *textmap.Row) *band {
	row := of.Box
	around := max(leastAround, row.Dy()/letterPart)
	return &band{screen: screen, row: row, around: around, area: geo.Pad(row, max(around, sideRows*row.Dy()), around+row.Dy()/framePart).Intersect(screen.Rect)}
}

// narrow removes the surroundings above and below in which only frames are looked for.
func (b *band) narrow() {
	b.area.Min.Y, b.area.Max.Y = max(0, b.row.Min.Y-b.around), min(b.screen.Rect.Max.Y, b.row.Max.Y+b.around)
	b.runs = slices.DeleteFunc(b.runs, func(r run) bool { return int(r.y) < b.area.Min.Y-1 || int(r.y) >= b.area.Max.Y })
}

// at returns the y of a part of the row, in percent of its height.
func (b *band) at(part int) int { return b.row.Min.Y + b.row.Dy()*part/100 }

// startsOf returns the index of the first run of each row of pixels, and of the end of the runs.
func startsOf(runs []run, height int) []int {
	starts := make([]int, height+1)
	for _, r := range runs {
		starts[r.y+1]++
	}
	for y := range height {
		starts[y+1] += starts[y]
	}
	return starts
}

// gather sets the runs of the band to the parts of runs that are inside its area. starts has the
// index of the first run of each row of pixels. The pixel to the left of an edge, or above it, marks
// the edge, so runs begin one pixel outside of the area.
func (b *band) gather(runs []run, starts []int) {
	x0, x1 := int32(b.area.Min.X)-1, int32(b.area.Max.X)
	for y := max(0, b.area.Min.Y-1); y < b.area.Max.Y; y++ {
		for _, r := range runs[starts[y]:starts[y+1]] {
			if r.x0, r.x1 = max(r.x0, x0), min(r.x1, x1); r.x0 < r.x1 {
				b.runs = append(b.runs, r)
			}
		}
	}
}

// outlineRows is the number of rows of pixels from the capitals' top and from the baseline inwards
// in which an outline may curve. outlineSide is the part of a capital's height, a fifth, that its
// sides may take, and at least leastSide pixels.
const (
	outlineRows = 2
	outlineSide = 5
	leastSide   = 3
)

// dropOutlines removes the outlines of pills, badges and discs around letters. An outline extends
// above the capitals and below the baseline, contains a component at least half as high as a letter, and
// nothing between its sides touches it.
func (b *band) dropOutlines() {
	top, base := b.at(capitalTop), b.at(baseline)
	capital := base - top
	of := connect(b.runs)
	outline := make([]bool, len(of.list))
	for i, k := range of.list {
		outline[i] = k.y0 < top && k.y1 > base && k.width() >= capital && slices.ContainsFunc(of.list, func(o component) bool {
			return 2*o.height() >= capital && o.box().In(k.box().Inset(1))
		})
	}
	side := int32(max(leastSide, capital/outlineSide))
	for i, r := range b.runs {
		k := &of.list[of.label[i]]
		between := int(r.y) >= top+outlineRows && int(r.y) < base-outlineRows
		if between && r.x1 > int32(k.x0)+side && r.x0 < int32(k.x1)-side {
			outline[of.label[i]] = false
		}
	}
	kept := b.runs[:0]
	for i, r := range b.runs {
		if !outline[of.label[i]] {
			kept = append(kept, r)
		}
	}
	b.runs = kept
}

// dropFrames removes level lines above the capitals and below the baseline, and the upright lines
// between them. These are parts of frames, of blocks and of underlines, and letters may touch them.
// An upright line that passes the whole band counts as well.
func (b *band) dropFrames() {
	left := int32(b.area.Min.X) - 1
	ends := make([]stretches, b.area.Dy()+1) // of each row of pixels, the part beside a level line or the end of the band
	mark := func(y int, x0, x1 int32) {
		for i := max(0, y-1); i < min(len(ends), y+2); i++ {
			ends[i] = append(ends[i], stretch{x0 - left - frameJoint, x1 - left + frameJoint})
		}
	}
	mark(0, left, int32(b.area.Max.X))
	mark(len(ends)-1, left, int32(b.area.Max.X))
	rest := b.runs[:0]
	for _, r := range b.runs {
		if b.isLevelLine(r) {
			mark(int(r.y)-b.area.Min.Y+1, r.x0, r.x1)
		} else {
			rest = append(rest, r)
		}
	}
	b.runs = b.withoutUpright(rest, ends)
}

// frameJoint is how many pixels an upright line of a frame may be beside the end of a level line.
const frameJoint = 2

// isLevelLine reports whether a run is a level line above the capitals or below the baseline, or a
// line that passes the whole band.
func (b *band) isLevelLine(r run) bool {
	length, high := int(r.x1-r.x0), b.row.Dy()
	switch y := int(r.y); {
	case length >= b.area.Dx() && length > 2*high:
		return true
	case y < b.row.Min.Y, y >= b.row.Max.Y:
		return length > high
	default:
		return y >= b.at(lowLine) && length > 2*high
	}
}

// stretch is a part of a row or a column of pixels. Both ends are included.
type stretch struct{ from, to int32 }

// length returns the number of pixels of a stretch.
func (s stretch) length() int32 { return s.to - s.from + 1 }

type stretches []stretch

// has reports whether a stretch covers a position.
func (list stretches) has(at int32) bool {
	return slices.ContainsFunc(list, func(s stretch) bool { return s.from <= at && at <= s.to })
}

// withoutUpright returns the runs without upright lines: edges in one column that are at least as
// high as the row, from one of the places in ends to another. It sets cuts to these columns.
func (b *band) withoutUpright(runs []run, ends []stretches) []run {
	columns := make([]stretches, b.area.Dx()+1)
	open := make([]stretch, len(columns))
	end := func(x int) {
		if s := open[x]; int(s.length()) >= b.row.Dy() && ends[s.from].has(int32(x)) && ends[s.to].has(int32(x)) {
			columns[x] = append(columns[x], s)
		}
	}
	for x := range open {
		open[x].to = -2
	}
	left, top := int32(b.area.Min.X)-1, int32(b.area.Min.Y)-1
	for _, r := range runs {
		for x := int(r.x0 - left); x < int(r.x1-left); x++ {
			if s := &open[x]; s.to != r.y-top-1 {
				end(x)
				s.from = r.y - top
			}
			open[x].to = r.y - top
		}
	}
	for x := range open {
		end(x)
		if len(columns[x]) > 0 {
			b.cuts = append(b.cuts, x+int(left))
		}
	}
	var out []run
	for _, r := range runs {
		from := r.x0
		for x := r.x0; x < r.x1; x++ {
			if columns[x-left].has(r.y - top) {
				if x > from {
					out = append(out, run{y: r.y, x0: from, x1: x})
				}
				from = x + 1
			}
		}
		if from < r.x1 {
			out = append(out, run{y: r.y, x0: from, x1: r.x1})
		}
	}
	return out
}

// findGlyphs sets glyphs to the components that belong to the row, and sets runs to nil.
func (b *band) findGlyphs() {
	var glyphs, marks []component
	for _, k := range connect(b.runs).list {
		if b.has(&k) {
			glyphs = append(glyphs, k)
		} else if b.isMark(&k) {
			marks = append(marks, k)
		}
	}
	glyphs = b.withoutIcons(glyphs)
	if len(glyphs) > 0 {
		glyphs = b.withMarks(glyphs, marks)
	}
	for _, s := range b.bare(glyphs) {
		glyphs = append(glyphs, b.byInk(s)...)
	}
	for i := range glyphs {
		b.clip(&glyphs[i])
	}
	b.glyphs, b.runs = glyphs, nil
}

// clip cuts off what of a component reaches out of the band: there it touches a letter of another row.
func (b *band) clip(k *component) {
	if k.y0 <= b.area.Min.Y {
		k.y0 = max(k.y0, b.row.Min.Y)
	}
	if k.y1 >= b.area.Max.Y {
		k.y1 = min(k.y1, b.row.Max.Y)
	}
}

// Rows of one line have gaps of at most five quarters of their height: with wider gaps, training has
// two rows. Their tops and bottoms differ by at most a sixth of it.
const (
	gapQuarters = 5
	levelPart   = 6
)

// joined returns bands with one band for all those of a line, which lines may part again.
func joined(bands []*band) (out []*band) {
	slices.SortStableFunc(bands, func(a, b *band) int { return a.row.Min.X - b.row.Min.X })
	for _, b := range bands {
		i := slices.IndexFunc(out, func(o *band) bool {
			high := min(o.row.Dy(), b.row.Dy())
			return 4*(b.row.Min.X-o.row.Max.X) <= gapQuarters*high &&
				levelPart*max(geo.Abs(o.row.Min.Y-b.row.Min.Y), geo.Abs(o.row.Max.Y-b.row.Max.Y)) <= high
		})
		if i < 0 {
			out = append(out, b)
		} else {
			out[i].join(b)
		}
	}
	return out
}

// join adds the glyphs and cuts of a band further right.
func (b *band) join(next *band) {
	for _, k := range next.glyphs {
		if !slices.ContainsFunc(b.glyphs, func(o component) bool { return o.box() == k.box() }) {
			b.glyphs = append(b.glyphs, k)
		}
	}
	b.row = b.row.Union(next.row)
	b.cuts = append(b.cuts, next.cuts...)
	slices.Sort(b.cuts)
}

// lines returns the lines of the glyphs: parted at upright lines, at wide gaps, beside icons, and where the
// ground changes.
func (b *band) lines() (lines []Line) {
	c := chainer{screen: b.screen, glyphs: b.glyphs}
	all := make([]int, len(c.glyphs))
	c.bg = make([]pixel, len(all))
	for i := range all {
		all[i], c.bg[i] = i, c.ground(&c.glyphs[i])
	}
	c.sort(all)
	parted := false
	for len(all) > 0 {
		n, last, cut := 1, all[0], false // last ends furthest right: a counter of a letter ends before it
		for ; n < len(all); n++ {
			k, next := &c.glyphs[last], &c.glyphs[all[n]]
			wide := 4*(next.x0-k.x1) > gapQuarters*b.row.Dy()
			if cut = b.isCut(k, next); cut || wide || b.isIcon(k, next) || next.x1 > k.x1 && !c.onOneGround(last, all[n]) {
				break
			}
			if next.x1 > k.x1 {
				last = all[n]
			}
		}
		if l := c.line(all[:n]); l.Box.Dy() >= minGlyphHeight {
			l.Parted, parted = parted, false
			lines = append(lines, l)
		}
		all, parted = all[n:], parted || cut
	}
	return lines
}

// withoutIcons returns glyphs without those that extend above the capitals and below the baseline and
// contain another: icons with a count on them.
func (b *band) withoutIcons(glyphs []component) []component {
	top, base := b.at(capitalTop), b.at(baseline)
	kept := make([]component, 0, len(glyphs))
	for _, k := range glyphs {
		icon := 3*k.height() >= 4*(base-top) && 10*k.width() >= 9*k.height() && k.y0 <= top && k.y1 >= base && slices.ContainsFunc(glyphs, func(o component) bool {
			return 2*o.height() >= base-top && o.box().In(k.box().Inset(1))
		})
		if !icon {
			kept = append(kept, k)
		}
	}
	return kept
}

// bare returns the stretches of the row that are at least half as wide as the row is high and have no
// glyph.
func (b *band) bare(glyphs []component) (list []image.Rectangle) {
	glyphs = slices.SortedFunc(slices.Values(glyphs), func(a, b component) int { return a.x0 - b.x0 })
	x := b.row.Min.X - b.around
	end := func(to int) {
		if 2*(to-x) >= b.row.Dy()+2*b.around {
			list = append(list, image.Rect(x, b.area.Min.Y, to, b.area.Max.Y).Intersect(b.screen.Rect))
		}
	}
	for _, k := range glyphs {
		end(min(k.x0, b.row.Max.X+b.around))
		x = max(x, k.x1)
	}
	end(b.row.Max.X + b.around)
	return list
}

// byInk returns the components of what differs from the commonest colour of a stretch of the row. So
// it finds letters that touch the outline of their disc, or a frame.
func (b *band) byInk(stretch image.Rectangle) (list []component) {
	c := chainer{screen: b.screen}
	ground := c.commonest(stretch)
	var runs []run
	for y := stretch.Min.Y; y < stretch.Max.Y; y++ {
		from := -1
		for x := stretch.Min.X; x <= stretch.Max.X; x++ {
			ink := x < stretch.Max.X && c.at(x, y).apart(ground) > 2*threshold
			switch {
			case ink && from < 0:
				from = x
			case !ink && from >= 0:
				runs = append(runs, run{y: int32(y), x0: int32(from), x1: int32(x)})
				from = -1
			}
		}
	}
	for _, k := range connect(runs).list {
		k.x0, k.y0 = k.x0-1, k.y0-1 // the runs are of pixels, and not of edges to the right and below
		inside := k.box().In(image.Rect(stretch.Min.X, stretch.Min.Y+1, stretch.Max.X, stretch.Max.Y-1))
		if inside && 4*k.height() >= b.at(baseline)-b.at(capitalTop) {
			list = append(list, k)
		}
	}
	return list
}

// Marks at the ends of a row are at most a third of its height high, and at most as far away. A bracket is
// at least a fifth of its height wide.
const (
	markPartOfRow = 3
	bracketPart   = 5
)

// isMark reports whether a component beside the row is as low as a dot, a dash or an underscore, or as
// narrow as a bracket. The box of a row may end before such marks.
func (b *band) isMark(k *component) bool {
	low := markPartOfRow*k.height() <= b.row.Dy() && k.width() <= 2*b.row.Dy()
	narrow := k.height() <= b.row.Dy()+b.around && 2*k.width() <= b.row.Dy() && bracketPart*k.width() >= k.height() // and no bar
	return k.width() > 0 && k.height() > 0 && (low || narrow) && k.y0 > b.row.Min.Y-b.around && k.y1 <= b.row.Max.Y+b.around/2
}

// withMarks returns glyphs with the marks that follow each other at both ends of them.
func (b *band) withMarks(glyphs, marks []component) []component {
	x0, x1 := glyphs[0].x0, glyphs[0].x1
	for _, k := range glyphs {
		x0, x1 = min(x0, k.x0), max(x1, k.x1)
	}
	reach := b.row.Dy() / markPartOfRow
	slices.SortFunc(marks, func(a, b component) int { return a.x0 - b.x0 })
	for _, k := range marks {
		if k.x0 >= x1-1 && k.x0-x1 <= reach {
			glyphs, x1 = append(glyphs, k), max(x1, k.x1)
		}
	}
	for _, k := range slices.Backward(marks) {
		if k.x1 <= x0+1 && x0-k.x1 <= reach {
			glyphs, x0 = append(glyphs, k), min(x0, k.x0)
		}
	}
	return glyphs
}

// isCut reports whether an upright line is between two components, which may touch it. next must not
// begin left of k. Components that are as close as letters of a word are not cut: the line is behind the
// word, as the grid of a chart is.
func (b *band) isCut(k, next *component) bool {
	if letterGap*(next.x0-k.x1) < b.row.Dy() {
		return false
	}
	i, _ := slices.BinarySearch(b.cuts, min(k.x1, next.x0)-cutReach)
	return i < len(b.cuts) && b.cuts[i] <= max(k.x1, next.x0)
}

// letterGap is the part of a row's height, a sixth, that gaps between letters of a word are less than.
const letterGap = 6

// isIcon reports whether one of two components is an icon beside the other, such as a check box: about as wide
// as high, with a gap, and well above the capitals and below the baseline.
func (b *band) isIcon(k, next *component) bool {
	top, base := b.at(capitalTop), b.at(baseline)
	out := (base - top) / iconOut
	is := func(k *component) bool {
		return k.y0 < top-out && k.y1 > base+out && 5*k.width() >= 3*k.height() && 4*k.width() <= 5*k.height()
	}
	return letterGap*(next.x0-k.x1) >= b.row.Dy() && (is(k) || is(next))
}

// iconOut is the part of a capital's height that an icon extends at least on both sides.
const iconOut = 6

// cutReach is how many pixels an upright line may be inside the component to its right, or left of
// the end of the component to its left: the left pixel of an edge marks it.
const cutReach = 2

// has reports whether a component belongs to the row. A component that passes the whole band, or reaches
// out of it at a side, does not. Nor does one that is too low for a comma or a descender, such as a part
// of an outline. Beside the row, a component must not be higher than the row. Accents may be above it.
func (b *band) has(k *component) bool {
	above, below := k.y0 <= b.area.Min.Y, k.y1 >= b.area.Max.Y
	goesOn := k.x0 <= b.area.Min.X && b.area.Min.X > 0 || k.x1 >= b.area.Max.X && b.area.Max.X < b.screen.Rect.Max.X
	low := k.y1 > b.row.Max.Y+b.around/2
	middle := (k.x0 + k.x1) / 2
	shared := min(k.x1, b.row.Max.X) - max(k.x0, b.row.Min.X)
	aside := max(b.row.Min.X-middle, middle-b.row.Max.X)
	switch {
	case k.width() < 1, k.height() < 1, above && below, goesOn, aside > b.around, 3*shared < 2*k.width() && k.width() > b.row.Dy():
		return false
	case low && (aside > 0 || k.y0 >= b.at(baseline)), aside > 0 && k.height() > b.row.Dy():
		return false
	}
	return 2*(min(k.y1, b.row.Max.Y)-max(k.y0, b.row.Min.Y)) >= k.height() || !above && k.y0 < b.row.Min.Y
}
