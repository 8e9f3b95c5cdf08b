package textline

import (
	"cmp"
	"context"
	"encoding/binary"
	"image"
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// chainer joins glyphs to lines.
type chainer struct {
	ctx    context.Context
	screen *image.NRGBA
	sorted
	bg      []pixel // the colour of the ground around each glyph
	parent  []int32
	members func(label int32) []int32 // the runs of a component, found at first use; see stack.go
}

const (
	sameGround = 40 // maximum difference of the grounds of two glyphs in a line, 0 to 255
	softGround = 80 // the same in a soft shadow
	softTouch  = 2  // maximum overlap, in pixels, of glyphs without an edge between them
	softRows   = 3  // rows in which onOneGround compares the ground between two glyphs
	bandHeight = 32 // rows of pixels in a band; glyphs are found by their bands
	markReach  = 8  // rows above and below a mark in which link looks for its glyph

	groundGlyphs = 256 // glyphs whose grounds one task finds
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

// root returns the index of the glyph that represents the line of glyph i. It shortens the path to
// it, so later calls are faster.
func (c *chainer) root(i int32) int32 {
	for c.parent[i] != i {
		c.parent[i] = c.parent[c.parent[i]]
		i = c.parent[i]
	}
	return i
}

// twoLetters is the maximum height of two letters that touch, one above the other, in fifths of the
// height of small letters. The upper one has a descender.
const twoLetters = 14

// smallText is the letter height in pixels below which letters that touch, one with a descender,
// may be more than twice as high as others.
const smallText = 8

// apart splits a chain into glyphs of common height and those that are much higher, such as icons
// and the sides of boxes. small is never empty.
func (c *chainer) apart(chain []int) (small, large []int) {
	typical, written := c.typicalHeight(chain), c.writtenHeight(chain)
	for _, i := range chain {
		g := &c.glyphs[i]
		stroke := g.isStroke() && 10*g.height() > 22*typical // longer than a bar, such as |
		picture := 10*g.width() >= 6*g.height() && g.height() > 2*written+max(0, smallText-written)
		if stroke || picture || 5*g.height() > twoLetters*written || 5*g.height() > twoLetters*typical+5 {
			large = append(large, i)
		} else {
			small = append(small, i)
		}
	}
	if len(small) == 0 {
		return large, nil
	}
	return small, large
}

// writtenHeight returns the height of the letters: half of the chain's width is at most this high.
// It weighs by width because words whose letters touch are wide. Marks and thin dashes do not
// count. Without other glyphs it returns maxGlyphHeight.
func (c *chainer) writtenHeight(chain []int) int {
	list, all := make([]*component, 0, len(chain)), 0
	for _, i := range chain {
		if g := &c.glyphs[i]; g.height() >= minGlyphHeight && !g.isDash() || g.height() > 2*minGlyphHeight {
			list, all = append(list, g), all+g.width()
		}
	}
	slices.SortFunc(list, func(a, b *component) int { return a.height() - b.height() })
	sum := 0
	for _, g := range list {
		if sum += g.width(); 2*sum >= all {
			return g.height()
		}
	}
	return maxGlyphHeight
}

// link unites the members that are neighbours on a line. members must be sorted from the left.
func (c *chainer) link(members []int) {
	bands := make([][]int32, c.screen.Rect.Dy()/bandHeight+1)
	for _, i := range members {
		c.parent[i] = int32(i)
		g := &c.glyphs[i]
		above, below := g.y0, g.y1-1
		if g.height() < minGlyphHeight { // a mark may be completely above or below its glyph
			above, below = max(0, above-markReach), below+markReach
		}
		for b := above / bandHeight; b <= below/bandHeight && b < len(bands); b++ {
			bands[b] = append(bands[b], int32(i))
		}
	}
	var marks, rows []pair
	beside := map[int32]*component{} // by glyphs that may be marks: the glyph on the same line
	for _, band := range bands {
		if c.ctx.Err() != nil {
			return
		}
		for n, i := range band {
			a := &c.glyphs[i]
			reach := a.x1 + 2*a.height() + 8
			for _, j := range band[n+1:] {
				b := &c.glyphs[j]
				if b.x0 > reach {
					break
				}
				near, row := c.neighbours(a, b), isRowOfMarks(a, b)
				if !near && !row || !c.onOneGround(i, j) || c.rules.part(a.box(), b.box()) {
					continue
				}
				if row {
					rows = append(rows, pair{i, j})
				}
				if !near {
					continue
				}
				switch {
				case isMark(a, b):
					marks = append(marks, pair{i, j})
				case isMark(b, a):
					marks = append(marks, pair{j, i})
				default:
					c.unite(i, j)
					if small, large := c.isSmallBeside(i, j); large != nil {
						beside[small] = large
					}
				}
			}
		}
	}
	c.linkMarks(marks, beside)
	if len(rows) <= max(rowsEach*len(members), fewRows) { // more rows of marks are texture
		c.linkRows(rows, beside)
	}
}

// onOneGround reports whether glyphs i and j are on one ground. j must not be left of i. The ground
// is one if the colours around both hardly differ. A soft shadow is darker below one letter than
// beside the next, so there the ground is one if no edge is between the glyphs.
func (c *chainer) onOneGround(i, j int32) bool {
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

// isSmallBeside returns the smaller of two glyphs on a line if it may be a mark for higher letters,
// such as a comma beside a small letter, and the larger one. large is nil if it cannot be a mark.
func (c *chainer) isSmallBeside(i, j int32) (small int32, large *component) {
	if c.glyphs[i].height() > c.glyphs[j].height() {
		i, j = j, i
	}
	m, g := &c.glyphs[i], &c.glyphs[j]
	if 2*m.width() > m.height() || 4*m.height() > 3*g.height() || 2*m.y0 < g.y0+g.y1 {
		return i, nil
	}
	return i, g
}

// unite puts glyphs i and j, and the glyphs united with each, on one line.
func (c *chainer) unite(i, j int32) {
	x, y := c.root(i), c.root(j)
	c.parent[max(x, y)] = min(x, y)
}

// The maximum height of a mark, in percent of the height of the glyph beside it. raisedPart applies
// to a mark that is mostly above or below the rows of that glyph, such as a quote beside a small
// letter.
const (
	markPart   = 45
	raisedPart = 75
)

// isMark reports whether a would be a mark on a line with b.
func isMark(a, b *component) bool {
	part, overlap := 100*a.height(), min(a.y1, b.y1)-max(a.y0, b.y0)
	return part < markPart*b.height() || part < raisedPart*b.height() && 2*overlap < a.height()
}

// pair is a mark and a glyph that may be on its line, as indices of glyphs. A mark is a dot, an
// accent, a dash or a comma. In a row of marks, both are marks.
type pair struct{ mark, glyph int32 }

// belowCosts is the number of pixels that linkMarks adds to the distance of a mark right below a
// glyph. Such a mark mostly belongs to the next line, above one of its letters.
const belowCosts = 4

// linkMarks unites marks with their neighbours on one line: the line of the glyph that beside has
// for the mark, or else of the nearest glyph. It adds the nearest glyph of each other mark to
// beside.
func (c *chainer) linkMarks(list []pair, beside map[int32]*component) {
	away := func(p pair) int { // vertical distance, with belowCosts; horizontal distance breaks ties
		m, g := &c.glyphs[p.mark], &c.glyphs[p.glyph]
		y, aside, below := (m.y0+m.y1)/2, max(g.x0-m.x1, m.x0-g.x1, 0), 0
		if m.y0 >= g.y1 && aside == 0 {
			below = belowCosts
		}
		return (max(g.y0-y, y-g.y1, 0)+min(aside, 2)+below)<<16 + aside
	}
	slices.SortFunc(list, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.mark, b.mark), away(a)-away(b), cmp.Compare(a.glyph, b.glyph))
	})
	level := map[int32]bool{} // rows of marks of which at least one is not above its glyph
	for _, p := range list {
		if beside[p.mark] == nil {
			beside[p.mark] = &c.glyphs[p.glyph]
			level[c.root(p.mark)] = level[c.root(p.mark)] || !c.isAbove(p)
		}
	}
	row := map[int32]int32{} // the row of each mark, before a mark is united with a line
	for _, p := range list {
		row[p.mark] = c.root(p.mark)
	}
	for _, p := range list {
		if c.isAbove(p) && level[row[p.mark]] {
			continue // a dot of the row behind a word, and no accent
		}
		g, nearest := &c.glyphs[p.glyph], beside[p.mark]
		if 2*(min(g.y1, nearest.y1)-max(g.y0, nearest.y0)) >= min(g.height(), nearest.height()) {
			c.unite(p.mark, p.glyph)
		}
	}
}

