package commander

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/models/commander/sentence"
)

// stepPattern matches what may separate two steps. Its group is set if a command must follow, because it
// may also be part of a text.
var stepPattern = regexp.MustCompile(`(?i)\s*(?:;(?:\s*(?:(?:and |und )?(?:then|dann) )?)|,? (?:and |und )?(?:then|dann) |(,? (?:and|und) |[.!] |, ))\s*`)

// verbPattern matches the beginning of a command that is not for the screen.
var verbPattern = regexp.MustCompile(`(?i)^(?:please |bitte )?(?:run|execute|call|invoke|search|look|web search|remember|read)\b`)

// begins reports whether a command begins with a text.
func begins(text string) bool { return verbPattern.MatchString(text) || sentence.IsCommand(text) }

// shellPattern and textPattern match the beginning of a step up to a shell command, and up to a free text.
var (
	shellPattern = regexp.MustCompile(`(?i)^(?:please )?(?:run|execute) (?:the )?(?:shell )?command `)
	textPattern  = regexp.MustCompile(`(?i)^(?:please |bitte )?(?:remember|search|look|web search|run|execute|call|invoke)\b[^"“„'‘]*`)
)

// steps returns the places of the steps of a command, each as its first byte and the byte behind it. Separators in
// quotes and in JSON do not count. A shell command without quotes around it is the last step, because a separator may
// be part of it. After a free text without quotes, only a semicolon and "then" separate.
func steps(said string) (list [][2]int) {
	whole, last, start := wholes(said), [2]int{}, 0
	for _, sep := range stepPattern.FindAllStringSubmatchIndex(said, -1) {
		if sep[0] < start {
			continue
		}
		for len(whole) > 0 && whole[0][1] <= sep[0] {
			last, whole = whole[0], whole[1:]
		}
		if len(whole) > 0 && whole[0][0] <= sep[0] {
			continue
		}
		if shell := shellPattern.FindStringIndex(said[start:]); shell != nil && last != [2]int{start + shell[1], sep[0]} {
			break
		}
		if sep[2] >= 0 {
			text := textPattern.FindStringIndex(said[start:])
			if !begins(said[sep[1]:]) || text != nil && last[0] != start+text[1] {
				continue
			}
		}
		list, start = append(list, [2]int{start, sep[0]}), sep[1]
	}
	return append(list, [2]int{start, len(said)})
}

// closing maps each opening quote to its closing one.
var closing = map[rune]string{'"': `"`, '\'': "'", '`': "`", '“': "”", '„': "“", '‘': "’"}

// wholes returns the places of quoted texts and of JSON objects, each as its first byte and the byte
// behind it. A quote opens at the beginning of a word and closes at the end of a word, so that an
// apostrophe does neither.
func wholes(said string) (list [][2]int) {
	unclosed := map[rune]bool{} // what does not close once does not close later
	for at, before := 0, ' '; at < len(said); {
		r, n := utf8.DecodeRuneInString(said[at:])
		if before == ' ' && !unclosed[r] {
			if length := wholeAt(said[at:], r); length > 0 {
				list = append(list, [2]int{at, at + length})
				n = length
			} else {
				unclosed[r] = closing[r] != "" || r == '{'
			}
		}
		at, before = at+n, r
	}
	return list
}

// wholeAt returns the length of the quoted text or JSON object at the beginning of text, in bytes, or
// 0 if there is none. first is the first character.
func wholeAt(text string, first rune) int {
	if first == '{' {
		in, object := json.NewDecoder(strings.NewReader(text)), json.RawMessage(nil)
		if in.Decode(&object) != nil {
			return 0
		}
		return int(in.InputOffset())
	}
	end, is := closing[first]
	if !is {
		return 0
	}
	for at := utf8.RuneLen(first); ; {
		next := strings.Index(text[at:], end)
		if next < 0 {
			return 0
		}
		if at += next + len(end); at == len(text) || strings.ContainsRune(" \t\r\n.,;:!?)", rune(text[at])) {
			return at
		}
	}
}
