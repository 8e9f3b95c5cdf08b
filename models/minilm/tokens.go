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

// Size of the vocabulary, and its tokens without text.
const (
	words   = 30522
	unknown = 100
	begin   = 101
	end     = 102
)

// maxWord is the maximum number of characters in a word; a longer word is unknown.
const maxWord = 100

// vocabulary maps words and parts of words to tokens.
type vocabulary struct {
	starts  map[string]int32 // words, and parts at the start of a word
	follows map[string]int32 // parts inside a word
	longest int              // length of the longest entry, in bytes
}

// newVocabulary reads a list of tokens, one per line. Parts inside a word begin with ##.
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

// tokens returns the tokens of a text between the two end marks, at most MaxTokens. It reads only
// the needed part of the text.
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

// closed adds the end mark to a list of tokens, which it shortens if necessary.
func closed(list []int32) []int32 { return append(list[:min(len(list), MaxTokens-1)], end) }

// cut adds the tokens of a word to a list: from the left, always the longest known part. If a part
// is unknown, the whole word is unknown.
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

// part returns the length of the longest known part at the start of a word, and its token. The
// length is 0 if there is none.
func (v *vocabulary) part(parts map[string]int32, word []byte) (n int, token int32) {
	for n = min(len(word), v.longest); n > 0; n-- {
		if token, found := parts[string(word[:n])]; found {
			return n, token
		}
	}
	return 0, 0
}

// plain returns a transformer that prepares a text as in the model's training: it removes invisible
// characters, uses one kind of space, and moves accents behind their letters.
func plain() transform.Transformer {
	return transform.Chain(runes.Remove(runes.Predicate(unseen)), runes.Map(space), unorm.NFD)
}

// unseen reports whether a character is invisible: a control, format or private-use character, or invalid UTF-8. Tabs
// and line breaks count as spaces instead.
func unseen(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case 0, utf8.RuneError:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// space returns a plain space for each kind of white space, and any other character unchanged.
func space(r rune) rune {
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// punctuation reports whether a character is a word of its own. Every ASCII symbol is.
func punctuation(r rune) bool {
	switch {
	case r > unicode.MaxASCII:
		return unicode.Is(unicode.P, r)
	case r <= ' ' || r == 0x7f:
		return false
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// ideographs are the Chinese characters. Each is a word of its own, as in the model's training.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1}},
	R32: []unicode.Range32{
		{Lo: 0x20000, Hi: 0x2a6df, Stride: 1}, {Lo: 0x2a700, Hi: 0x2b73f, Stride: 1}, {Lo: 0x2b740, Hi: 0x2b81f, Stride: 1},
		{Lo: 0x2b920, Hi: 0x2ceaf, Stride: 1}, {Lo: 0x2f800, Hi: 0x2fa1f, Stride: 1},
	},
}

// ideograph reports whether r is a Chinese character, which is a word of its own.
func ideograph(r rune) bool { return unicode.Is(ideographs, r) }
