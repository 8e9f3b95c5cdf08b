package sentence

import (
	"image"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a sentence, or a text in quotes.
type token struct {
	text    string // as it is written; of a quoted text what is in the quotes
	word    string // in small letters, without the signs around it
	quoted  bool
	after   string // the sign that follows: one of , . ; ! ? : and a line break
	at, end int    // its place in the sentence, in bytes
}

// arrows separate the labels of a path.
const arrows = ">→▸»›"

// closing maps each opening quote to the quotes that may close it.
var closing = map[rune]string{'"': `"”“`, '\'': "'’", '`': "`", '“': "”\"“", '„': "“”\"", '‘': "’'", '«': "»", '»': "«"}

// tokensOf returns the tokens of a sentence.
func tokensOf(said string) (list []token) {
	for at := 0; at < len(said); {
		r, n := utf8.DecodeRuneInString(said[at:])
		switch {
		case unicode.IsSpace(r):
			if r == '\n' && len(list) > 0 && list[len(list)-1].after == "" {
				list[len(list)-1].after = "\n"
			}
			at += n
			continue
		case strings.ContainsRune(arrows, r) && quotedAt(said[at:]) == 0:
			list = append(list, token{text: ">", word: ">", at: at, end: at + n})
			at += n
			continue
		}
		t := token{at: at}
		if length := quotedAt(said[at:]); length > 0 {
			_, last := utf8.DecodeLastRuneInString(said[at : at+length])
			t.quoted, t.text = true, said[at+n:at+length-last]
			at += length
			for at < len(said) && strings.ContainsRune("s.,;:!?)", rune(said[at])) { // "Ada's"
				if t.after == "" && said[at] != ')' {
					t.after = string(said[at])
				}
				at++
			}
		} else {
			end := at
			for end < len(said) {
				r, n := utf8.DecodeRuneInString(said[end:])
				if unicode.IsSpace(r) || end > at && strings.ContainsRune("→▸»›", r) {
					break
				}
				end += n
			}
			t.text, t.after = apart(said[at:end])
			at = end
		}
		t.end, t.word = at, fold(t.text)
		if !t.quoted && (t.text == "-" || t.text == "–" || t.text == "—") && len(list) > 0 && at < len(said) { // between two parts of a sentence
			t.word, t.after = "", "-"
		}
		if t.word != "" || t.quoted {
			list = append(list, t)
		} else if len(list) > 0 && list[len(list)-1].after == "" {
			list[len(list)-1].after = t.after
		}
	}
	return list
}

// quotedAt returns the length of the quoted text at the beginning of a text, in bytes, or 0 if there is none. A
// quote closes at the end of a word, so that an apostrophe does not.
func quotedAt(text string) int {
	first, n := utf8.DecodeRuneInString(text)
	ends, is := closing[first]
	if !is {
		return 0
	}
	for at := n; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		if r == '\n' {
			return 0
		}
		if !strings.ContainsRune(ends, r) || at == n+size {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[at:])
		if at == len(text) || unicode.IsSpace(next) || strings.ContainsRune(".,;:!?)'", next) {
			return at
		}
	}
	return 0
}

// apart returns a word without the sign that ends a part of the sentence, and the sign.
func apart(word string) (text, sign string) {
	text = strings.TrimLeft(word, "(")
	for text != "" {
		last := text[len(text)-1]
		if !strings.ContainsRune(".,;:!?)", rune(last)) || len(text) == 1 && sign == "" && last != ',' && last != ';' {
			break
		}
		if last == ')' && strings.ContainsRune(text, '(') { // "f(x)"
			break
		}
		if strings.HasSuffix(text, "...") || strings.HasSuffix(text, "+"+string(last)) {
			break
		}
		text = text[:len(text)-1]
		if last != ')' {
			sign = string(last)
		}
	}
	return text, sign
}

// fold returns a word or label for comparison: in small letters, without signs at its ends.
func fold(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	short := strings.TrimRight(strings.TrimSuffix(s, "..."), "….,;:*! ")
	short = strings.TrimLeft(short, "* ")
	if short == "" {
		return s // a label of signs alone, such as "…"
	}
	return short
}

// tight returns a folded label without spaces and hyphens: "check box" and "checkbox" are equal.
func tight(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' || r == '‑' || r == '\u00a0' {
			return -1
		}
		return r
	}, s)
}

// parser reads a sentence.
type parser struct {
	said   string
	tokens []token
	screen []Thing
	names  []string // folded names of the things
	*index

	nouns map[[2]int][]noun
}

// index has what the things on the screen are found by.
type index struct {
	texts, tight []string // folded texts, and names without spaces
	stems        [][]string
	found        map[string][2][]int // whole names and parts that labels are
}

// maxText is the maximum length of a text in a thing that may name it, in bytes.
const maxText = 200

func newParser(said string, screen []Thing) *parser {
	p := &parser{said: said, tokens: tokensOf(said), screen: screen, nouns: map[[2]int][]noun{}, index: &index{found: map[string][2][]int{}}}
	for _, t := range screen {
		name, text := fold(t.Name), fold(t.Text)
		if text == name || len(text) > maxText {
			text = ""
		}
		var stems []string
		for word := range strings.FieldsSeq(name) {
			stems = append(stems, stem(word))
		}
		p.names, p.texts = append(p.names, name), append(p.texts, text)
		p.tight, p.stems = append(p.tight, tight(name)), append(p.stems, stems)
	}
	return p
}

// text returns the tokens from i to j as they are written, without quotes around the whole.
func (p *parser) text(i, j int) string {
	switch {
	case i >= j:
		return ""
	case j == i+1:
		return p.tokens[i].text
	}
	var b strings.Builder
	for k, t := range p.tokens[i:j] {
		between := " "
		if k > 0 && p.tokens[i+k-1].end <= t.at { // a step that names a place first is moved
			between = p.said[p.tokens[i+k-1].end:t.at]
		}
		if k > 0 {
			b.WriteString(between)
		}
		b.WriteString(p.said[t.at:t.end])
	}
	return strings.TrimSuffix(b.String(), p.tokens[j-1].after)
}

// rest returns the sentence from a token on.
func (p *parser) rest(i int) string {
	if i >= len(p.tokens) {
		return ""
	}
	return p.said[p.tokens[i].at:]
}

// is reports whether a token is one of some words. A quoted text is no such word.
func (p *parser) is(i int, words ...string) bool {
	if i < 0 || i >= len(p.tokens) || p.tokens[i].quoted {
		return false
	}
	for _, w := range words {
		if p.tokens[i].word == w {
			return true
		}
	}
	return false
}

// phrase returns the number of tokens from i, before end, that are a phrase of one or more words, or 0.
func (p *parser) phrase(i, end int, phrase string) int {
	n := 0
	for word := range strings.FieldsSeq(phrase) {
		if i+n >= end || p.tokens[i+n].quoted || p.tokens[i+n].word != word {
			return 0
		}
		n++
	}
	return n
}

// phraseOf returns the number of tokens of the longest phrase of a list at i, or 0.
func (p *parser) phraseOf(i, end int, list []string) (n int) {
	for _, one := range list {
		n = max(n, p.phrase(i, end, one))
	}
	return n
}

// middle returns the middle of a rectangle.
func middle(r image.Rectangle) image.Point { return r.Min.Add(r.Size().Div(2)) }
