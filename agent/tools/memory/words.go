package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord bounds a word, in bytes. Longer ones, as a key in base64, are found by their beginning.
const maxWord = 96

// usualWord is the length of a short word with the space behind it, in bytes.
const usualWord = 5

// word is one word of a text, in the forms of the index.
type word struct {
	plain string // in lower case, without accents: "cafes"
	stem  string // what its inflections have in common: "cafe"
}

// lexicon caches words, as finding their stems takes most of the time. It is for
// one goroutine, and grows with the texts that it splits.
type lexicon map[string]word

// words splits a text into words, for queries and for the indexes of both
// databases. In scripts without spaces each character is a word, and a query is a
// phrase of them.
func (l lexicon) words(text string) []word {
	list := make([]word, 0, len(text)/usualWord)
	begin := -1
	flush := func(end int) {
		if begin >= 0 {
			if w := l.word(text[begin:end]); w.plain != "" {
				list = append(list, w)
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
			list = append(list, word{string(r), string(r)})
		case begin < 0:
			begin = i
		}
	}
	flush(len(text))
	return list
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// unspaced reports whether r is of a script whose words nothing separates.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func (l lexicon) word(s string) word {
	w, known := l[s]
	if !known {
		w.plain = fold(s)
		if len(w.plain) > maxWord {
			w.plain = strings.ToValidUTF8(w.plain[:maxWord], "")
		}
		w.stem = stem(w.plain)
		l[s] = w
	}
	return w
}

// fold removes differences in case, in accents, and in the form of letters, as full-width ones.
func fold(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(s)
	}
	apart := norm.NFKD.String(strings.ToLower(s))
	bare := strings.Map(func(r rune) rune {
		if 0x300 <= r && r <= 0x36f || !isWordRune(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, apart)
	return norm.NFC.String(bare)
}
