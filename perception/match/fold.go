package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/windieos/windie/perception"
)

// text is a query in the forms that the tiers compare.
type text struct {
	plain   string // white space collapsed, compatibility forms replaced (NFKC)
	letters string // plain in lower case, without white space and accents, confusable glyphs folded
	words   int
	length  int // of letters, in characters
	bag     bag
	glyphs  []glyph
}

// newText returns a query in all forms. A query of white space and accents alone has the length 0.
func newText(s string) text {
	t := text{plain: plain(s)}
	t.words = 1 + strings.Count(t.plain, " ")
	t.letters = string(appendFolded(nil, t.plain))
	t.length = utf8.RuneCountInString(t.letters)
	t.bag.add(appendClasses(nil, t.letters))
	t.glyphs = glyphsOf(strings.Fields(t.plain))
	return t
}

// indexed is a row, folded like a query. In each of its strings the words follow each other; marks
// has their positions.
type indexed struct {
	row     perception.Row
	plain   string  // the words in the form of text.plain, with a space after each
	letters string  // the words in the form of text.letters
	classes []uint8 // of the characters of letters
	marks   []mark  // the beginning of each word, and the end of the last one
	begins  []int   // of a line: for each of its rows the index of its first word
	bag     bag
}

// mark is a position between two words, in each of the strings.
type mark struct{ plain, letters, classes int }

// newIndexed folds the words of a row. The caller sets begins if the row is a line of several rows.
func newIndexed(row perception.Row) indexed {
	spaced := make([]byte, 0, len(row.Text)+1)
	letters := make([]byte, 0, len(row.Text))
	in := indexed{row: row, classes: make([]uint8, 0, len(row.Text)), marks: make([]mark, 1, len(row.Words)+1)}
	for _, w := range row.Words {
		p, begin := plain(w.Text), len(letters)
		spaced = append(append(spaced, p...), ' ')
		letters = appendFolded(letters, p)
		in.classes = appendClasses(in.classes, string(letters[begin:]))
		in.marks = append(in.marks, mark{len(spaced), len(letters), len(in.classes)})
	}
	in.plain, in.letters = string(spaced), string(letters)
	in.bag.add(in.classes)
	return in
}

// crosses reports whether the words [from, to) of a line belong to several rows. For a single row
// it returns true.
func (in *indexed) crosses(from, to int) bool {
	return in.begins == nil || slices.ContainsFunc(in.begins, func(b int) bool { return from < b && b < to })
}

// words returns the number of words.
func (in *indexed) words() int { return len(in.marks) - 1 }

// length returns the number of characters in letters of the words [from, to).
func (in *indexed) length(from, to int) int { return in.marks[to].classes - in.marks[from].classes }

// lettersOf returns the words [from, to) in the form of text.letters.
func (in *indexed) lettersOf(from, to int) string {
	return in.letters[in.marks[from].letters:in.marks[to].letters]
}

// plainOf returns the words [from, to) in the form of text.plain. There must be at least one.
func (in *indexed) plainOf(from, to int) string {
	return in.plain[in.marks[from].plain : in.marks[to].plain-1]
}

// plain returns s in the form of text.plain. It changes neither case nor accents.
func plain(s string) string {
	if !isASCII(s) {
		s = composed(s)
	}
	if strings.ContainsAny(s, " \t\r\n") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return s
}

// composed replaces compatibility forms in s, except after a digit: 10² is not 102, but CO₂ is CO2.
func composed(s string) string {
	var out strings.Builder
	from, number := 0, false // number is true after a digit
	for i, r := range s {
		if number && unicode.Is(unicode.No, r) {
			out.WriteString(norm.NFKC.String(s[from:i]))
			out.WriteRune(r)
			from = i + utf8.RuneLen(r)
			continue
		}
		number = unicode.IsDigit(r)
	}
	return out.String() + norm.NFKC.String(s[from:])
}

