package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord bounds a word, in bytes. Longer ones, as a key in base64, are found by their beginning.
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

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// unspaced reports whether r is of a script whose words nothing separates.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// fold removes differences in case, in accents, and in the form of letters, as full-width ones.
func fold(s string) string {
	apart := norm.NFKD.String(strings.ToLower(s))
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if 0x300 <= r && r <= 0x36f || !isWordRune(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, apart))
}

// mark makes a user's words into those of the index.
type mark string

// markOf returns the beginning of all words of a user in the index. So the databases count and rank
// the words of each user alone. It has consonants only: with it, no word is one that PostgreSQL
// leaves out, as "the", and the databases find the stem of the same part of a word.
func markOf(owner string) mark {
	const digits, consonants = "0123456789abcdef", "bcdfghjklmnpqrst"
	return mark(strings.Map(func(r rune) rune { return rune(consonants[strings.IndexRune(digits, r)]) }, owner[:8]))
}

// stems marks a word that is found in all its forms.
func (m mark) stems(word string) string { return string(m) + word }

// exact marks a word that is found as written: in full-width letters, of which no database finds a stem.
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
