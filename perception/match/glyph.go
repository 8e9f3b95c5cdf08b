package match

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// glyph is a character of a text, or the two of "rn", which look like an m.
type glyph struct {
	char   rune // without its accent; of "rn" the r
	folded rune // as in text.letters
	spaced bool // white space before it
	unsure bool // the reader was not sure of its word
	apart  bool // first of a row, with another before it on its line
	run    int  // counts the words and numbers of the text; none for a mark
}

// none is the run of marks.
const none = -1

// glyphsOf returns the glyphs of words as in text.plain.
func glyphsOf(words []string) (list []glyph) {
	for _, w := range words {
		list = appendGlyphs(list, w)
	}
	return list
}

// appendGlyphs appends the glyphs of a word to those of the words before it. An apostrophe does not
// end a run, as in "don't".
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

func lastInRun(list []glyph) int {
	for i, g := range slices.Backward(list) {
		if g.run != none {
			return i
		}
	}
	return -1
}

// isInRun reports whether words and numbers have a character; a bar may be an l.
func isInRun(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '|'
}

func (g glyph) isDigit() bool { return unicode.IsDigit(g.char) }

// same reports whether readers confuse two glyphs, or they differ by case alone. An I may be an i or
// an l, though these are apart; so may be "rn", beside an m and "RN".
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

func isR(r rune) bool { return r == 'r' || r == 'R' }

// isAlike reports whether a reader may take one for the other, though seldom: an i for an l, or a
// letter for the digit that it looks like. No digit is taken for another.
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

// appendTo appends what a glyph is in a lower case word.
func (g glyph) appendTo(word []rune) []rune {
	if g.folded == 'm' && isR(g.char) {
		return append(word, 'r', 'n')
	}
	return append(word, unicode.ToLower(g.char))
}
