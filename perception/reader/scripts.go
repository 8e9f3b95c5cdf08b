package reader

import (
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/convnet"
)

// How much of a screen must be Latin for all of it to be, where nothing else speaks for another alphabet.
const (
	latinWords = 3   // at least as many
	latinShare = 0.7 // of the words with letters
)

// spellLatin spells words as Latin that were read as Greek or Cyrillic ones, on a screen that is Latin otherwise, and whose
// letters are drawn as Latin ones. A line of a word or two does not say which alphabet it is of; the screen does. A screen with
// a word that can only be of another alphabet is not Latin alone.
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
		told := *l.text // others may have this text too
		told.words = slices.Clone(told.words)
		for n, w := range told.words {
			if text, ok := convnet.ToLatin(w.text); ok && strings.ContainsFunc(w.text, convnet.IsOther) {
				told.words[n].text = text
			}
		}
		lines[i].text = &told
	}
}

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }
