package match

import (
	"slices"
	"strings"
	"unicode"
)

// Same reports whether a text that was read is the one asked for, but for slips of readers and typists.
func Same(asked, read string) bool {
	var c comparison
	return c.isSlip(glyphsOf(strings.Fields(plain(asked))), glyphsOf(strings.Fields(plain(read))))
}

// isSlip reports whether read is asked, but for slips.
func (c *comparison) isSlip(asked, read []glyph) bool {
	c.asked, c.read, c.edits = asked, read, c.edits[:0]
	c.links = slices.Grow(c.links[:0], len(read))[:len(read)]
	return c.align() && sameSpacing(asked, read, c.links) && c.own() && c.areSlips()
}

// areSlips judges the edits, run by run.
func (c *comparison) areSlips() bool {
	for _, e := range c.edits {
		if !c.isSlipOfMark(e) || c.movesSpace(e) {
			return false
		}
	}
	for k, e := range c.edits {
		if run := c.runOf(e); run != none && !slices.ContainsFunc(c.edits[:k], func(o edit) bool { return c.runOf(o) == run }) && !c.isSlipIn(run) {
			return false
		}
	}
	return lastInRun(c.asked) >= 0
}

// isOfMarks reports whether the edits are of marks alone.
func (c *comparison) isOfMarks() bool {
	isMark := func(list []glyph, i int) bool { return i < 0 || list[i].run == none }
	return !slices.ContainsFunc(c.edits, func(e edit) bool { return !isMark(c.asked, e.asked) || !isMark(c.read, e.read) })
}

// runOf returns the run asked for that an edit is in.
func (c *comparison) runOf(e edit) int {
	if e.asked >= 0 {
		return c.asked[e.asked].run
	}
	return c.owners[e.read]
}

// isSlipOfMark reports whether an edit may be forgiven, if it is one of a mark. A mark is a letter or a digit only to a reader in doubt.
func (c *comparison) isSlipOfMark(e edit) bool {
	asked, read := e.asked >= 0 && c.asked[e.asked].run == none, e.read >= 0 && c.read[e.read].run == none
	switch {
	case !asked && !read:
		return true
	case e.kind == swapped, e.kind == changed && (isSign(c.asked[e.asked].char) || isSign(c.read[e.read].char)):
		return false
	case e.kind == lookalike:
		return asked && read || c.read[e.read].unsure
	}
	return (e.asked < 0 || asked && isSlight(side{c.asked, c.read, c.readFor}, e.asked)) && (e.read < 0 || read && isSlight(side{c.read, c.asked, c.askedFor}, e.read))
}

// readFor returns what was read for a glyph that was asked for; -1 for nothing.
func (c *comparison) readFor(i int) int { return slices.Index(c.links, i) }

// askedFor is the same the other way.
func (c *comparison) askedFor(j int) int { return c.links[j] }

// movesSpace reports whether a letter that only one text has is at an end of a word, and white space
// there differs too: then a short word may be left out or added.
func (c *comparison) movesSpace(e edit) bool {
	var one, other []glyph // from the letter on, and what follows it in the other text
	switch {
	case e.kind == left:
		if j := slices.Index(c.links, e.asked+1); j >= 0 {
			one, other = c.asked[e.asked:], c.read[j:]
		}
	case e.kind == added && e.read+1 < len(c.read):
		if i := c.links[e.read+1]; i >= 0 {
			one, other = c.read[e.read:], c.asked[i:]
		}
	}
	return len(one) > 1 && one[0].run != none && (one[0].spaced || one[1].spaced) != other[0].spaced
}

// side is one of two texts, with the other.
type side struct {
	list, other []glyph
	partner     func(int) int // the glyph of other that is the same; -1 for none
}

// isDigit reports whether either text has a digit at i.
func (t side) isDigit(i int) bool {
	if i < 0 || i >= len(t.list) {
		return false
	}
	o := t.partner(i)
	return t.list[i].isDigit() || o >= 0 && t.other[o].isDigit()
}

// around returns the nearest glyphs of words and numbers before and after a mark.
func (t side) around(mark int) (before, after int) {
	before, after = mark-1, mark+1
	for before >= 0 && t.list[before].run == none {
		before--
	}
	for after < len(t.list) && t.list[after].run == none {
		after++
	}
	return before, after
}

