package match

import (
	"slices"
	"strings"
)

// heads turn a word into its opposite, or into that of another head, in some languages with many
// users. The empty one is the word by itself.
var heads = []string{
	"", "un", "in", "im", "il", "ir", "dis", "de", "des", "non", "mis", "anti", "re", "ex", "em", "en", "out", "on", "off", "up", "down",
	"over", "under", "pre", "post", "sub", "super", "inter", "intra", "max", "min", "multi", "mono",
	"an", "ab", "auf", "aus", "ein", "zu", "hin", "her", "vor", "nach", "ent", "ver", "be", "ne", "не", "без", "от", "при", "вы", "в",
}

// areOpposites reports whether two words differ by the heads of what is else the same.
func areOpposites(a, b string) bool {
	for _, head := range heads {
		rest, ok := strings.CutPrefix(a, head)
		if !ok || len(rest) < 3 {
			continue
		}
		if other, ok := strings.CutSuffix(b, rest); ok && other != head && slices.Contains(heads, other) {
			return true
		}
	}
	return false
}

// negations say that what follows them is not so, as words that end in "n't" do.
var negations = []string{
	"not", "no", "never", "without", "cannot", "non", "nicht", "kein", "keine", "keinen", "keinem", "keiner", "ohne", "ne", "pas", "sans", "sin", "não", "не", "без",
}

// unmarked are words that end in "n't", as they are read or typed without the mark.
var unmarked = []string{
	"dont", "doesnt", "didnt", "cant", "couldnt", "wont", "wouldnt", "shouldnt", "mustnt", "isnt", "arent", "wasnt", "werent", "hasnt", "havent", "hadnt",
}

// apostrophes makes one of the marks that readers and typists take for it.
var apostrophes = strings.NewReplacer("’", "'", "‘", "'", "´", "'", "`", "'", "′", "'")

// IsNegation reports whether a word says that what follows it is not so. A bracket or a quote before it and a comma behind it do not
// count; a full stop does, as in "no. 7".
func IsNegation(word string) bool {
	word = strings.TrimSuffix(strings.TrimLeft(apostrophes.Replace(strings.ToLower(word)), `([{"“„«'`), ",")
	return slices.Contains(negations, word) || slices.Contains(unmarked, word) || strings.HasSuffix(word, "n't")
}
