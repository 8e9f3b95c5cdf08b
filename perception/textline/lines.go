package textline

import (
	"cmp"
	"slices"

	"github.com/windieos/windie/internal/fair"
)

// lines joins the glyphs to lines, sorted by top and then by left. It returns nil if ctx ends
// before it knows the grounds of the glyphs.
func (c *chainer) lines() []Line {
	c.bg = make([]pixel, len(c.glyphs))
	c.parent = make([]int32, len(c.glyphs))
	all := make([]int, len(c.glyphs))
	// Find returns the error of ctx
	_ = fair.Each(c.ctx, (len(all)+groundGlyphs-1)/groundGlyphs, func(n int) {
		for i := n * groundGlyphs; i < min(len(all), (n+1)*groundGlyphs); i++ {
			all[i], c.bg[i] = i, c.ground(&c.glyphs[i])
		}
	})
	if c.ctx.Err() != nil {
		return nil
	}
	c.sort(all)
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

// chains returns chains of neighbouring glyphs, each sorted from left to right. Glyphs that are
// much higher than others, such as an icon beside two lines, get chains of their own.
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
		if pieces := c.replace(nil, large, c.cutWords); pieces != nil {
			pieces = append(small, pieces...)
			c.sort(pieces)
			out = append(out, c.chains(pieces)...)
		} else if len(large) > 0 {
			out = append(append(out, c.chains(small)...), c.chains(large)...)
		} else if lines := c.unstack(small); lines != nil {
			out = append(out, c.chains(lines)...)
		} else if lines, bridges := c.unbridge(small); lines != nil {
			out = append(append(out, c.chains(lines)...), c.chains(bridges)...)
		} else if rows := c.unrow(small); rows != nil {
			for _, row := range rows {
				out = append(out, c.chains(row)...)
			}
		} else if line, below := c.unhang(small); line != nil {
			out = append(append(out, c.chains(line)...), c.chains(below)...)
		} else {
			out = append(out, small)
		}
	}
	return out
}