// isSlight reports whether a mark changes little by being in one text alone. In or before a number it may make that another one, as a
// point, a minus or a bracket does; a number sign or that of a currency before it does not, nor does what groups its thousands.
func isSlight(t side, i int) bool {
	mark, atDigit := t.list[i].folded, i+1 < len(t.list) && !t.list[i+1].spaced && t.list[i+1].isDigit()
	before, after := t.around(i)
	switch {
	case t.groups(i):
		return true
	case t.isDigit(after) && (strings.ContainsRune("-([{", mark) || t.isDigit(before) && !t.separates(before, after)):
		return false
	case isSign(mark):
		return atDigit
	}
	return strings.ContainsRune(`"'()[]{}*•·?!…│`, mark) || !atDigit && strings.ContainsRune(".,:;-_/", mark)
}

// separates reports whether white space is between two digits in both texts: with a mark more or less they are the same two numbers.
func (t side) separates(before, after int) bool {
	isSpaced := func(list []glyph, from, to int) bool {
		return slices.ContainsFunc(list[from+1:to+1], func(g glyph) bool { return g.spaced })
	}
	from, to := t.partner(before), t.partner(after)
	return from >= 0 && to > from && isSpaced(t.list, before, after) && isSpaced(t.other, from, to)
}

// groups reports whether a mark is between digits of thousands in one number: "1,000".
func (t side) groups(i int) bool {
	digits := 0
	for digits < i && t.list[i-1-digits].isDigit() {
		digits++
	}
	return strings.ContainsRune(",'", t.list[i].folded) && digits > 0 && digits <= leastGroup && !t.list[i].spaced && i+1 < len(t.list) &&
		!t.list[i+1].spaced && digitsAt(t.list[i+1:]) == leastGroup
}

// isSign reports whether a mark says what a number is of.
func isSign(r rune) bool { return strings.ContainsRune("#$€£¥№", r) }

// isSlipIn reports whether the edits of a run leave it the same word or number.
func (c *comparison) isSlipIn(run int) bool {
	var n tally
	for _, e := range c.edits {
		if c.runOf(e) == run {
			n[e.kind]++
		}
	}
	asked, read, number := c.texts(run)
	if number {
		return n.slips() == 0 && n[lookalike] <= mostAlike && c.isMisread(run, n[lookalike])
	}
	return isMisspelt(asked, read, n, c.isUnsure(run))
}

// isMisread reports whether a reader in doubt may have taken the look-alikes in a number for one another: for a digit a letter, or in a
// word a digit, with no other white space, and not all that was read. "S5" is not 55, nor "Windows" window 5.
func (c *comparison) isMisread(run, alike int) bool {
	for _, e := range c.edits {
		if c.runOf(e) != run {
			continue
		}
		asked, read := runAt(c.asked, e.asked), runAt(c.read, e.read)
		if !c.read[e.read].unsure || len(asked) != len(read) || alike == len(read) ||
			c.read[e.read].isDigit() && !slices.ContainsFunc(read, func(g glyph) bool { return unicode.IsLetter(g.char) }) {
			return false
		}
	}
	return true
}

// runAt returns the run that glyph i of a text is of.
func runAt(list []glyph, i int) []glyph {
	from, to := i, i+1
	for from > 0 && list[from-1].run == list[i].run {
		from--
	}
	for to < len(list) && list[to].run == list[i].run {
		to++
	}
	return list[from:to]
}

// isUnsure reports whether the reader was not sure of what was read for a run.
func (c *comparison) isUnsure(run int) bool {
	for j, g := range c.read {
		if c.owners[j] == run && g.unsure {
			return true
		}
	}
	return false
}

// tally counts edits by their kind.
type tally [kindsOfEdits]int

// slips returns how often somebody slipped. A look-alike is no slip; two are swapped at once.
func (n tally) slips() int { return n[changed] + (n[swapped]+1)/2 + n[left] + n[added] }

// texts returns the run as it was asked for and as it was read, in lower case, and whether it is a number.
func (c *comparison) texts(run int) (asked, read string, number bool) {
	var a, b []rune
	for _, g := range c.asked {
		if g.run == run {
			a, number = g.appendTo(a), number || g.isDigit()
		}
	}
	for j, g := range c.read {
		if c.owners[j] != run {
			continue
		}
		number = number || g.isDigit()
		if i := c.links[j]; i >= 0 && c.asked[i].same(g) {
			g = c.asked[i]
		}
		b = g.appendTo(b)
	}
	return string(a), string(b), number
}