// isASCII reports whether s has only ASCII characters, so that it needs no Unicode normalization.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// confusables maps glyphs that readers confuse to one of them, before the case is folded. An i
// folds to l because I looks like l; glyph.same separates i from l again, and RN from m. Cyrillic
// and Greek letters whose capitals look like Latin ones become those, in both cases.
var confusables = strings.NewReplacer(
	"0", "o", "O", "o",
	"1", "l", "I", "l", "|", "l", "i", "l",
	"rn", "m", "RN", "m", "Rn", "m", "rN", "m",
	"‘", "'", "’", "'", "`", "'", "“", `"`, "”", `"`,
	"⌃", "^", "–", "-", "—", "-", "−", "-", "‐", "-", "‒", "-", "―", "-", "─", "-", "━", "-",
	"А", "a", "а", "a", "В", "b", "в", "b", "Е", "e", "е", "e", "К", "k", "к", "k", "М", "m", "м", "m", "Н", "h", "н", "h", "О", "o", "о", "o",
	"Р", "p", "р", "p", "С", "c", "с", "c", "Т", "t", "т", "t", "У", "y", "у", "y", "Х", "x", "х", "x", "Ѕ", "s", "ѕ", "s", "Ј", "j", "ј", "j",
	"Α", "a", "α", "a", "Β", "b", "β", "b", "Ε", "e", "ε", "e", "Ζ", "z", "ζ", "z", "Η", "h", "η", "h", "Κ", "k", "κ", "k", "Μ", "m", "μ", "m",
	"Ν", "n", "ν", "n", "Ο", "o", "ο", "o", "Ρ", "p", "ρ", "p", "Τ", "t", "τ", "t", "Υ", "y", "υ", "y", "Χ", "x", "χ", "x",
)

// fold returns a string that is equal for texts that differ only by confusable glyphs, case,
// accents or white space, and for few other texts.
func fold(s string) string {
	if !isASCII(s) {
		s = unaccented(s)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, confusables.Replace(s))
}

// foldRune returns the fold of one character. For an ASCII character that the fold drops, it returns dropped.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(foldedASCII[r])
	}
	folded, _ := utf8.DecodeRuneInString(fold(string(r)))
	return folded
}

// undivided replaces letters with marks that Unicode does not decompose.
var undivided = strings.NewReplacer("ß", "ss", "ẞ", "SS", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ", "OE", "ø", "o", "Ø", "O", "ł", "l", "Ł", "L",
	"đ", "d", "Đ", "D", "ı", "i")

// unaccented returns s without the marks over, under and across Latin letters. In other scripts
// such marks make different letters or vowels.
func unaccented(s string) string {
	latin := false
	bare := strings.Map(func(r rune) rune {
		if latin && unicode.In(r, unicode.Inherited) && unicode.IsMark(r) {
			return -1
		}
		latin = unicode.Is(unicode.Latin, r)
		return r
	}, norm.NFD.String(s))
	return norm.NFC.String(undivided.Replace(bare))
}

// isRN reports whether s begins with r and n, in any case. Readers confuse these two letters with an m.
func isRN(s string) bool { return len(s) > 1 && s[0]|0x20 == 'r' && s[1]|0x20 == 'n' }

// foldedASCII has the fold of each ASCII character, or dropped. Only "rn" folds differently from
// its two characters.
var foldedASCII = func() (table [utf8.RuneSelf]byte) {
	for c := range table {
		table[c] = dropped
		if f := fold(string(rune(c))); f != "" {
			table[c] = f[0]
		}
	}
	return table
}()

const (
	dropped = 0xFF // no ASCII character
	kinds   = 32   // number of classes of characters: small, for a table; each Latin letter has its own class
)

// dots replaces an ellipsis with one dot, so that all its spellings are one mark.
var dots = strings.NewReplacer("....", ".", "...", ".", "..", ".")

// appendFolded appends the fold of s, with one dot for several. It has a fast path for ASCII,
// because most words are ASCII.
func appendFolded(to []byte, s string) []byte {
	if !isASCII(s) {
		return append(to, dots.Replace(fold(s))...)
	}
	for i := 0; i < len(s); i++ {
		switch c := foldedASCII[s[i]]; {
		case c == '.' && i > 0 && s[i-1] == '.':
		case isRN(s[i:]):
			to = append(to, 'm')
			i++
		case c != dropped:
			to = append(to, c)
		}
	}
	return to
}

// appendClasses appends the class of each character of s. Different characters may have the same class.
func appendClasses(to []uint8, s string) []uint8 {
	for _, r := range s {
		to = append(to, uint8(r%kinds))
	}
	return to
}

// bag counts the characters of a text by class. It shows quickly that two texts differ.
type bag [kinds]uint8

// add counts characters by their classes. A count stops at 255, so that missing stays a lower bound.
func (b *bag) add(text []uint8) {
	for _, class := range text {
		if c := &b[class]; *c < 255 {
			*c++
		}
	}
}

// missing returns how many characters of b are not in o: a lower bound for the edits.
func (b *bag) missing(o *bag) (n int) {
	for i := range b {
		n += max(int(b[i])-int(o[i]), 0)
	}
	return n
}
