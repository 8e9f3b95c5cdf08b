package textline

import (
	"context"
	"encoding/binary"
	"image"
	"slices"
)

// Where compression or scaling broadens edges, the edges of a pill or a badge touch the letters in
// it, and all of it is one component. Its letters are the pixels inside it that differ from the
// colour that fills it.
const (
	fillLeast   = 12   // minimum pixels of each side
	fillWidest  = 400  // maximum pixels of its width
	fillCorner  = 15   // maximum size of its corners, in percent of the shorter side
	fillLook    = 2000 // approximate number of its pixels that mean looks at
	fillAround  = 48   // maximum difference of a pixel of its ground from the ground's colour, 0 to 255
	fillPale    = 12   // minimum value of that limit, for a ground that hardly differs from its surroundings
	fillShare   = 40   // minimum percent of it, without corners, in the colour of its ground
	fillEdge    = 2    // pixels around the component that body and sides look at
	fillLost    = 5    // maximum pixels of ripples beyond each side
	fillBeside  = 64   // maximum pixels of each side of a badge together with what it touches
	fillTries   = 2    // colours to try for the badge
	fillBadge   = 10   // minimum pixels of each side of such a badge
	fillInk     = 60   // minimum contrast of the letters, 0 to 255
	fillHighest = 70   // maximum height of the letters, in percent of its height
	fillLow     = 40   // letters up to this percent of the height are too low for a counter
	fillNarrow  = 40   // minimum width of a counter in a box wider than high, in percent of the width
	// minimum width of a counter in a box at least as wide as high, in percent of the width
	fillSlim = 30
)

// A block is the cells of a terminal with another ground. Its letters reach its sides, and make
// notches in them.
const (
	blockLevel   = 80 // minimum percent of the top and of the bottom that is straight
	blockUpright = 20 // minimum percent of the sides
	blockShare   = 60 // minimum percent of it in the colour of its ground
	blockHighest = 90 // maximum height of its letters, in percent of its height
	blockUneven  = 1  // maximum pixels of unevenness of a straight side
	blockOpen    = 2  // pixels from its top or bottom; most of its letters end before them
	blockEdge    = 1  // pixels around it that belong to its sides
)

// filled finds letters in components that one colour fills.
type filled struct {
	ctx    context.Context
	screen *image.NRGBA
	of     *components
	lookup func(label int32) []int32 // the runs of a component, found at first use
	shape  outline
	block  bool // the shape is that of a block
}

// all returns the letters of each pill, by the index of its component. Letters that do not touch
// the sides of the pill are components of their own. They get an empty entry, because they are
// among the letters of the pill already.
func (f *filled) all(inner map[int32][]int32) map[int32][]component {
	found := map[int32][]component{}
	for i := range f.of.list {
		if letters := f.letters(&f.of.list[i]); len(letters) > 0 {
			found[int32(i)] = letters
		}
	}
	for i := range found {
		for _, k := range inner[i] {
			found[k] = nil
		}
	}
	return found
}

// letters returns the glyphs in a pill or badge, or nil if k is a glyph itself.
func (f *filled) letters(k *component) []component {
	if min(k.width(), k.height()) < fillLeast || k.width() > fillWidest || k.height() > maxGlyphHeight {
		return nil
	}
	ground, ok := f.ground(k.box())
	if !ok {
		return f.beside(k)
	}
	limit := f.inkWithin(k.box(), ground) / 2
	if limit < fillInk/2 {
		return nil
	}
	box, ok := f.body(k.box(), ground, min(limit, fillAround, max(fillPale, f.apart(k.box(), ground)*2/3)))
	if !ok || max(k.width()-box.Dx(), k.height()-box.Dy()) > 2*fillLost {
		return f.beside(k)
	}
	return f.inside(box, ground, limit, true)
}

// beside returns the letters in a badge that touches something beside it, such as an icon. The
// badge has one of the commonest colours of the box that its surroundings lack.
func (f *filled) beside(k *component) []component {
	box := k.box()
	if max(box.Dx(), box.Dy()) > fillBeside && 2*int(max(k.top, k.bottom)) < box.Dx() {
		return nil
	}
	var seen []pixel
	for range fillTries {
		ground := f.commonest(box, seen)
		seen = append(seen, ground)
		body, ok := f.body(box, ground, fillAround)
		if !ok || min(body.Dx(), body.Dy()) < fillBadge {
			continue
		}
		limit := f.inkWithin(body, ground) / 2
		if limit < fillInk/2 {
			continue
		}
		if letters := f.inside(body, ground, limit, false); len(letters) > 0 {
			return append(letters, f.outside(k, body)...)
		}
	}
	return nil
}