const (
	mostAlike  = 2  // look-alikes in a number
	leastSlip  = 6  // letters of a word that may have a slip
	leastSlips = 10 // of one that may have two
	leastEdge  = 2  // letters at either end of an unknown word that must be right
)

// isMisspelt reports whether a word that was asked for is what was read, but for a slip. What is
// known and asked for is spelt rightly: then the reader slipped, and must not have been sure. What
// alone is known and was read was typed wrongly. If neither is known, they may be names, or of
// another language: then only what is left out, added or swapped within is a slip.
func isMisspelt(asked, read string, n tally, unsure bool) bool {
	long, short := max(len([]rune(asked)), len([]rune(read))), min(len([]rune(asked)), len([]rune(read)))
	known, other := isKnown(asked), isKnown(read)
	switch {
	case known && other, areOpposites(asked, read):
		return false
	case n.slips() == 0:
		return true
	case !isAlphabetic(asked) || !isAlphabetic(read), long < leastSlip, n.slips() > 2, n.slips() == 2 && short < leastSlips:
		return false
	}
	before, after := sameEnds(asked, read)
	switch {
	case n[changed] > 0 && before == 0: // as names differ
		return false
	case known:
		return unsure
	}
	return other || n.slips() == 1 && n[changed] == 0 && before >= leastEdge && after >= leastEdge
}

// sameEnds returns how many characters two texts begin and end with alike.
func sameEnds(a, b string) (before, after int) {
	x, y := []rune(a), []rune(b)
	for before < min(len(x), len(y)) && x[before] == y[before] {
		before++
	}
	for after < min(len(x), len(y))-before && x[len(x)-1-after] == y[len(y)-1-after] {
		after++
	}
	return before, after
}

// isAlphabetic reports whether a word is of letters, and not of syllables or characters that mean a
// word each.
func isAlphabetic(word string) bool {
	for _, r := range word {
		if !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			return false
		}
	}
	return true
}

// leastGroup is how many digits a group of a number has, that of its thousands and any other but the first.
const leastGroup = 3

// sameSpacing reports whether numbers begin at the same places in two texts. White space within one
// text's number makes it two numbers, a 12 and a 1 before a 2, unless it groups the digits. So does that between two rows.
func sameSpacing(asked, read []glyph, links []int) bool {
	for j := 1; j < len(read); j++ {
		i := links[j]
		if i < 1 || links[j-1] != i-1 || asked[i].spaced == read[j].spaced || !asked[i].isDigit() && !read[j].isDigit() || !asked[i-1].isDigit() && !read[j-1].isDigit() {
			continue
		}
		var grouped bool
		if asked[i].spaced {
			grouped = isGroup(asked, i, func(i int) bool { j := slices.Index(links, i); return j >= 0 && !read[j].spaced })
		} else {
			grouped = isGroup(read, j, func(j int) bool { return links[j] >= 0 && !asked[links[j]].spaced })
		}
		if read[j].apart || !grouped {
			return false
		}
	}
	return true
}

// isGroup reports whether white space before a glyph groups the digits of a number, which is whole in the other text, rather than parts two
// numbers: "4242 4242", and "12 345", but not "1 2345", which is a floor and a room. A first group of fewer digits is that of thousands.
func isGroup(list []glyph, at int, whole func(int) bool) bool {
	first := 0
	for i := at - 1; i >= 0 && list[i].isFigure(); i-- {
		first++
		if list[i].spaced && !whole(i) {
			break
		}
		if list[i].spaced && i > 0 && list[i-1].isFigure() {
			first = 0
		}
	}
	digits := digitsAt(list[at:])
	return digits == leastGroup || digits > leastGroup && first >= leastGroup
}

// digitsAt returns how many digits a text begins with.
func digitsAt(list []glyph) (n int) {
	for n < len(list) && list[n].run == list[0].run && list[n].isFigure() {
		n++
	}
	return n
}

// isFigure reports whether a glyph is a digit, or a letter that readers take for one.
func (g glyph) isFigure() bool { return g.isDigit() || g.folded == 'o' || g.folded == 'l' }
