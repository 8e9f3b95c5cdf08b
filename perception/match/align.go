package match

import "slices"

// comparison finds out whether a text that was read is one that was asked for, but for what readers
// and typists do. Its memory is used again.
//
// The glyphs of both are aligned, white space aside. What differs is judged by the run, a word or a
// number, that was asked for and what was read in its place.
type comparison struct {
	asked, read []glyph
	links       []int // for each glyph read, the one asked for; -1 for none
	owners      []int // for each glyph read, the run asked for that it is read for, or none
	edits       []edit
	costs       []int32
}

// edit is a difference at a glyph that was asked for, of one that was read, or both.
type edit struct {
	kind        kind
	asked, read int
}

type kind uint8

const (
	changed   kind = iota
	lookalike      // changed to a look-alike
	swapped        // with the one beside
	left           // out of what was read
	added          // to what was read
	kindsOfEdits
)

// What differences cost in an alignment: the least is the likeliest.
const (
	costAlike   = 2
	costMark    = 2 // left out or added
	costSwapped = 3
	costLetter  = 4 // changed, left out or added
	costNever   = 9 // a letter for a mark: dearer than one left out and one added
)

// maxAligned is the largest table of an alignment: two texts of 256 characters that differ at both
// ends. What is larger is not compared, and no slip.
const maxAligned = 1 << 16

// align fills links and edits, or reports false if there is too much to align.
func (c *comparison) align() bool {
	asked, read := c.asked, c.read
	from := 0
	for from < min(len(asked), len(read)) && asked[from].same(read[from]) {
		c.links[from] = from
		from++
	}
	rest := 0 // that is the same at the end
	for rest < min(len(asked), len(read))-from && asked[len(asked)-1-rest].same(read[len(read)-1-rest]) {
		rest++
		c.links[len(read)-rest] = len(asked) - rest
	}
	asked, read = asked[from:len(asked)-rest], read[from:len(read)-rest]
	if (len(asked)+1)*(len(read)+1) > maxAligned {
		return false
	}
	c.fill(asked, read)
	c.follow(asked, read, from)
	return true
}

// fill computes what it costs to align the beginnings of two texts.
func (c *comparison) fill(asked, read []glyph) {
	width := len(read) + 1
	c.costs = slices.Grow(c.costs[:0], (len(asked)+1)*width)[:(len(asked)+1)*width]
	for i := range len(asked) + 1 {
		for j := range width {
			c.costs[i*width+j], _ = c.step(asked, read, i, j)
		}
	}
}

// step returns the least cost of aligning asked[:i] with read[:j], and the last difference of that.
func (c *comparison) step(asked, read []glyph, i, j int) (cost int32, last kind) {
	width := len(read) + 1
	if i == 0 && j == 0 {
		return 0, changed
	}
	cost = 1 << 30
	offer := func(before, more int32, k kind) {
		if before+more < cost {
			cost, last = before+more, k
		}
	}
	if i > 0 && j > 0 {
		offer(c.costs[(i-1)*width+j-1], substitution(asked[i-1], read[j-1]), changed)
	}
	if i > 1 && j > 1 && asked[i-2].same(read[j-1]) && asked[i-1].same(read[j-2]) {
		offer(c.costs[(i-2)*width+j-2], costSwapped, swapped)
	}
	if i > 0 {
		offer(c.costs[(i-1)*width+j], single(asked[i-1]), left)
	}
	if j > 0 {
		offer(c.costs[i*width+j-1], single(read[j-1]), added)
	}
	return cost, last
}

func substitution(a, b glyph) int32 {
	switch {
	case a.same(b):
		return 0
	case a.isAlike(b):
		return costAlike
	case (a.run == none) != (b.run == none):
		return costNever
	}
	return costLetter
}

// single is what a glyph costs that only one text has.
func single(g glyph) int32 {
	if g.run == none {
		return costMark
	}
	return costLetter
}

// follow goes back over the table of fill, and notes links and edits, the last first.
func (c *comparison) follow(asked, read []glyph, from int) {
	for i, j := len(asked), len(read); i > 0 || j > 0; {
		_, last := c.step(asked, read, i, j)
		switch last {
		case changed:
			i, j = i-1, j-1
			c.links[from+j] = from + i
			if a, b := asked[i], read[j]; !a.same(b) {
				if a.isAlike(b) {
					last = lookalike
				}
				c.edits = append(c.edits, edit{last, from + i, from + j})
			}
		case swapped:
			i, j = i-2, j-2
			c.links[from+j], c.links[from+j+1] = from+i+1, from+i
			c.edits = append(c.edits, edit{last, from + i + 1, from + j + 1}, edit{last, from + i, from + j})
		case left:
			i--
			c.edits = append(c.edits, edit{last, from + i, -1})
		case added:
			j--
			c.links[from+j] = -1
			c.edits = append(c.edits, edit{last, -1, from + j})
		}
	}
}

// own fills owners. It reports false if a whole word or number was read that was not asked for.
func (c *comparison) own() bool {
	c.owners = slices.Grow(c.owners[:0], len(c.read))[:len(c.read)]
	for j, g := range c.read {
		c.owners[j] = none
		switch {
		case g.run == none:
		case c.links[j] >= 0:
			c.owners[j] = c.asked[c.links[j]].run
		case j > 0 && c.read[j-1].run == g.run:
			c.owners[j] = c.owners[j-1]
		}
	}
	for j, g := range slices.Backward(c.read) {
		if g.run != none && c.owners[j] == none && j+1 < len(c.read) && c.read[j+1].run == g.run {
			c.owners[j] = c.owners[j+1]
		}
	}
	for j, g := range c.read {
		if g.run != none && c.owners[j] == none {
			return false
		}
	}
	return true
}
