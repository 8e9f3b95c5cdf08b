package match

import (
	_ "embed" // of words.txt
	"strings"
)

// words has English words and many names of at least three letters in lower case, one on each line,
// sorted. It comes from the Debian packages wamerican and wbritish, made from SCOWL, without
// entries that contain other characters.
//
//	cat american-english british-english | grep -v "'" | tr A-Z a-z | LC_ALL=C grep -E '^[a-z]{3,}$' | LC_ALL=C sort -u
//
//go:embed words.txt
var words string

// isWord reports whether words contains a word, which must be in lower case.
func isWord(word string) bool {
	low, high := 0, len(words) // offsets of the beginnings of lines
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

// isKnown reports whether words contains a word or, if it ends in s, the word without the s.
func isKnown(word string) bool {
	one, ok := strings.CutSuffix(word, "s")
	return isWord(word) || ok && isWord(one)
}
