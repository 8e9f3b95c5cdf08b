package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the maximum length of a word, in bytes. A search finds a longer one, such as a key in base64, by its
// beginning.
const maxWord = 96

// words splits a text into words without case and accents, for queries and for the indexes of both
// databases. In scripts without spaces each character is a word, and a query is a phrase of them.
func words(text string) (list []string) {
	begin := -1
	flush := func(end int) {
		if begin >= 0 {
			if w := fold(text[begin:end]); w != "" {
				list = append(list, strings.ToValidUTF8(w[:min(maxWord, len(w))], ""))
			}
			begin = -1
		}
	}
	for i, r := range text {
		switch {
		case !isWordRune(r):
			flush(i)
		case unspaced(r):
			flush(i)
			list = append(list, string(r))
		case begin < 0:
			begin = i
		}
	}
	flush(len(text))
	return list
}

// isWordRune reports whether a word can contain r. Numbers of any script and combining marks count; invalid UTF-8 does
// not.
func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// unspaced reports whether r belongs to a script without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// fold removes differences in case, in accents, and in the form of letters such as full-width ones.
func fold(s string) string {
	apart := norm.NFKD.String(strings.ToLower(s))
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if 0x300 <= r && r <= 0x36f || !isWordRune(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, apart))
}

// mark is the prefix of one user's words in the index.
type mark string

// markOf returns the prefix of all words of a user in the index. With it, the databases count and rank the words of
// each user alone. It has only consonants: thus no word is a stop word of PostgreSQL, such as "the", and both databases
// stem the same part of a word.
func markOf(owner string) mark {
	const digits, consonants = "0123456789abcdef", "bcdfghjklmnpqrst"
	return mark(strings.Map(func(r rune) rune { return rune(consonants[strings.IndexRune(digits, r)]) }, owner[:8]))
}

// stems returns the form of a word in the index that matches all forms of the word.
func (m mark) stems(word string) string { return string(m) + word }

// exact returns the form of a word in the index that matches as written. It has full-width letters, which no database
// stems.
func (m mark) exact(word string) string {
	return string(m) + "ｘ" + strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'ａ'
		}
		return r
	}, word)
}

// both returns a text's words for the index, in both forms.
func (m mark) both(text string) string {
	list := words(text)
	forms := make([]string, 2*len(list))
	for i, w := range list {
		forms[i], forms[len(list)+i] = m.stems(w), m.exact(w)
	}
	return strings.Join(forms, " ")
}
