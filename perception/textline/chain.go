package textline

import (
	"cmp"
	"encoding/binary"
	"image"
	"slices"
)

// chainer joins the glyphs of a band to lines.
type chainer struct {
	screen *image.NRGBA
	glyphs []component
	bg     []pixel // the colour of the ground around each glyph
}

const (
	sameGround = 40 // maximum difference of the grounds of two glyphs in a line, 0 to 255
	softGround = 80 // the same in a soft shadow
	softTouch  = 2  // maximum overlap, in pixels, of glyphs without an edge between them
	softRows   = 3  // rows in which onOneGround compares the ground between two glyphs
)

// sort orders glyphs from the left.
func (c *chainer) sort(list []int) {
	slices.SortFunc(list, func(i, j int) int {
		a, b := &c.glyphs[i], &c.glyphs[j]
		return cmp.Or(a.x0-b.x0, a.y0-b.y0, i-j)
	})
}

// at returns the colour of a pixel. Outside of the screen it returns the colour of the nearest
// pixel of the screen.
func (c *chainer) at(x, y int) pixel {
	x, y = min(max(x, 0), c.screen.Rect.Dx()-1), min(max(y, 0), c.screen.Rect.Dy()-1)
	v := binary.LittleEndian.Uint32(c.screen.Pix[y*c.screen.Stride+4*x:])
	return pixel{uint8(v), uint8(v >> 8), uint8(v >> 16)}
}

// ground returns the commonest colour of 16 points at most two pixels outside of a glyph's box.
// Points further away may belong to neighbours, such as the lines of a table.
func (c *chainer) ground(g *component) pixel {
	x, y := (g.x0+g.x1)/2, (g.y0+g.y1)/2
	points := make([]pixel, 0, 16)
	for d := range 2 {
		left, right, top, bottom := g.x0-1-d, g.x1+d, g.y0-1-d, g.y1+d
		points = append(points, c.at(x, top), c.at(x, bottom), c.at(left, top), c.at(right, top),
			c.at(left, bottom), c.at(right, bottom), c.at(left, y), c.at(right, y))
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

// onOneGround reports whether glyphs i and j are on one ground. j must not be left of i. The ground
// is one if the colours around both hardly differ. A soft shadow is darker below one letter than
// beside the next, so there the ground is one if no edge is between the glyphs.
func (c *chainer) onOneGround(i, j int) bool {
	if apart := c.bg[i].apart(c.bg[j]); apart <= sameGround || apart > softGround {
		return apart <= sameGround
	}
	a, b := &c.glyphs[i], &c.glyphs[j]
	top, bottom := max(a.y0, b.y0), min(a.y1, b.y1)
	if gap := b.x0 - a.x1; 2*(bottom-top) < max(a.height(), b.height()) || gap > bottom-top {
		return false // no letters beside each other
	} else if gap <= 0 {
		return gap >= -softTouch
	}
	for n := range softRows {
		y := top + (2*n+1)*(bottom-top)/(2*softRows)
		if c.at(a.x1, y).apart(c.at(b.x0-1, y)) > threshold {
			return false
		}
	}
	return true
}

// line makes a line of glyphs from the left. If the grounds of neighbouring glyphs differ, as in
// a soft shadow, all glyphs get the ground around the whole line. Otherwise the ground of one
// letter would be ink beside the next.
func (c *chainer) line(glyphs []int) Line {
	var l Line
	shadow := false
	for n, i := range glyphs {
		r := c.glyphs[i].box()
		l.Glyphs = append(l.Glyphs, r)
		l.grounding = append(l.grounding, c.bg[i])
		l.Box = l.Box.Union(r)
		shadow = shadow || n > 0 && c.bg[i].apart(c.bg[glyphs[n-1]]) > sameGround
	}
	if shadow {
		ground := c.ground(&component{x0: l.Box.Min.X, y0: l.Box.Min.Y, x1: l.Box.Max.X, y1: l.Box.Max.Y})
		for i := range l.grounding {
			l.grounding[i] = ground
		}
	}
	return l
}
