package reader

import (
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/convnet"
)

// Minimum Latin text on a screen for spellLatin.
const (
	latinWords = 3   // minimum number of Latin words
	latinShare = 0.7 // minimum share of Latin words among words with letters
)

// spellLatin replaces Greek and Cyrillic words with Latin ones if their letters have the same
// shapes, on a screen whose other text is Latin. One or two words do not reveal their alphabet; the
// rest of the screen does. If a confident word can only be of another alphabet, spellLatin changes
// nothing.
func spellLatin(lines []line) {
	latin, others := 0, 0
	for _, l := range lines {
		for _, w := range l.text.words {
			switch {
			case !hasLetter(w.text):
			case !strings.ContainsFunc(w.text, convnet.IsOther):
				latin++
			default:
				others++
				if _, ok := convnet.ToLatin(w.text); !ok && w.confidence >= sureLevel && !strings.ContainsFunc(w.text, isLatin) {
					return
				}
			}
		}
	}
	if others == 0 || latin < latinWords || float64(latin) < latinShare*float64(latin+others) {
		return
	}
	for i, l := range lines {
		if !slices.ContainsFunc(l.text.words, func(w word) bool { return strings.ContainsFunc(w.text, convnet.IsOther) }) {
			continue
		}
		latinText := *l.text // a copy, because other lines may share this text
		latinText.words = slices.Clone(latinText.words)
		for n, w := range latinText.words {
			if text, ok := convnet.ToLatin(w.text); ok && strings.ContainsFunc(w.text, convnet.IsOther) {
				latinText.words[n].text = text
			}
		}
		lines[i].text = &latinText
	}
}

// isLatin reports whether r is a Latin letter, with or without accents.
func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }
