package textline

import (
	"context"
	"image"
	"math"
	"slices"

	"github.com/windieos/windie/internal/fair"
)

// sorted has the edges of a screen, sorted into glyphs, rules and shapes.
type sorted struct {
	glyphs []component
	all    *components // the components of the glyphs
	rules  *rules
	shapes []image.Rectangle
}

// sortOut separates the glyphs from rules, frames and other shapes. It returns no glyphs if the
// screen has more than maxComponents.
func sortOut(ctx context.Context, screen *image.NRGBA, runs []run) (s sorted) {
	all, frame, rules := framesAndRules(ctx, screen, runs)
	if len(all.list) > maxComponents {
		return s
	}
	s.rules = rules
	for i, is := range frame {
		if is {
			s.shapes = append(s.shapes, all.list[i].box())
		}
	}
	kept := s.rules.without(ctx, all.withoutOutlines(frame))
	s.all = connect(ctx, kept)
	if len(s.all.list) > maxComponents {
		return s
	}
	inner := s.all.contents(make([]bool, len(s.all.list)))
	fill := filled{ctx: ctx, screen: screen, of: s.all}
	letters := fill.all(inner)
	stands := feetOf(s.all.list)
	for i, k := range s.all.list {
		switch in, isPill := letters[int32(i)]; {
		case k.width() < 1 || k.height() < 1:
		case isPill:
			if len(in) > 0 {
				s.shapes = append(s.shapes, k.box())
			}
			s.glyphs = append(s.glyphs, in...)
		case k.height() > maxGlyphHeight || k.width() > maxGlyphWidth || k.isRule() && !stands.beside(&k) || k.isCurve() || k.isGrid(len(inner[int32(i)])) || fill.isCrossing(&k) && !stands.beside(&k):
			s.shapes = append(s.shapes, k.box())
		default:
			s.glyphs = append(s.glyphs, k)
		}
	}
	s.withoutSides()
	s.glyphs = withoutSpecks(withoutTexture(s.glyphs, edgesByTile(kept)))
	return s
}

// framesAndRules returns the components of runs, whether each is a frame, and the rules of the
// screen. It finds the rules at the same time if a core is free.
func framesAndRules(ctx context.Context, screen *image.NRGBA, runs []run) (all *components, frame []bool, found *rules) {
	done := make(chan struct{})
	find := func() {
		// findRules and connect only read the runs, so both may run at the same time
		found = findRules(screen, runs, 1)
		close(done)
	}
	beside := fair.Beside(ctx, find)
	all = connect(ctx, runs)
	if len(all.list) <= maxComponents {
		frame = all.frames()
	}
	if !beside {
		find()
	}
	<-done
	through := found.findStruck()
	if h := all.middleHeight(); h > largeLetters && len(all.list) <= maxComponents {
		found = findRules(screen, runs, float64(h)/smallLetters)
		// in the first pass, stems of large letters are wide gaps in a line of their colour
		through = append(through, found.findStruck()...)
	}
	found.strike(through)
	return all, frame, found
}

// ruleEnds returns the level rules by the corners at which they end.
func (s *sorted) ruleEnds() map[corner][]run {
	ends := map[corner][]run{}
	add := func(y, x0, x1 int) {
		r := run{int32(y), int32(x0), int32(x1)}
		ends[cornerAt(x0, y)] = append(ends[cornerAt(x0, y)], r)
		ends[cornerAt(x1, y)] = append(ends[cornerAt(x1, y)], r)
	}
	for _, r := range s.shapes {
		if r.Dy() <= 4 && r.Dx() > 24 {
			add(r.Min.Y, r.Min.X, r.Max.X)
		}
	}
	for y, list := range s.rules.level {
		for _, r := range list {
			if r.rule {
				add(y, int(r.from), int(r.to))
			}
		}
	}
	return ends
}

// withoutSides makes shapes of the strokes with a level rule that ends at their top and at their
// bottom. They are the sides of a pale frame with round corners, of which nothing else remains.
func (s *sorted) withoutSides() {
	ends := s.ruleEnds()
	near := func(k *component, y int, beyond func(y int) bool) bool {
		c := cornerAt(k.x0, y)
		isCorner := func(r run) bool {
			// the stroke crosses the rule
			within := int(r.x0) < k.x0-cornerOver && int(r.x1) > k.x1+cornerOver
			return !within && beyond(int(r.y))
		}
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				if slices.ContainsFunc(ends[corner{c.x + dx, c.y + dy}], isCorner) {
					return true
				}
			}
		}
		return false
	}
	stands := feetOf(s.glyphs)
	s.glyphs = slices.DeleteFunc(s.glyphs, func(k component) bool {
		if k.height() < 16 || 4*k.width() > k.height() {
			return false
		}
		above := near(&k, k.y0, func(y int) bool { return y <= k.y0+cornerOver })
		below := near(&k, k.y1, func(y int) bool { return y >= k.y1-1-cornerOver })
		side := above && below || k.isStroke() && (above || below) && !stands.beside(&k)
		if side {
			s.shapes = append(s.shapes, k.box())
		}
		return side
	})
}

