package convnet

import (
	"strings"
	"unicode"
)

// IsOther reports whether a letter is of another alphabet than Latin that shares letters with it. The sign of micro is in both.
func IsOther(r rune) bool { return r != 'μ' && unicode.In(r, unicode.Cyrillic, unicode.Greek) }

// Letters of other alphabets that are drawn as Latin ones, and those.
const (
	lookLatin = "АВЕКМНОРСТХЅІЈЇЁаеорсухѕіјїёΑΒΕΖΗΙΚΜΝΟΡΤΥΧοόνςϊΪ"
	areLatin  = "ABEKMHOPCTXSIJÏËaeopcyxsijïëABEZHIKMNOPTYXoóvsïÏ"
)

// Small letters of Cyrillic that are drawn as Latin capitals, and those: a word that has one is of capitals.
const (
	lookCapital = "вкмнт"
	areCapitals = "BKMHT"
)

// ToLatin returns a word of another alphabet with the Latin letters that are drawn alike; false if it has a letter that none is
// like.
func ToLatin(word string) (string, bool) {
	var out strings.Builder
	capitals := false
	for _, r := range word {
		if i := runeIndex(lookCapital, r); i >= 0 {
			capitals = true
			r = []rune(areCapitals)[i]
		} else if i := runeIndex(lookLatin, r); i >= 0 {
			r = []rune(areLatin)[i]
		} else if IsOther(r) {
			return word, false
		}
		out.WriteRune(r)
	}
	if capitals {
		return strings.ToUpper(out.String()), true
	}
	return out.String(), true
}

// runeIndex returns how many runes of a string stand before r; -1 if it has none.
func runeIndex(s string, r rune) int {
	n := 0
	for _, c := range s {
		if c == r {
			return n
		}
		n++
	}
	return -1
}
