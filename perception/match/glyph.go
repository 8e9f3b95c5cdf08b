package match

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// glyph is a character of a text, or the two characters of "rn", which look like an m.
type glyph struct {
	char   rune // without its accent; for "rn" the r
	folded rune // in the form of text.letters
	spaced bool // white space precedes it
	unsure bool // the reader was unsure of its word
	apart  bool // first of a row that continues another row of its line
	run    int  // number of its word or number in the text; none for a mark
}

// none is the run of marks.
const none = -1

// glyphsOf returns the glyphs of words in the form of text.plain.
func glyphsOf(words []string) (list []glyph) {
	for _, w := range words {
		list = appendGlyphs(list, w)
	}
	return list
}

// appendGlyphs appends the glyphs of the next word. An apostrophe does not end a run, for example
// in "don't".
func appendGlyphs(to []glyph, word string) []glyph {
	if !isASCII(word) {
		word = unaccented(word)
	}
	begin, run, inside := len(to), 0, false
	if last := lastInRun(to); last >= 0 {
		run = to[last].run + 1
	}
	for i := 0; i < len(word); {
		r, n := utf8.DecodeRuneInString(word[i:])
		g := glyph{char: r, folded: foldRune(r), spaced: len(to) == begin, run: none}
		if isRN(word[i:]) {
			g.folded, n = 'm', 2
		}
		switch {
		case isInRun(r):
			g.run, inside = run, true
		case inside && g.folded != '\'':
			run, inside = run+1, false
		}
		to = append(to, g)
		i += n
	}
	return to
}

// lastInRun returns the index of the last glyph that is no mark, or -1.
func lastInRun(list []glyph) int {
	for i, g := range slices.Backward(list) {
		if g.run != none {
			return i
		}
	}
	return -1
}

// isInRun reports whether a character belongs to words and numbers. A bar counts, because it may be
// an l.
func isInRun(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '|'
}

// isDigit reports whether a glyph is a decimal digit of any script.
func (g glyph) isDigit() bool { return unicode.IsDigit(g.char) }

// same reports whether readers confuse two glyphs, or they differ only by case. An I may be an i or
// an l, although i and l are different; RN is different from m, but rn is not.
func (g glyph) same(o glyph) bool {
	if g.folded != o.folded {
		return false
	}
	switch g.folded {
	case 'l':
		return (g.char == 'i') == (o.char == 'i') || g.char == 'I' || o.char == 'I'
	case 'm':
		return g.char != 'R' && o.char != 'R' || isR(g.char) && isR(o.char)
	}
	return true
}

// isR reports whether r is an r in either case: the first letter of an "rn" that one glyph holds.
func isR(r rune) bool { return r == 'r' || r == 'R' }

// isAlike reports whether a reader may occasionally take one glyph for the other: an i for an l, or
// a letter for a similar digit. No digit is like another digit.
func (g glyph) isAlike(o glyph) bool {
	if g.folded == o.folded {
		return true
	}
	return lookalikes[[2]rune{g.folded, o.folded}] || lookalikes[[2]rune{o.folded, g.folded}]
}

var lookalikes = map[[2]rune]bool{
	{'5', 's'}: true, {'$', 's'}: true, {'8', 'b'}: true, {'2', 'z'}: true, {'6', 'b'}: true, {'9', 'g'}: true, {'!', 'l'}: true,
	{'.', ','}: true, {';', ':'}: true,
}

// appendTo appends the glyph to a lower-case word.
func (g glyph) appendTo(word []rune) []rune {
	if g.folded == 'm' && isR(g.char) {
		return append(word, 'r', 'n')
	}
	return append(word, unicode.ToLower(g.char))
}