// frames reports for each component whether it is a rule or a frame. Round frames count.
func (c *components) frames() []bool {
	is := make([]bool, len(c.list))
	stands := feetOf(c.list)
	for i := range c.list {
		k := &c.list[i]
		is[i] = k.isRule() && !stands.beside(k) || k.isFrame()
	}
	c.findPills(is)
	return is
}

// isRule reports whether a component is too long and thin for a letter: a level or upright line, or
// a very wide bar. It may still be a stroke beside a letter; see feet.
func (k *component) isRule() bool {
	w, h := k.width(), k.height()
	return w > 44 && h <= 4 || h > 28 && w <= 4 || w > 40*h
}

// isCrossing reports whether the component is only a level line and an upright line that meet: the
// remains of two crossing rules, or of a frame's corner. Letters this large have thicker strokes.
func (f *filled) isCrossing(k *component) bool {
	w, h := k.width(), k.height()
	if w < 12 || h < 12 || w <= 24 && h <= 28 || int(k.edges) > 2*lineWidth*(w+h) {
		return false
	}
	runs := f.runsOf(k)
	for _, level := range runs {
		// the level line begins here, if the component has one
		if r := &f.of.runs[level]; int(r.x1-r.x0) >= w-lineWidth {
			upright := run{x0: math.MaxInt32}
			for _, i := range runs {
				if o := &f.of.runs[i]; o.y < r.y || int(o.y) >= int(r.y)+lineWidth {
					upright.x0, upright.x1 = min(upright.x0, o.x0), max(upright.x1, o.x1)
				}
			}
			return int(upright.x1)-int(upright.x0) <= lineWidth
		}
	}
	return false
}

// isFrame reports whether the component runs along all sides of its box, about as long on opposite
// sides, unlike a D. Buttons, cards and borders do.
func (k *component) isFrame() bool {
	w, h := k.width(), k.height()
	least := 66 // minimum percent of a side
	if max(w, h) <= 40 && 4*h >= 5*w {
		least = 85 // it may be a digit, such as 0
	}
	straight := func(one, other int32, side, least int) bool {
		a, b := int(one), int(other)
		return side >= 12 && min(a, b)*100 >= side*least && max(a, b)-min(a, b) <= max(2, side/8)
	}
	// a solid block with letters in it
	block := max(w, h) > 28 && 20*int(min(k.top, k.bottom)) >= 19*w && 20*int(min(k.left.longest, k.right.longest)) >= 19*h
	empty := max(w, h) > 40 || int(k.edges) <= 5*(w+h) || block // unlike a B
	return empty && straight(k.top, k.bottom, w, least) && straight(k.left.longest, k.right.longest, h, 66)
}

// isCurve reports whether the component is a thin line through a wide box, as in a chart.
func (k *component) isCurve() bool {
	return k.width() > maxGlyphHeight && int(k.edges)*8 < k.width()*k.height()
}

// isGrid reports whether the component consists of thin lines around other components, as in a
// chart. inside is the number of those.
func (k *component) isGrid(inside int) bool {
	return inside >= 2 && int(k.edges)*6 < k.width()*k.height()
}

// findPills marks rounded buttons and badges as shapes: convex outlines around other components. A
// letter may be convex too, but it contains at most two other components. These are its counters,
// which are convex.
func (c *components) findPills(shape []bool) {
	var o outline
	byLabel := c.byLabel()
	convex := func(i int32) bool {
		o.trace(&c.list[i], c.runs, byLabel(i))
		return o.convex()
	}
	for i, inner := range c.contents(shape) {
		if len(inner) == 0 || !convex(i) {
			continue
		}
		letter := len(inner) <= 2
		for _, k := range inner {
			letter = letter && convex(k)
		}
		shape[i] = !letter
	}
}

// contents returns, for each component, the components inside it that are large enough for a glyph.
func (c *components) contents(shape []bool) map[int32][]int32 {
	bands := map[int][]int32{} // possible outer components, by the bands of rows that they cross
	for i := range c.list {
		if k := &c.list[i]; !shape[i] && k.width() >= 12 && k.height() >= 12 && k.height() <= maxGlyphHeight {
			for b := k.y0 / bandHeight; b <= k.y1/bandHeight; b++ {
				bands[b] = append(bands[b], int32(i))
			}
		}
	}
	found := map[int32][]int32{}
	for i := range c.list {
		if i%checkEvery == 0 && c.ctx.Err() != nil {
			return nil
		}
		in := &c.list[i]
		if in.height() < minGlyphHeight {
			continue
		}
		for _, j := range bands[in.y0/bandHeight] {
			out := &c.list[j]
			if in.x0 > out.x0+1 && in.y0 > out.y0+1 && in.x1 < out.x1-1 && in.y1 < out.y1-1 {
				found[j] = append(found[j], int32(i))
			}
		}
	}
	return found
}

