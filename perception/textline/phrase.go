package textline

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// split cuts a group of glyphs into phrases: at each gap that is too wide for a space of the line,
// and where the letter size changes.
func (c *chainer) split(group []int) [][]int {
	words := c.words(group)
	typical := typicalGap(words)
	var out [][]int
	var phrase []int
	for i, w := range words {
		if i > 0 {
			h := min(w.height, words[i-1].height)
			if w.gap > min(max(typical*8/5, h*3/4), h*5/4) || c.otherSize(words[i-1].glyphs, w.glyphs) {
				out, phrase = append(out, phrase), nil
			}
		}
		phrase = append(phrase, w.glyphs...)
	}
	return append(out, phrase)
}

// otherSize reports whether a word has another letter size than the word before it on the same
// baseline, for example a unit after a large number.
func (c *chainer) otherSize(before, word []int) bool {
	a, b := c.rise(before), c.rise(word)
	if a.Dy() > b.Dy() {
		a, b = b, a
	}
	return 10*a.Dx() >= 13*a.Dy() && a.Dy() > minGlyphHeight && 10*b.Dy() >= 17*a.Dy() && 6*geo.Abs(a.Max.Y-b.Max.Y) <= a.Dy()
}

// rise returns the box of glyphs from their tops down to the baseline, which is where most of them
// end. The box excludes descenders.
func (c *chainer) rise(glyphs []int) image.Rectangle {
	box := c.extent(glyphs, 0).Rectangle
	ends := make([]int, 0, len(glyphs))
	for _, i := range glyphs {
		if g := &c.glyphs[i]; 3*g.height() >= box.Dy() {
			ends = append(ends, g.y1)
		}
	}
	if len(ends) > 0 {
		slices.Sort(ends)
		box.Max.Y = ends[(len(ends)-1)/2]
	}
	return box
}

// chunk is glyphs with narrow gaps between them: a word or an icon.
type chunk struct {
	glyphs []int
	gap    int // pixels between it and the chunk before it
	height int // pixels; the height of its letters
}

// words cuts a group at each gap that is wider than a gap between letters.
func (c *chainer) words(group []int) []chunk {
	var list []chunk
	tallest := 0
	for _, g := range group {
		tallest = max(tallest, c.glyphs[g].height())
	}
	end := c.glyphs[group[0]].x1
	for i, g := range group {
		gap := c.glyphs[g].x0 - end
		if i == 0 || 4*gap > min(tallest, 24) {
			list = append(list, chunk{gap: gap})
		}
		w := &list[len(list)-1]
		w.glyphs = append(w.glyphs, g)
		end = max(end, c.glyphs[g].x1)
	}
	for i := range list {
		e := c.extent(list[i].glyphs, 0)
		highest := 0
		for _, g := range list[i].glyphs {
			highest = max(highest, c.glyphs[g].height())
		}
		list[i].height = max(e.Dy()*3/5, highest)
		comma := 20*list[i].height <= 11*tallest && e.Dx() <= e.Dy()
		// a colon is as high as small letters, but consists of low dots
		colon := 100*highest <= markPart*tallest && e.Dx() <= e.Dy()
		// a mark has no letter height of its own
		if comma || colon || 2*list[i].height < tallest || list[i].height <= minGlyphHeight {
			list[i].height = tallest
		}
	}
	return list
}

// typicalGap returns the median gap between words in pixels. It returns 0 for fewer than four
// words, because their gaps prove nothing.
func typicalGap(words []chunk) int {
	if len(words) < 4 {
		return 0
	}
	gaps := make([]int, 0, len(words)-1)
	for _, w := range words[1:] {
		gaps = append(gaps, w.gap)
	}
	slices.Sort(gaps)
	return gaps[(len(gaps)-1)/2]
}

// extent is the box of a phrase, with the index of the phrase.
type extent struct {
	image.Rectangle
	phrase int
}

// extent returns the box of a phrase's glyphs, with n as the index of the phrase.
func (c *chainer) extent(phrase []int, n int) extent {
	e := extent{phrase: n}
	for _, g := range phrase {
		e.Rectangle = e.Union(c.glyphs[g].box())
	}
	return e
}