// isAbove reports whether a mark is above its glyph, as an accent is. A quote beside a small letter
// is not.
func (c *chainer) isAbove(p pair) bool {
	m, g := &c.glyphs[p.mark], &c.glyphs[p.glyph]
	isOver := m.x0 < g.x1 && g.x0 < m.x1 || m.y1 <= g.y0
	return isOver && m.y0+m.y1 < 2*g.y0
}

// isRowOfMarks reports whether a and b may be marks that follow each other, such as =" or ___. b
// must not be left of a.
func isRowOfMarks(a, b *component) bool {
	if max(a.height(), b.height()) > maxMark || b.x0 < a.x1 {
		return false
	}
	reach := 3*max(a.width(), a.height(), b.width(), b.height()) + 6
	return b.x0-a.x1 <= min(reach, maxMark) && geo.Abs(a.y0+a.y1-b.y0-b.y1) <= 2*reach
}

// maxMark is the maximum height of a mark that follows another mark, and their maximum distance, in
// pixels.
const maxMark = 24

// rowsEach is the maximum number of pairs of marks for each glyph in a text. Terminals and editors
// have 3 to 5; texture has more.
const rowsEach = 8

// fewRows is the number of pairs of marks that any text may have. rowsEach applies only to more pairs.
const fewRows = 500

