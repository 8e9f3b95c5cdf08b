package locate

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenPattern splits a description into quoted texts, words and signs.
var tokenPattern = regexp.MustCompile(`"([^"]*)"|“([^”]*)”|‘([^’]*)’|'([^']*)'|` + "`([^`]*)`" + `|«([^»]*)»|[\pL\pN.#+@&/_€$£%:-]+(?:['’][\pL]+)?|[×✕✖?⋮⋯…☰✓★♥]`)

// token is a word in lower case, or a text that is quoted or on the screen.
type token struct {
	text   string
	quoted bool
	quote  int  // the number of the quoted text with this word, from 1; 0 outside of quotes; see spread
	seen   bool // not quoted in the description, but a text on the screen
	proper bool // the word begins with a capital
	later  bool // the word is not the first
	stands bool // the word is for a size and on the screen, for example "small" in "Small print"
}

const (
	maxTokens = 150 // tokens that are read of a description
	maxSpan   = 8   // maximum words of a text on the screen without quotes
	maxPhrase = 7   // maximum words of a key in a lexicon
)

// tokens splits a description into at most maxTokens tokens. Words are in lower case; quoted texts keep their case.
func tokens(description string) (list []token) {
	for _, m := range tokenPattern.FindAllStringSubmatch(description, maxTokens) {
		quoted := strings.TrimSpace(strings.Join(m[1:], ""))
		if quoted != "" {
			list = append(list, token{text: quoted, quoted: true})
			continue
		}
		word := strings.Trim(m[0], ".:")
		if len(word) > 1 {
			word = strings.Trim(word, "-/")
		}
		if word == "" || strings.ContainsAny(word[:1], "\"'`“‘«") {
			continue
		}
		first, _ := utf8.DecodeRuneInString(word)
		lower := strings.ToLower(word)
		list = append(list, token{text: strings.ReplaceAll(lower, "’", "'"), proper: first != unicode.ToLower(first), later: len(list) > 0})
	}
	return list
}

// meaning returns the number of words of the longest key that list begins with, or 0.
func meaning[T any](list []token, words map[string]T) int {
	_, n := longest(list, words)
	return n
}

// joined returns the texts of tokens, separated by spaces and without quotes.
func joined(list []token) string {
	words := make([]string, len(list))
	for i, t := range list {
		words[i] = t.text
	}
	return strings.Join(words, " ")
}

// longest returns the value and the length of the longest key that list begins with.
func longest[T any](list []token, words map[string]T) (value T, n int) {
	text := ""
	for i, t := range list {
		if t.quoted || i == maxPhrase {
			break
		}
		text = strings.TrimPrefix(text+" "+t.text, " ")
		if v, ok := words[text]; ok {
			value, n = v, i+1
		}
	}
	return value, n
}

// letters returns a text without the signs that OCR often confuses or misses. If nothing remains,
// it returns the text.
func letters(text string) string {
	return cmp.Or(strings.Map(func(r rune) rune {
		switch r {
		case ' ', '.', ',', ':', ';', '\'', '"', '`', '…', '-', '_', '*', '’', '‘', '+', '#':
			return -1
		}
		return r
	}, text), text)
}
