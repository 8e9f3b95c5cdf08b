package convnet

import (
	"strings"
	"unicode"
)

// IsOther reports whether r is a Cyrillic or Greek letter. These two alphabets share shapes with
// the Latin alphabet. The micro sign μ counts as Latin.
func IsOther(r rune) bool { return r != 'μ' && unicode.In(r, unicode.Cyrillic, unicode.Greek) }

// lookLatin are letters of other alphabets with the shape of a Latin letter; areLatin are those
// Latin letters, in the same order.
const (
	lookLatin = "АВЕКМНОРСТХЅІЈЇЁаеорсухѕіјїёΑΒΕΖΗΙΚΜΝΟΡΤΥΧοόνςϊΪ"
	areLatin  = "ABEKMHOPCTXSIJÏËaeopcyxsijïëABEZHIKMNOPTYXoóvsïÏ"
)

// lookCapital are small Cyrillic letters with the shape of a Latin capital; areCapitals are those
// capitals, in the same order. A word with one of them is in capitals.
const (
	lookCapital = "вкмнт"
	areCapitals = "BKMHT"
)

// ToLatin replaces each Cyrillic or Greek letter in word with the Latin letter of the same shape,
// and returns true. If any of these letters does not look like a Latin letter, ToLatin returns the
// unchanged word, and false.
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

// runeIndex returns the index of r in s, counted in runes; -1 if s does not contain it.
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
