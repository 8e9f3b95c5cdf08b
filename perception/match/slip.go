package match

import (
	"slices"
	"strings"
	"unicode"
)

// Same reports whether the text of a query equals a text on a screen. It ignores small errors, such
// as typing errors in the query and misread letters on the screen.
func Same(query, text string) bool {
	var c comparison
	return c.isSlip(glyphsOf(strings.Fields(plain(query))), glyphsOf(strings.Fields(plain(text))))
}

// isSlip reports whether the read text equals the asked text, except for slips.
func (c *comparison) isSlip(asked, read []glyph) bool {
	c.asked, c.read, c.edits = asked, read, c.edits[:0]
	c.links = slices.Grow(c.links[:0], len(read))[:len(read)]
	return c.align() && sameSpacing(asked, read, c.links) && c.setOwners() && c.areSlips()
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

// isOfMarks reports whether all edits are at marks.
func (c *comparison) isOfMarks() bool {
	isMark := func(list []glyph, i int) bool { return i < 0 || list[i].run == none }
	return !slices.ContainsFunc(c.edits, func(e edit) bool { return !isMark(c.asked, e.asked) || !isMark(c.read, e.read) })
}

// runOf returns the asked run that an edit belongs to.
func (c *comparison) runOf(e edit) int {
	if e.asked >= 0 {
		return c.asked[e.asked].run
	}
	return c.owners[e.read]
}

// isSlipOfMark reports whether an edit at a mark is a slip; for other edits it returns true. Only
// an unsure reader may take a mark for a letter or digit.
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

// readFor returns the index of the read glyph that is linked to asked glyph i, or -1.
func (c *comparison) readFor(i int) int { return slices.Index(c.links, i) }

// askedFor returns the index of the asked glyph that is linked to read glyph j, or -1.
func (c *comparison) askedFor(j int) int { return c.links[j] }

// movesSpace reports whether a letter that only one text has is at an end of a word where the white
// space differs too. Then a short word may be missing or additional.
func (c *comparison) movesSpace(e edit) bool {
	var one, other []glyph // one begins at the letter; other begins at the glyph after it in the other text
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

// side is one of the two texts, with access to the other.
type side struct {
	list, other []glyph
	partner     func(int) int // the index of the linked glyph in other; -1 if there is none
}

// isDigit reports whether the glyph at i, or its partner, is a digit.
func (t side) isDigit(i int) bool {
	if i < 0 || i >= len(t.list) {
		return false
	}
	o := t.partner(i)
	return t.list[i].isDigit() || o >= 0 && t.other[o].isDigit()
}

// around returns the indices of the nearest glyphs of words and numbers before and after a mark.
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

// isSlight reports whether a mark that only one text has changes the meaning little. A mark in or
// before a number may change the number, for example a point, a minus or a bracket. A number sign
// or currency sign before it does not, nor does a separator of thousands.
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

// separates reports whether white space separates two digits in both texts. A mark between them
// then leaves both numbers unchanged.
func (t side) separates(before, after int) bool {
	isSpaced := func(list []glyph, from, to int) bool {
		return slices.ContainsFunc(list[from+1:to+1], func(g glyph) bool { return g.spaced })
	}
	from, to := t.partner(before), t.partner(after)
	return from >= 0 && to > from && isSpaced(t.list, before, after) && isSpaced(t.other, from, to)
}

// groups reports whether a mark separates thousands in a number, for example in "1,000".
func (t side) groups(i int) bool {
	digits := 0
	for digits < i && t.list[i-1-digits].isDigit() {
		digits++
	}
	return strings.ContainsRune(",'", t.list[i].folded) && digits > 0 && digits <= leastGroup && !t.list[i].spaced && i+1 < len(t.list) &&
		!t.list[i+1].spaced && digitsAt(t.list[i+1:]) == leastGroup
}

// isSign reports whether r is a sign for the kind of a number, such as a currency sign.
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

// isMisread reports whether an unsure reader may have misread the look-alikes in a number: a digit
// as a letter, or in a word a letter as a digit. The white space must be the same, and not all
// characters may be look-alikes. "S5" is not 55, and "Windows" is not window 5.
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

// runAt returns the run of glyph i.
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

// isUnsure reports whether the reader was unsure of the text of a run.
func (c *comparison) isUnsure(run int) bool {
	for j, g := range c.read {
		if c.owners[j] == run && g.unsure {
			return true
		}
	}
	return false
}

// tally counts edits by kind.
type tally [kindsOfEdits]int

// slips returns the number of slips. A look-alike does not count; a swap of two glyphs counts once.
func (n tally) slips() int { return n[changed] + (n[swapped]+1)/2 + n[left] + n[added] }

// texts returns the asked and the read text of a run in lower case, and whether it is a number.
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
	mostAlike  = 2  // maximum look-alikes in a number
	leastSlip  = 6  // minimum letters of a word with a slip
	leastSlips = 10 // minimum letters of a word with two slips
	leastEdge  = 2  // minimum equal letters at either end of an unknown word
)

// isMisspelt reports whether the read word is the asked word with slips. If the asked word is in
// the list, it is spelt correctly, so the reader slipped and must have been unsure. If only the
// read word is in the list, the typist slipped. If neither is, they may be names or in another
// language, and only a missing, additional or swapped letter inside the word is a slip.
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
	case n[changed] > 0 && before == 0: // names often differ in the first letter
		return false
	case known:
		return unsure
	}
	return other || n.slips() == 1 && n[changed] == 0 && before >= leastEdge && after >= leastEdge
}

// sameEnds returns the number of equal characters at the beginning and at the end of two texts.
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

// isAlphabetic reports whether a word has only Latin, Greek and Cyrillic letters. Scripts of
// syllables or whole words have no slips.
func isAlphabetic(word string) bool {
	for _, r := range word {
		if !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			return false
		}
	}
	return true
}

// leastGroup is the number of digits of a group of thousands, and the minimum of any other group
// but the first.
const leastGroup = 3

// sameSpacing reports whether numbers begin at the same positions in two texts. White space within
// a number of only one text splits it into two numbers, unless it groups the digits. A gap between
// two rows always splits it.
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

// isGroup reports whether white space before a glyph groups the digits of a number that is unbroken
// in the other text. It does in "4242 4242" and "12 345", but not in "1 2345", which may be a floor
// and a room. If the first group is shorter, the groups are thousands.
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

// digitsAt returns the number of digits at the beginning of a text.
func digitsAt(list []glyph) (n int) {
	for n < len(list) && list[n].run == list[0].run && list[n].isFigure() {
		n++
	}
	return n
}

// isFigure reports whether a glyph is a digit, or a letter that readers take for one.
func (g glyph) isFigure() bool { return g.isDigit() || g.folded == 'o' || g.folded == 'l' }
