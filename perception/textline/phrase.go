package textline

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// markPart is the maximum height of a mark, in percent of the height of the glyph beside it.
const markPart = 45

// split cuts a group of glyphs into phrases: at each gap that is too wide for a space of the line,
// where the letter size changes, and beside icons.
func (c *chainer) split(group []int) [][]int {
	words := c.words(group)
	typical := typicalGap(words)
	var out [][]int
	var phrase []int
	for i, w := range words {
		if i > 0 {
			h := min(w.height, words[i-1].height)
			if w.gap > min(max(typical*8/5, h*3/4), h*5/4) || c.otherSize(words[i-1].glyphs, w.glyphs) || c.isIcon(words[i-1].glyphs, w.glyphs) || c.isIcon(w.glyphs, words[i-1].glyphs) {
				out, phrase = append(out, phrase), nil
			}
		}
		phrase = append(phrase, w.glyphs...)
	}
	return append(out, phrase)
}

// otherSize reports whether a word has another letter size than the word before it on the same
// baseline, for example a unit after a large number. What is at most a third as high is a mark, such as
// the dots of an ellipsis.
func (c *chainer) otherSize(before, word []int) bool {
	a, b := c.rise(before), c.rise(word)
	if a.Dy() > b.Dy() {
		a, b = b, a
	}
	return 10*a.Dx() >= 13*a.Dy() && a.Dy() > minGlyphHeight && 10*b.Dy() >= 17*a.Dy() && 3*a.Dy() > b.Dy() && 6*geo.Abs(a.Max.Y-b.Max.Y) <= a.Dy()
}

// isIcon reports whether a word is about as wide as high and extends both above and below the letters of
// the word beside it, such as an icon or a check box.
func (c *chainer) isIcon(word, beside []int) bool {
	own, letters := c.extent(word), c.rise(beside)
	margin := letters.Dy() / 8
	return 2*letters.Dy() >= own.Dy() && own.Min.Y < letters.Min.Y-margin && own.Max.Y > letters.Max.Y+margin && 5*own.Dx() >= 3*own.Dy() && 4*own.Dx() <= 5*own.Dy()
}

// rise returns the box of glyphs from their tops down to the baseline, which is where most of them
// end. The box excludes descenders.
func (c *chainer) rise(glyphs []int) image.Rectangle {
	box := c.extent(glyphs)
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
		e := c.extent(list[i].glyphs)
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

// extent returns the box of glyphs.
func (c *chainer) extent(glyphs []int) (box image.Rectangle) {
	for _, g := range glyphs {
		box = box.Union(c.glyphs[g].box())
	}
	return box
}
