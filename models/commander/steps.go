package commander

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

var stepPattern = regexp.MustCompile(`(?i)\s*(?:;(?:\s*(?:and )?then )?|,? (?:and )?then )\s*`)

// shellPattern matches the beginning of a step with a shell command, up to the command.
var shellPattern = regexp.MustCompile(`(?i)^(?:please )?(?:run|execute) (?:the )?(?:shell )?command `)

// steps splits a command into its steps. Separators in quotes and in JSON do not count. A shell
// command without quotes around it is the last step, because a separator may be part of it.
func steps(said string) (list []string) {
	whole, last, start := wholes(said), [2]int{}, 0
	for _, sep := range stepPattern.FindAllStringIndex(said, -1) {
		for len(whole) > 0 && whole[0][1] <= sep[0] {
			last, whole = whole[0], whole[1:]
		}
		if len(whole) > 0 && whole[0][0] <= sep[0] {
			continue
		}
		shell := shellPattern.FindStringIndex(said[start:])
		if shell != nil && last != [2]int{start + shell[1], sep[0]} {
			break
		}
		list, start = append(list, said[start:sep[0]]), sep[1]
	}
	return append(list, said[start:])
}

// closing maps each opening quote to its closing one.
var closing = map[rune]string{'"': `"`, '\'': "'", '`': "`", '“': "”", '‘': "’"}

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
