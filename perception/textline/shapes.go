package textline

import (
	"image"
	"slices"
)

// Limits of what may be a glyph, in pixels.
const (
	maxGlyphHeight = 110
	maxGlyphWidth  = 900     // of letters that touch
	minGlyphHeight = 4       // less is a dot, an accent or a dash
	maxGlyphs      = 100_000 // more than the largest screen has when it is full of small text

	// An edge this straight is a rule, a frame or an underline, and no part of a glyph.
	ruleWidth  = 72
	ruleHeight = 64
)

// sortOut separates glyphs from what is no text.
func sortOut(runs []run) (glyphs []component, shapes []image.Rectangle) {
	all := connect(runs)
	frame := all.frames()
	kept := make([]run, 0, len(runs))
	for i, r := range runs {
		if !frame[all.label[i]] {
			kept = append(kept, r)
		}
	}
	for i, is := range frame {
		if is {
			shapes = append(shapes, all.list[i].box())
		}
	}
	rest := connect(withoutRules(kept))
	inner := rest.contents(make([]bool, len(rest.list)))
	for i, k := range rest.list {
		switch {
		case k.width() < 1 || k.height() < 1:
		case k.height() > maxGlyphHeight || k.width() > maxGlyphWidth || k.isRule() || k.isGrid(len(inner[int32(i)])):
			shapes = append(shapes, k.box())
		default:
			glyphs = append(glyphs, k)
		}
	}
	return withoutTexture(glyphs, runs), shapes
}

// Text puts no more glyphs into a tile, in pixels a side, than 5-pixel letters with
// dots, and leaves two pixels of five without an edge, unlike photographs and noise.
const (
	tileSize      = 64
	tileMaxGlyphs = 150
	tileMaxEdges  = tileSize * tileSize * 3 / 5
)

// withoutTexture leaves out the glyphs of full tiles, or all if more than maxGlyphs remain.
func withoutTexture(glyphs []component, runs []run) []component {
	type tile struct{ x, y int32 }
	edges, count := map[tile]int32{}, map[tile]int{}
	for _, r := range runs {
		for x := r.x0; x < r.x1; {
			end := min(r.x1, (x/tileSize+1)*tileSize)
			edges[tile{x / tileSize, r.y / tileSize}] += end - x
			x = end
		}
	}
	of := func(k *component) tile { return tile{int32(k.x0 / tileSize), int32(k.y0 / tileSize)} }
	for i := range glyphs {
		count[of(&glyphs[i])]++
	}
	kept := glyphs[:0]
	for _, k := range glyphs {
		if t := of(&k); count[t] <= tileMaxGlyphs && edges[t] <= tileMaxEdges {
			kept = append(kept, k)
		}
	}
	if len(kept) > maxGlyphs {
		return nil
	}
	return kept
}

func (k *component) box() image.Rectangle { return image.Rect(k.x0, k.y0, k.x1, k.y1) }

// frames returns which components are rules or frames, round ones included.
func (c *components) frames() []bool {
	is := make([]bool, len(c.list))
	for i := range c.list {
		k := &c.list[i]
		is[i] = k.isRule() || k.isFrame()
	}
	c.findPills(is)
	return is
}

func (k *component) isRule() bool {
	w, h := k.width(), k.height()
	return w > 24 && h <= 4 || h > 28 && w <= 4 || w > 40*h
}

// isFrame reports whether the component runs along all sides of its box, about as long on opposite
// ones (unlike a D): a button, a card, a border.
func (k *component) isFrame() bool {
	straight := func(a, b, side int) bool {
		return side >= 12 && min(a, b)*100 >= side*66 && max(a, b)-min(a, b) <= max(2, side/8)
	}
	w, h := k.width(), k.height()
	empty := max(w, h) > 40 || k.edges <= 5*(w+h) // unlike a B
	return empty && straight(k.top, k.bottom, w) && straight(k.left.longest, k.right.longest, h)
}

// isGrid reports whether the component is thin lines around others, as in a chart.
func (k *component) isGrid(inside int) bool {
	return inside >= 2 && k.edges*6 < k.width()*k.height()
}

// findPills marks rounded buttons and badges: convex outlines around others. A
// letter may be convex too, but holds at most two others, which are convex.
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

// contents returns the components, large enough for a glyph, in each other one.
func (c *components) contents(shape []bool) map[int32][]int32 {
	bands := map[int][]int32{} // outer ones by what rows of pixels they cross
	for i := range c.list {
		if k := &c.list[i]; !shape[i] && k.width() >= 12 && k.height() >= 12 && k.height() <= maxGlyphHeight {
			for b := k.y0 / bandHeight; b <= k.y1/bandHeight; b++ {
				bands[b] = append(bands[b], int32(i))
			}
		}
	}
	found := map[int32][]int32{}
	for i := range c.list {
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

// outline is how far each row and column of a component reaches.
type outline struct{ left, right, top, bottom []int }

func (o *outline) trace(k *component, runs []run, members []int32) {
	w, h := k.width()+1, k.height()+1 // with the edges to the left and above
	o.left, o.right = filled(o.left, h, w), filled(o.right, h, w)
	o.top, o.bottom = filled(o.top, w, h), filled(o.bottom, w, h)
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

func filled(s []int, n, value int) []int {
	s = s[:0]
	for range n {
		s = append(s, value)
	}
	return s
}

func (o *outline) convex() bool {
	return valley(o.left) && valley(o.right) && valley(o.top) && valley(o.bottom)
}

// valley reports whether values only fall and then only rise, but for a pixel.
func valley(values []int) bool {
	i := 1
	lowest := values[0]
	for ; i < len(values) && values[i] <= lowest+1; i++ {
		lowest = min(lowest, values[i])
	}
	highest := 0
	for ; i < len(values); i++ {
		if values[i] < highest-1 {
			return false
		}
		highest = max(highest, values[i])
	}
	return true
}
