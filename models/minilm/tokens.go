package minilm

import (
	"bufio"
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	unorm "golang.org/x/text/unicode/norm"
)

// The tokens of the vocabulary: how many there are, and those that stand for no text.
const (
	words   = 30522
	unknown = 100
	begin   = 101
	end     = 102
)

// maxWord is how many characters a word may have; a longer one is unknown.
const maxWord = 100

// vocabulary finds the token of a word or a part of one.
type vocabulary struct {
	starts  map[string]int32 // words, and parts that a word may begin with
	follows map[string]int32 // parts that may follow
	longest int              // bytes of the longest of all
}

// newVocabulary reads a list of tokens, one a line. Parts that follow begin with ##.
func newVocabulary(list []byte) *vocabulary {
	v := &vocabulary{starts: make(map[string]int32, words), follows: map[string]int32{}}
	var id int32
	for line := range bytes.Lines(list) {
		entry := strings.TrimRight(string(line), "\r\n")
		if part, follows := strings.CutPrefix(entry, "##"); follows {
			v.follows[part] = id
		} else {
			v.starts[entry] = id
		}
		v.longest = max(v.longest, len(entry))
		id++
	}
	return v
}

// tokens returns the tokens of a text between those that mark its ends, at most MaxTokens. It
// reads no more of the text than it needs.
func (v *vocabulary) tokens(text string) []int32 {
	in := bufio.NewReader(transform.NewReader(strings.NewReader(text), plain()))
	list := []int32{begin}
	word := make([]byte, 0, (maxWord+1)*utf8.UTFMax)
	flush := func() {
		list = v.cut(list, word)
		word = word[:0]
	}
	for len(list) < MaxTokens-1 {
		r, _, err := in.ReadRune()
		switch {
		case err != nil: // the end
			flush()
			return closed(list)
		case unicode.Is(unicode.Mn, r): // an accent
		case r == ' ':
			flush()
		case punctuation(r) || ideograph(r):
			flush()
			list = v.cut(list, utf8.AppendRune(nil, r))
		case len(word)+utf8.UTFMax <= cap(word):
			word = utf8.AppendRune(word, unicode.ToLower(r))
		}
	}
	return closed(list)
}

// closed ends a list of tokens, which it shortens to make room.
func closed(list []int32) []int32 { return append(list[:min(len(list), MaxTokens-1)], end) }

// cut adds the tokens of a word to a list: from its left, the longest part that there is. A word
// that does not come out is unknown as a whole.
func (v *vocabulary) cut(list []int32, word []byte) []int32 {
	if utf8.RuneCount(word) > maxWord {
		return append(list, unknown)
	}
	known, parts := len(list), v.starts
	for len(word) > 0 {
		n, token := v.part(parts, word)
		if n == 0 {
			return append(list[:known], unknown)
		}
		list, word, parts = append(list, token), word[n:], v.follows
	}
	return list
}

// part returns the length of the longest part that a word begins with, and its token.
func (v *vocabulary) part(parts map[string]int32, word []byte) (n int, token int32) {
	for n = min(len(word), v.longest); n > 0; n-- {
		if token, found := parts[string(word[:n])]; found {
			return n, token
		}
	}
	return 0, 0
}

// plain returns what makes a text plain, in the order that the model has learned from: without
// what cannot be seen, with one kind of space, and with accents behind their letters.
func plain() transform.Transformer {
	return transform.Chain(runes.Remove(runes.Predicate(unseen)), runes.Map(space), unorm.NFD)
}

func unseen(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case 0, utf8.RuneError:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

func space(r rune) rune {
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// punctuation reports whether a character is a word of its own: all symbols of ASCII are.
func punctuation(r rune) bool {
	switch {
	case r > unicode.MaxASCII:
		return unicode.Is(unicode.P, r)
	case r <= ' ' || r == 0x7f:
		return false
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// ideographs are the characters of Chinese, each of which is a word, as the model has learned them.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1}},
	R32: []unicode.Range32{
		{Lo: 0x20000, Hi: 0x2a6df, Stride: 1}, {Lo: 0x2a700, Hi: 0x2b73f, Stride: 1}, {Lo: 0x2b740, Hi: 0x2b81f, Stride: 1},
		{Lo: 0x2b920, Hi: 0x2ceaf, Stride: 1}, {Lo: 0x2f800, Hi: 0x2fa1f, Stride: 1},
	},
}

func ideograph(r rune) bool { return unicode.Is(ideographs, r) }