// attach moves small phrases, such as dots and accents, into the phrase beside them. It sets a
// moved phrase to nil.
func (c *chainer) attach(phrases [][]int) {
	cells := map[cell][]extent{}
	extents := make([]extent, len(phrases))
	for n, p := range phrases {
		e := c.extent(p, n)
		extents[n] = e
		if e.Dy() < 2*minGlyphHeight {
			continue // nothing is small beside it
		}
		// with room for dots and accents around it
		e.Rectangle = geo.Pad(e.Rectangle, e.Dy()/2, e.Dy()/3)
		for x := e.Min.X / cellWidth; x <= e.Max.X/cellWidth; x++ {
			for y := e.Min.Y / bandHeight; y <= e.Max.Y/bandHeight; y++ {
				cells[cell{x, y}] = append(cells[cell{x, y}], e)
			}
		}
	}
	for n, e := range extents {
		if n%checkEvery == 0 && c.ctx.Err() != nil {
			return
		}
		if e.Dx() > 6*e.Dy() {
			continue // too long for a dash
		}
		if home := c.nearest(cells, phrases, e); home >= 0 {
			phrases[home] = append(phrases[home], phrases[n]...)
			phrases[n] = nil
		}
	}
}

// isText reports whether a phrase consists of letters by itself, for example a label beside a
// picture. Such a phrase is wide and has more strokes than a dash or dots.
func (c *chainer) isText(phrase []int, e extent) bool {
	edges := 0
	for _, i := range phrase {
		edges += int(c.glyphs[i].edges)
	}
	return e.Dy() > minGlyphHeight && 3*e.Dx() >= 4*e.Dy() && edges >= 3*(e.Dx()+e.Dy())
}

// isPicture reports whether one glyph fills at least half of a phrase's width and is either about
// as wide as high, or far higher than wide, for example the edge of a margin.
func (c *chainer) isPicture(phrase []int) bool {
	width := c.extent(phrase, 0).Dx()
	return slices.ContainsFunc(phrase, func(i int) bool {
		g := &c.glyphs[i]
		return 2*g.width() >= width && (10*g.width() >= 6*g.height() || 3*g.width() <= g.height())
	})
}

// cell is a square of the screen. attach finds phrases by the cells that they cover.
type cell struct{ x, y int }

const cellWidth = 256 // pixels

// nearest returns the index of the phrase around e that is large enough for e to be its mark, or
// -1.
func (c *chainer) nearest(cells map[cell][]extent, phrases [][]int, e extent) int {
	m := geo.Center(e.Rectangle)
	ground := c.bg[phrases[e.phrase][0]]
	best, distance := -1, 1<<30
	text := c.isText(phrases[e.phrase], e)
	for _, p := range cells[cell{m.X / cellWidth, m.Y / bandHeight}] {
		h := p.Dy() * 3 / 5 // the unpadded height: the padding adds a third on each side
		if p.phrase == e.phrase || !m.In(p.Rectangle) || e.Dy()*100 > h*45 {
			continue
		}
		if home := phrases[p.phrase]; len(home) == 0 || c.bg[home[0]].apart(ground) > sameGround || text && c.isPicture(home) {
			continue
		}
		if d := geo.Abs(m.Y - geo.Center(p.Rectangle).Y); d < distance {
			best, distance = p.phrase, d
		}
	}
	return best
}

// withoutCounters removes lines that consist of one glyph inside another glyph: the counter of a
// letter, for example the inside of an O.
func withoutCounters(lines []Line) []Line {
	// glyphs that may have a counter, by the bands of rows that they cross
	bands := map[int][]image.Rectangle{}
	for _, l := range lines {
		for _, g := range l.Glyphs {
			for b := g.Min.Y / bandHeight; len(l.Glyphs) > 1 && g.Dy() >= 2*minGlyphHeight && b <= g.Max.Y/bandHeight; b++ {
				bands[b] = append(bands[b], g.Inset(1))
			}
		}
	}
	return slices.DeleteFunc(lines, func(l Line) bool {
		return len(l.Glyphs) == 1 && slices.ContainsFunc(bands[l.Box.Min.Y/bandHeight], func(g image.Rectangle) bool {
			return l.Box.In(g) && 4*l.Box.Dy() >= g.Dy()
		})
	})
}

// line makes a line of the glyphs of a phrase. If the grounds of neighbouring glyphs differ, as in
// a soft shadow, all glyphs get the ground around the whole line. Otherwise the ground of one
// letter would be ink beside the next.
func (c *chainer) line(phrase []int) Line {
	c.sort(phrase)
	var l Line
	shadow := false
	for n, i := range phrase {
		r := c.glyphs[i].box()
		l.Glyphs = append(l.Glyphs, r)
		l.grounding = append(l.grounding, c.bg[i])
		l.Box = l.Box.Union(r)
		shadow = shadow || n > 0 && c.bg[i].apart(c.bg[phrase[n-1]]) > sameGround
	}
	if shadow {
		ground := c.ground(&component{x0: l.Box.Min.X, y0: l.Box.Min.Y, x1: l.Box.Max.X, y1: l.Box.Max.Y})
		for i := range l.grounding {
			l.grounding[i] = ground
		}
	}
	return l
}