// outside returns the parts of a component outside of a block that it touches, such as letters of
// the line below. It returns nil without a block.
func (f *filled) outside(k *component, block image.Rectangle) []component {
	if !f.block {
		return nil
	}
	var runs []run
	block = block.Inset(-blockEdge)
	for _, i := range f.runsOf(k) {
		r := f.of.runs[i]
		if y := int(r.y) + 1; y < block.Min.Y || y >= block.Max.Y {
			runs = append(runs, r)
			continue
		}
		if x := int32(block.Min.X) - 1; r.x0 < x {
			runs = append(runs, run{r.y, r.x0, min(r.x1, x)})
		}
		if x := int32(block.Max.X); r.x1 > x {
			runs = append(runs, run{r.y, max(r.x0, x), r.x1})
		}
	}
	list := connect(f.ctx, runs).list
	list = slices.DeleteFunc(list, func(k component) bool { return k.width() < 1 || k.height() < 1 })
	for i := range list {
		list[i].label = -1
	}
	return list
}

// commonest returns the commonest colour of a box that is unlike those seen and unlike most of the
// box's surroundings. It returns black if there is none.
func (f *filled) commonest(box image.Rectangle, seen []pixel) (colour pixel) {
	var count [1 << 9]int
	key := func(p pixel) int { return int(p[0]>>5)<<6 | int(p[1]>>5)<<3 | int(p[2]>>5) }
	around, most := f.sides(f.window(box)), 0
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			p := f.at(x, y)
			if count[key(p)]++; count[key(p)] > most && 2*like(p, around) < len(around) && like(p, seen) == 0 {
				most, colour = count[key(p)], p
			}
		}
	}
	return colour
}

// inkWithin returns the maximum difference from the ground, 0 to 255, in the inner half of a box.
func (f *filled) inkWithin(box image.Rectangle, ground pixel) (ink int) {
	core := box.Inset(min(box.Dx(), box.Dy()) / 4)
	for y := core.Min.Y; y < core.Max.Y; y++ {
		for x := core.Min.X; x < core.Max.X; x++ {
			ink = max(ink, f.at(x, y).apart(ground))
		}
	}
	return ink
}

// runsOf returns the indices of a component's runs, by rows.
func (f *filled) runsOf(k *component) []int32 {
	if f.lookup == nil {
		f.lookup = f.of.byLabel()
	}
	return f.lookup(k.label)
}

// at returns the colour of a pixel. The pixel must be inside the screen.
func (f *filled) at(x, y int) pixel {
	v := binary.LittleEndian.Uint32(f.screen.Pix[y*f.screen.Stride+4*x:])
	return pixel{uint8(v), uint8(v >> 8), uint8(v >> 16)}
}

// ground returns the colour that fills a box without its corners, and whether enough of the box has
// it. It is the mean of the pixels near the colour of most places on the sides.
func (f *filled) ground(box image.Rectangle) (pixel, bool) {
	within := box.Inset(max(2, min(box.Dx(), box.Dy())*fillCorner/100))
	sides := f.sides(within)
	i := slices.IndexFunc(sides, func(p pixel) bool { return 2*like(p, sides) > len(sides) })
	if i < 0 {
		return pixel{}, false
	}
	return f.mean(within, sides[i])
}

// sides returns the colours at three places on each side of a box, inside it.
func (f *filled) sides(box image.Rectangle) (list []pixel) {
	right, bottom := box.Max.X-1, box.Max.Y-1
	for quarter := 1; quarter <= 3; quarter++ {
		x, y := (quarter*right+(4-quarter)*box.Min.X)/4, (quarter*bottom+(4-quarter)*box.Min.Y)/4
		list = append(list, f.at(x, box.Min.Y), f.at(x, bottom), f.at(box.Min.X, y), f.at(right, y))
	}
	return list
}

// like returns how many colours of a list differ from a colour by at most fillAround.
func like(colour pixel, list []pixel) (n int) {
	for _, p := range list {
		if p.apart(colour) <= fillAround {
			n++
		}
	}
	return n
}

// mean returns the mean of the pixels of a box that are near a colour, and whether these are at
// least fillShare percent of it. It looks at about fillLook pixels.
func (f *filled) mean(box image.Rectangle, colour pixel) (pixel, bool) {
	step := 1
	for step*step*fillLook < box.Dx()*box.Dy() {
		step++
	}
	var sum [3]int
	n, all := 0, 0
	for y := box.Min.Y; y < box.Max.Y; y += step {
		for x := box.Min.X; x < box.Max.X; x += step {
			all++
			if p := f.at(x, y); p.apart(colour) <= fillAround {
				n++
				for i, v := range p {
					sum[i] += int(v)
				}
			}
		}
	}
	if 100*n < fillShare*all {
		return pixel{}, false
	}
	return pixel{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n)}, true
}

// apart returns the median difference from a ground of the places around a box, 0 to 255.
func (f *filled) apart(box image.Rectangle, ground pixel) int {
	sides := f.sides(f.window(box))
	far := make([]int, len(sides))
	for i, p := range sides {
		far[i] = p.apart(ground)
	}
	slices.Sort(far)
	return far[len(far)/2]
}

// window returns a box enlarged by fillEdge pixels, within the screen.
func (f *filled) window(box image.Rectangle) image.Rectangle {
	return box.Inset(-fillEdge).Intersect(f.screen.Rect)
}

