package match

import "slices"

// comparison decides whether a read text is the asked text, except for slips of readers and
// typists. It reuses its memory.
//
// It aligns the glyphs of both texts without white space. Then it judges the differences run by
// run. A run is a word or a number of the asked text, with the read text in its place.
type comparison struct {
	asked, read []glyph
	links       []int // for each read glyph, the index of the asked one; -1 if there is none
	owners      []int // for each read glyph, the asked run that it belongs to, or none
	edits       []edit
	costs       []int32
}

// edit is a difference: at a glyph of the asked text, of the read text, or at both.
type edit struct {
	kind        kind
	asked, read int
}

type kind uint8

const (
	changed   kind = iota
	lookalike      // changed to a look-alike
	swapped        // with its neighbour
	left           // missing in the read text
	added          // additional in the read text
	kindsOfEdits
)

// Costs of the differences in an alignment. The cheapest alignment is the likeliest.
const (
	costAlike   = 2
	costMark    = 2 // missing or additional
	costSwapped = 3
	costLetter  = 4 // changed, missing or additional
	costNever   = 9 // a letter changed to a mark: more than one missing and one additional glyph
)

// maxAligned is the maximum size of an alignment table: two texts of 256 characters that differ at
// both ends. Larger texts are not compared and do not count as slips.
const maxAligned = 1 << 16

// align sets links and edits. It returns false if the texts are too long.
func (c *comparison) align() bool {
	asked, read := c.asked, c.read
	from := 0
	for from < min(len(asked), len(read)) && asked[from].same(read[from]) {
		c.links[from] = from
		from++
	}
	rest := 0 // number of equal glyphs at the end
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

// fill computes the costs of aligning all beginnings of two texts.
func (c *comparison) fill(asked, read []glyph) {
	width := len(read) + 1
	c.costs = slices.Grow(c.costs[:0], (len(asked)+1)*width)[:(len(asked)+1)*width]
	for i := range len(asked) + 1 {
		for j := range width {
			c.costs[i*width+j], _ = c.step(asked, read, i, j)
		}
	}
}

// step returns the lowest cost of aligning asked[:i] with read[:j], and the last difference in that
// alignment.
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

// substitution returns the cost of glyph b in the place of glyph a. It is 0 if readers confuse them
// or they differ only by case.
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

// single returns the cost of a glyph that only one text has.
func single(g glyph) int32 {
	if g.run == none {
		return costMark
	}
	return costLetter
}

// follow traces the cheapest alignment backwards and stores its links and edits, the last first.
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

// setOwners sets owners. It returns false if the read text has a whole word or number that was not
// asked for.
func (c *comparison) setOwners() bool {
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
