package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// text is a query, or a row's word, with what its tiers compare.
type text struct {
	plain   string // white space collapsed, compatibility forms replaced (NFKC)
	letters string // plain in lower case, without white space, confusable glyphs folded
	words   int
	length  int // of letters, in characters
	bag     bag
}

func newText(s string) text {
	t := text{plain: plain(s)}
	t.words = 1 + strings.Count(t.plain, " ")
	t.letters = fold(t.plain)
	t.length = utf8.RuneCountInString(t.letters)
	t.bag.add(t.letters)
	return t
}

func plain(s string) string {
	if !isASCII(s) {
		s = norm.NFKC.String(s)
	}
	if strings.ContainsAny(s, " \t\r\n") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return s
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// alike maps glyphs that a reader takes for each other to one of them. It is
// applied before case is folded: an I looks like an l, an i does not.
var alike = strings.NewReplacer(
	"0", "o", "O", "o",
	"1", "l", "I", "l", "|", "l",
	"rn", "m",
	"‘", "'", "’", "'", "`", "'", "“", `"`, "”", `"`,
	"–", "-", "—", "-", "−", "-",
)

// fold returns what is equal for texts of one Confusable tier.
func fold(s string) string {
	s = alike.Replace(s)
	for i := range len(s) {
		if c := s[i]; c == ' ' || c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return foldRunes(s)
		}
	}
	return s
}

func foldRunes(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// bag counts the characters of a text, in few classes: a quick way to see that
// two texts cannot be alike.
type bag [32]uint8

func (b *bag) add(s string) {
	for _, r := range s {
		if c := &b[r&31]; *c < 255 {
			*c++
		}
	}
}

// apart counts what b has more of than o, and what it has less of. The larger
// is a lower bound for the number of edits between their texts: each takes away,
// adds or replaces one character.
func (b *bag) apart(o *bag) (more, less int) {
	for i := range b {
		if d := int(b[i]) - int(o[i]); d > 0 {
			more += d
		} else {
			less -= d
		}
	}
	return more, less
}