// body returns the box of the largest part of a box that differs from a ground by at most limit. It
// also reports whether this part has the shape of a pill or block, with other pixels around it.
func (f *filled) body(box image.Rectangle, ground pixel, limit int) (image.Rectangle, bool) {
	window := f.window(box)
	runs := where(window, func(x, y int) bool { return f.at(x, y).apart(ground) <= limit })
	all := connect(f.ctx, runs)
	if len(all.list) == 0 {
		return image.Rectangle{}, false
	}
	k := slices.MaxFunc(all.list, func(a, b component) int { return int(a.edges - b.edges) })
	body := image.Rect(k.x0, k.y0, k.x1, k.y1+1) // the last row belongs to it too
	if !body.In(window.Inset(1)) {
		return image.Rectangle{}, false
	}
	f.shape.trace(&k, runs, all.byLabel()(k.label))
	f.block = false
	if f.shape.isPill() {
		return body, true
	}
	f.block = 100*int(k.edges) >= blockShare*body.Dx()*body.Dy() && f.shape.isBlock()
	if f.block {
		f.shape.fill()
	}
	return body, f.block
}

// where returns runs of the pixels of a box for which is returns true. The runs have the
// coordinates of the edges that would mark these pixels.
func where(box image.Rectangle, is func(x, y int) bool) (runs []run) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		from := -1
		for x := box.Min.X; x <= box.Max.X; x++ {
			in := x < box.Max.X && is(x, y)
			if in && from < 0 {
				from = x
			}
			if !in && from >= 0 {
				runs = append(runs, run{y: int32(y) - 1, x0: int32(from) - 1, x1: int32(x)})
				from = -1
			}
		}
	}
	return runs
}

// inside returns the components inside the outline f.shape, in box, whose pixels differ from ground
// by more than limit. It returns nil if they may be the counters of a letter. If whole is set, box
// is a whole component. Otherwise it may be one of several letters that touch, whose counters may
// be small.
func (f *filled) inside(box image.Rectangle, ground pixel, limit int, whole bool) []component {
	runs := where(box, func(x, y int) bool {
		return f.shape.holds(x-box.Min.X, y-box.Min.Y) && f.at(x, y).apart(ground) > limit
	})
	all := connect(f.ctx, runs)
	lookup := all.byLabel()
	var list, large []component
	highest := fillHighest
	if f.block {
		highest = blockHighest
	}
	for _, k := range all.list {
		k.y1++ // the last row belongs to it too
		if 100*k.height() > highest*box.Dy() {
			return nil
		}
		if 4*k.height() >= box.Dy() && k.height() >= minGlyphHeight {
			large = append(large, k)
		}
		list = append(list, k)
	}
	letters := len(large) > 2
	switch len(large) {
	case 1: // the counter of a D is convex
		k := large[0]
		f.shape.trace(&component{x0: k.x0, y0: k.y0, x1: k.x1, y1: k.y1 - 1}, runs, lookup(k.label))
		low, slim := len(list) == 1 && 100*k.height() <= fillLow*box.Dy(), box.Dx() >= box.Dy() && 100*k.width() < fillSlim*box.Dx()
		letters = !f.shape.convex() || whole && (low || slim || 10*box.Dx() > 12*box.Dy() && 100*k.width() < fillNarrow*box.Dx())
	case 2: // the counters of a B are above each other, and nothing else is inside
		apart := min(large[0].y1, large[1].y1) > max(large[0].y0, large[1].y0)
		if f.block { // the counters of a Z or an N are aslant; those of an I are high
			isHigh := 100*min(large[0].height(), large[1].height()) > fillHighest*box.Dy()
			apart = min(large[0].x1, large[1].x1) <= max(large[0].x0, large[1].x0) && !isHigh
		}
		// a 0 with a stroke has counters beside each other
		isNarrow := !f.block && 4*box.Dy() >= 5*box.Dx()
		letters = !isNarrow && (len(list) > 2 || apart && (whole || f.block || !f.areCounters(large, runs, lookup)))
	}
	if !letters || f.block && isOpen(large, box) {
		return nil
	}
	for i := range list {
		list[i].label = -1 // its runs are not in f.of
	}
	return list
}

// areCounters reports whether all components of a list are convex, as the counters of letters that
// touch are.
func (f *filled) areCounters(list []component, runs []run, lookup func(int32) []int32) bool {
	return !slices.ContainsFunc(list, func(k component) bool {
		f.shape.trace(&component{x0: k.x0, y0: k.y0, x1: k.x1, y1: k.y1 - 1}, runs, lookup(k.label))
		return !f.shape.convex()
	})
}

// isOpen reports whether most of the components reach the top, or most reach the bottom, of the
// box. An example is the spaces between the strokes of an m.
func isOpen(in []component, box image.Rectangle) bool {
	top, bottom := 0, 0
	for i := range in {
		if in[i].y0 <= box.Min.Y+blockOpen {
			top++
		}
		if in[i].y1 >= box.Max.Y-blockOpen {
			bottom++
		}
	}
	return 2*max(top, bottom) > len(in)
}
