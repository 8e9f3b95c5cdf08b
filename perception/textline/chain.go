package textline

import (
	"cmp"
	"encoding/binary"
	"image"
	"slices"
)

// pixel is a colour: red, green, blue.
type pixel [3]uint8

// apart is how far two colours differ in the channel that differs most.
func (p pixel) apart(q pixel) int {
	d := 0
	for i := range p {
		d = max(d, max(int(p[i])-int(q[i]), int(q[i])-int(p[i])))
	}
	return d
}

// chainer joins glyphs to lines.
type chainer struct {
	screen *image.NRGBA
	glyphs []component
	bg     []pixel // around each glyph
	parent []int32
}

const (
	sameGround = 40 // how far the colours around two glyphs of a line may differ
	bandHeight = 32 // of the rows of pixels that glyphs are looked up by
)

func (c *chainer) lines() []Line {
	slices.SortFunc(c.glyphs, func(a, b component) int { return cmp.Or(a.x0-b.x0, a.y0-b.y0) })
	c.bg = make([]pixel, len(c.glyphs))
	c.parent = make([]int32, len(c.glyphs))
	for i := range c.glyphs {
		c.bg[i] = c.ground(&c.glyphs[i])
	}
	all := make([]int, len(c.glyphs))
	for i := range all {
		all[i] = i
	}
	var phrases [][]int
	for _, g := range c.chains(all) {
		phrases = append(phrases, c.split(g)...)
	}
	c.attach(phrases)
	lines := make([]Line, 0, len(phrases))
	for _, p := range phrases {
		if len(p) > 0 {
			lines = append(lines, c.line(p))
		}
	}
	lines = withoutCounters(lines)
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(a.Box.Min.Y-b.Box.Min.Y, a.Box.Min.X-b.Box.Min.X)
	})
	return lines
}

func (c *chainer) at(x, y int) pixel {
	x, y = min(max(x, 0), c.screen.Rect.Dx()-1), min(max(y, 0), c.screen.Rect.Dy()-1)
	v := binary.LittleEndian.Uint32(c.screen.Pix[y*c.screen.Stride+4*x:])
	return pixel{uint8(v), uint8(v >> 8), uint8(v >> 16)}
}

// ground returns the colour of most points just outside of a glyph's box.
func (c *chainer) ground(g *component) pixel {
	x, y := (g.x0+g.x1)/2, (g.y0+g.y1)/2
	points := [...]pixel{
		c.at(x, g.y0-2), c.at(x, g.y1+1), c.at(g.x0-2, g.y0-2), c.at(g.x1+1, g.y0-2),
		c.at(g.x0-2, g.y1+1), c.at(g.x1+1, g.y1+1), c.at(g.x0-2, y), c.at(g.x1+1, y),
	}
	best, most := points[0], -1
	for _, p := range points {
		like := 0
		for _, q := range points {
			if p.apart(q) <= 8 {
				like++
			}
		}
		if like > most {
			best, most = p, like
		}
	}
	return best
}

func (c *chainer) root(i int32) int32 {
	for c.parent[i] != i {
		c.parent[i] = c.parent[c.parent[i]]
		i = c.parent[i]
	}
	return i
}

// chains returns chains of neighbouring glyphs, by their places from the left. Glyphs much higher
// than others, as an icon beside lines, get chains of their own.
func (c *chainer) chains(members []int) [][]int {
	c.link(members)
	groups := map[int32][]int{}
	var order []int32
	for _, i := range members {
		root := c.root(int32(i))
		if groups[root] == nil {
			order = append(order, root)
		}
		groups[root] = append(groups[root], i)
	}
	var out [][]int
	for _, root := range order {
		small, large := c.apart(groups[root])
		if len(large) == 0 {
			out = append(out, small)
			continue
		}
		out = append(append(out, c.chains(small)...), c.chains(large)...)
	}
	return out
}

// apart splits a chain into glyphs of common height and those much higher.
func (c *chainer) apart(chain []int) (small, large []int) {
	var heights []int
	for _, i := range chain {
		if h := c.glyphs[i].height(); h >= minGlyphHeight {
			heights = append(heights, h)
		}
	}
	if len(heights) < 2 {
		return chain, nil
	}
	slices.Sort(heights)
	limit := heights[(len(heights)-1)/2]*5/2 + 1
	if heights[len(heights)-1] <= limit {
		return chain, nil
	}
	for _, i := range chain {
		if c.glyphs[i].height() > limit {
			large = append(large, i)
		} else {
			small = append(small, i)
		}
	}
	return small, large
}

// link unites those of members that are neighbours on a line.
func (c *chainer) link(members []int) {
	bands := make([][]int32, c.screen.Rect.Dy()/bandHeight+1)
	for _, i := range members {
		c.parent[i] = int32(i)
		g := &c.glyphs[i]
		for b := g.y0 / bandHeight; b <= (g.y1-1)/bandHeight && b < len(bands); b++ {
			bands[b] = append(bands[b], int32(i))
		}
	}
	for _, band := range bands {
		for n, i := range band {
			a := &c.glyphs[i]
			reach := a.x1 + 2*a.height() + 8
			for _, j := range band[n+1:] {
				b := &c.glyphs[j]
				if b.x0 > reach {
					break
				}
				if c.neighbours(a, b) && c.bg[i].apart(c.bg[j]) <= sameGround {
					x, y := c.root(i), c.root(j)
					c.parent[max(x, y)] = min(x, y)
				}
			}
		}
	}
}

// neighbours reports whether b, not left of a, may be next to it on a line.
func (c *chainer) neighbours(a, b *component) bool {
	small, large := a, b
	if a.height() > b.height() {
		small, large = b, a
	}
	gap := b.x0 - a.x1
	if small.height()*100 >= large.height()*45 {
		overlap := min(a.y1, b.y1) - max(a.y0, b.y0)
		return 2*overlap >= small.height() && gap <= min(large.height(), 2*small.height())+2
	}
	// A dot, an accent, a dash or a comma.
	h := large.height()
	y := (small.y0 + small.y1) / 2
	reach := h/6 + 1
	if h <= 30 {
		reach = h * 3 / 5
	}
	return h >= 5 && h <= 7*small.height()+4 && gap <= reach && small.width() <= 2*h && y >= large.y0-h*2/5 && y <= large.y1+h/4
}