// linkRows unites marks that follow each other with the glyph beside one of them. It starts at the
// mark nearest to the glyph, first to the right and then to the left.
func (c *chainer) linkRows(rows []pair, beside map[int32]*component) {
	follow := func(from, to int32) {
		g, m, last := beside[from], &c.glyphs[to], &c.glyphs[from]
		if g == nil || !isMark(m, g) {
			return
		}
		if o := beside[to]; o != nil {
			small, large := min(g.height(), o.height()), max(g.height(), o.height())
			if 2*(min(g.y1, o.y1)-max(g.y0, o.y0)) < small || 10*large > 19*small {
				return // on another line, or not a letter but, for example, a caret
			}
		}
		gap := max(m.x0-last.x1, last.x0-m.x1)
		if gap <= g.height() && isBeside(m, g) {
			if beside[to] == nil {
				beside[to] = g
			}
			c.unite(from, to)
		}
	}
	slices.SortFunc(rows, func(a, b pair) int { return c.glyphs[a.glyph].x0 - c.glyphs[b.glyph].x0 })
	for _, p := range rows {
		follow(p.mark, p.glyph)
	}
	slices.SortFunc(rows, func(a, b pair) int { return c.glyphs[b.mark].x0 - c.glyphs[a.mark].x0 })
	for _, p := range rows {
		follow(p.glyph, p.mark)
	}
}

// isDash reports whether a component is at least twice as wide as high, and not a word.
func (k *component) isDash() bool { return k.width() >= 2*k.height() && !k.isWord() }

// isWord reports whether a glyph consists of several letters that touch: as wide as a dash, but
// with more strokes, and higher than most dashes. A large dash is as high, but straight above and
// below.
func (k *component) isWord() bool {
	return k.height() >= wordHeight && k.width() >= 2*k.height() && int(k.edges) >= wordEdges*(k.width()+k.height()) && !k.isBar()
}

// isBar reports whether the top and the bottom of a component are straight for at least 80 percent
// of its width.
func (k *component) isBar() bool { return 5*int(min(k.top, k.bottom)) >= 4*k.width() }

const (
	wordHeight = 8 // minimum pixels of a word's height; a dash this high belongs to letters ten times as high
	// minimum pixels of edges for each pixel of width and height; a dash has two, or four when
	// blurred
	wordEdges = 4
)

// isDot reports whether a mark has the shape of a full stop or a comma.
func (k *component) isDot() bool {
	return k.height() >= 2 && k.width() >= 2 && k.width() <= k.height()+1
}

// isStroke reports whether a component is at least eight times as high as wide, such as | or the
// side of a frame.
func (k *component) isStroke() bool { return 8*k.width() <= k.height() }

// neighbours reports whether b may be next to a on a line. b must not be left of a.
func (c *chainer) neighbours(a, b *component) bool {
	small, large := a, b
	if a.height() > b.height() {
		small, large = b, a
	}
	gap := b.x0 - a.x1
	if !isMark(small, large) {
		overlap := min(a.y1, b.y1) - max(a.y0, b.y0)
		reach := min(large.height(), 2*small.height()) + 2
		if a.isDash() && b.isDash() {
			reach = max(a.width(), b.width()) + 2 // as far as letters of their width
		}
		return 2*overlap >= small.height() && gap <= reach
	}
	// A dot, an accent, a dash or a comma.
	h := large.height()
	reach := (3*h + 4) / 5
	if small.isDot() && 3*(small.y0+small.y1-2*large.y0) >= 4*h {
		reach = h // in a typeface with wide cells
	}
	thin := 7*small.height() + 4
	if isAside(small, large) && small.y0 >= large.y1 && 2*small.width() >= h {
		thin = 11*small.height() + 4 // an underscore is thinner than any other mark
	}
	return h >= 5 && h <= thin && gap <= reach && isBeside(small, large)
}

// isAside reports whether a mark is a dash to the left or right of a glyph, such as an underscore,
// and not a line under it.
func isAside(mark, glyph *component) bool {
	return mark.isDash() && max(mark.x0-glyph.x1, glyph.x0-mark.x1) >= -1
}

// isBeside reports whether a mark may be on a line with a glyph, by its width and its vertical position.
func isBeside(mark, glyph *component) bool {
	h, y := glyph.height(), (mark.y0+mark.y1)/2
	widest, low := 2*h, glyph.y1+h/4
	if isAside(mark, glyph) {
		widest, low = 3*h, low+h/4
	}
	if mark.isWord() && (y < glyph.y0 || y >= glyph.y1) {
		return false // a label below a picture
	}
	return mark.width() <= widest && y >= glyph.y0-h*2/5 && y <= low
}
