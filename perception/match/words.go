package match

import (
	_ "embed" // of words.txt
	"strings"
)

// words is English and many names, a word of three letters or more on a line, in order and in lower
// case: the Debian packages wamerican and wbritish, made from SCOWL, less what has other characters.
//
//	cat american-english british-english | grep -v "'" | tr A-Z a-z | LC_ALL=C grep -E '^[a-z]{3,}$' | LC_ALL=C sort -u
//
//go:embed words.txt
var words string

// isWord reports whether words has one in lower case.
func isWord(word string) bool {
	low, high := 0, len(words) // beginnings of lines
	for low < high {
		middle := low + strings.LastIndexByte(words[low:(low+high)/2], '\n') + 1
		line := words[middle : middle+strings.IndexByte(words[middle:], '\n')]
		switch {
		case line == word:
			return true
		case line < word:
			low = middle + len(line) + 1
		default:
			high = middle
		}
	}
	return false
}

// isKnown reports whether words has one, or the singular of it.
func isKnown(word string) bool {
	one, ok := strings.CutSuffix(word, "s")
	return isWord(word) || ok && isWord(one)
}