// byLabel returns a function that returns the indices of a component's runs, by rows.
func (c *components) byLabel() func(label int32) []int32 {
	start := make([]int32, len(c.list)+1)
	for _, l := range c.label {
		start[l+1]++
	}
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	order := make([]int32, len(c.runs))
	next := slices.Clone(start)
	for i, l := range c.label {
		order[next[l]] = int32(i)
		next[l]++
	}
	return func(l int32) []int32 { return order[start[l]:start[l+1]] }
}

// outline is the distance, in pixels, from each side of a component's box to its first edge in each
// row and column.
type outline struct{ left, right, top, bottom []int }

// trace measures the outline of a component from its runs. members are their indices.
func (o *outline) trace(k *component, runs []run, members []int32) {
	w, h := k.width()+1, k.height()+1 // including the edges to the left and above
	o.left, o.right = lengthened(o.left, h, w), lengthened(o.right, h, w)
	o.top, o.bottom = lengthened(o.top, w, h), lengthened(o.bottom, w, h)
	for _, i := range members {
		r := &runs[i]
		y, x0, x1 := int(r.y)-k.y0+1, int(r.x0)-k.x0+1, int(r.x1)-k.x0+1
		o.left[y] = min(o.left[y], x0)
		o.right[y] = min(o.right[y], w-x1)
		for x := x0; x < x1; x++ {
			o.top[x] = min(o.top[x], y)
			o.bottom[x] = min(o.bottom[x], h-1-y)
		}
	}
}

// lengthened returns a slice of n equal values, in the memory of s if it fits.
func lengthened(s []int, n, value int) []int {
	s = s[:0]
	for range n {
		s = append(s, value)
	}
	return s
}

// convex reports whether an outline is about convex, with a tolerance of one pixel on each side.
func (o *outline) convex() bool {
	return valley(o.left, 1) && valley(o.right, 1) && valley(o.top, 1) && valley(o.bottom, 1)
}

// isPill reports whether an outline is about convex and reaches the middles of all sides. It
// ignores parts thinner than two pixels in the corners. Compression makes the outline of a filled
// shape uneven, so the tolerance grows with the size.
func (o *outline) isPill() bool {
	least := min(len(o.left), len(o.top))
	uneven := 1 + least/pillUneven
	for _, side := range [][]int{o.left, o.right, o.top, o.bottom} {
		if !valley(smoothed(side, least/4), uneven) || side[len(side)/2] > uneven {
			return false
		}
	}
	return true
}

// isBlock reports whether an outline has straight sides with notches, and all four corners.
func (o *outline) isBlock() bool {
	straight := func(side []int, part int) bool {
		n, last := 0, len(side)-1
		for _, v := range side {
			if v <= blockUneven {
				n++
			}
		}
		return 100*n >= part*len(side) && max(side[0], side[1], side[last-1], side[last]) <= blockUneven
	}
	return straight(o.top, blockLevel) && straight(o.bottom, blockLevel) && straight(o.left, blockUpright) && straight(o.right, blockUpright)
}

// fill makes a full rectangle of an outline.
func (o *outline) fill() {
	for _, side := range [][]int{o.left, o.right, o.top, o.bottom} {
		clear(side)
	}
}

// pillUneven is the height of a pill, in pixels, for each pixel of unevenness that its outline may
// have beyond the first.
const pillUneven = 18

// smoothed returns a copy of values. At each end it replaces as many values as ends says by the
// minimum of the value and its neighbours.
func smoothed(values []int, ends int) []int {
	out := slices.Clone(values)
	for i := range values {
		if i < ends || i >= len(values)-ends {
			out[i] = slices.Min(values[max(0, i-1):min(len(values), i+2)])
		}
	}
	return out
}

// holds reports whether a pixel is inside the outline. x and y count from the top left of the box
// that was traced.
func (o *outline) holds(x, y int) bool {
	return x > o.left[y] && x < len(o.top)-2-o.right[y] && y > o.top[x] && y < len(o.left)-1-o.bottom[x]
}

// valley reports whether values only fall and then only rise, with a tolerance in pixels.
func valley(values []int, pixels int) bool {
	i := 1
	lowest := values[0]
	for ; i < len(values) && values[i] <= lowest+pixels; i++ {
		lowest = min(lowest, values[i])
	}
	highest := 0
	for ; i < len(values); i++ {
		if values[i] < highest-pixels {
			return false
		}
		highest = max(highest, values[i])
	}
	return true
}
