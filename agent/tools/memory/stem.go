package memory

import "strings"

// stem returns the stem of an English word by the rules of M. F. Porter (1980). A
// word with other letters than a to z is its own stem.
func stem(s string) string {
	if len(s) < 3 || strings.IndexFunc(s, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return s
	}
	s = stripPast(stripPlural(s))
	if before, ok := strings.CutSuffix(s, "y"); ok && hasVowel(before) {
		s = before + "i"
	}
	return stripE(stripLast(replaceEnding(replaceEnding(s, derived), adjectives)))
}

// ending is an ending of words, and its replacement.
type ending struct{ from, to string }

// The endings of steps 2 and 3. The first that fits is replaced.
var (
	derived = []ending{
		{"ational", "ate"}, {"ization", "ize"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"tional", "tion"},
		{"biliti", "ble"}, {"entli", "ent"}, {"ousli", "ous"}, {"ation", "ate"}, {"alism", "al"}, {"aliti", "al"}, {"iviti", "ive"},
		{"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"}, {"alli", "al"}, {"ator", "ate"}, {"eli", "e"},
	}
	adjectives = []ending{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ness", ""}, {"ful", ""},
	}
)

// last are the endings of step 4, each before those that it ends in.
var last = []string{
	"ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize", "al", "er", "ic", "ou",
}

func stripPlural(s string) string {
	switch {
	case strings.HasSuffix(s, "sses"), strings.HasSuffix(s, "ies"):
		return s[:len(s)-2]
	case strings.HasSuffix(s, "s") && !strings.HasSuffix(s, "ss"):
		return s[:len(s)-1]
	}
	return s
}

// stripPast removes "ed" and "ing", and corrects the rest.
func stripPast(s string) string {
	if before, ok := strings.CutSuffix(s, "eed"); ok {
		if measure(before) > 0 {
			return s[:len(s)-1]
		}
		return s
	}
	before, ok := strings.CutSuffix(s, "ed")
	if !ok {
		before, ok = strings.CutSuffix(s, "ing")
	}
	if !ok || !hasVowel(before) {
		return s
	}
	n := len(before)
	switch {
	case strings.HasSuffix(before, "at"), strings.HasSuffix(before, "bl"), strings.HasSuffix(before, "iz"):
		return before + "e"
	case endsDouble(before) && !strings.ContainsRune("lsz", rune(before[n-1])):
		return before[:n-1]
	case measure(before) == 1 && endsShort(before):
		return before + "e"
	}
	return before
}

// replaceEnding replaces the first ending that s has, if a syllable is before it.
func replaceEnding(s string, endings []ending) string {
	for _, e := range endings {
		if before, ok := strings.CutSuffix(s, e.from); ok {
			if measure(before) > 0 {
				return before + e.to
			}
			return s
		}
	}
	return s
}

func stripLast(s string) string {
	for _, e := range last {
		before, ok := strings.CutSuffix(s, e)
		if !ok {
			continue
		}
		if measure(before) < 2 || e == "ion" && !strings.HasSuffix(before, "s") && !strings.HasSuffix(before, "t") {
			return s
		}
		return before
	}
	return s
}

// stripE removes an e at the end, and one of two l.
func stripE(s string) string {
	if before, ok := strings.CutSuffix(s, "e"); ok {
		if m := measure(before); m > 1 || m == 1 && !endsShort(before) {
			s = before
		}
	}
	if strings.HasSuffix(s, "ll") && measure(s[:len(s)-1]) > 1 {
		return s[:len(s)-1]
	}
	return s
}

// isVowel reports whether the letter at i is a vowel, as y after a consonant.
func isVowel(s string, i int) bool {
	switch s[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	case 'y':
		return i > 0 && !isVowel(s, i-1)
	}
	return false
}

func hasVowel(s string) bool {
	for i := range len(s) {
		if isVowel(s, i) {
			return true
		}
	}
	return false
}

// measure counts the consonants that follow a vowel: about the syllables.
func measure(s string) int {
	count, before := 0, false
	for i := range len(s) {
		vowel := isVowel(s, i)
		if before && !vowel {
			count++
		}
		before = vowel
	}
	return count
}

func endsDouble(s string) bool {
	n := len(s)
	return n >= 2 && s[n-1] == s[n-2] && !isVowel(s, n-1)
}

// endsShort reports whether s ends as "hop" does: consonant, vowel, consonant,
// of which the last is none of w, x and y.
func endsShort(s string) bool {
	n := len(s)
	return n >= 3 && !isVowel(s, n-1) && isVowel(s, n-2) && !isVowel(s, n-3) && !strings.ContainsRune("wxy", rune(s[n-1]))
}
