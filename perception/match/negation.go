package match

import (
	"image"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/geo"
)

// reach is how many words behind a negation it is looked for.
const reach = 4

// mostOfLabel is how many words a label has at most; longer rows are running text.
const mostOfLabel = 5

// closeBeside is how far apart two rows are at most, in heights of their letters, for what ends one to negate what begins the other.
const closeBeside = 1

// negations say that what follows them is not so, as words that end in "n't" do.
var negations = []string{
	"not", "no", "never", "without", "cannot", "non", "nicht", "kein", "keine", "keinen", "keinem", "keiner", "ohne", "ne", "pas", "sans", "sin", "não", "не", "без",
}

// unmarked are words that end in "n't", as they are read or typed without the mark.
var unmarked = []string{
	"dont", "doesnt", "didnt", "cant", "couldnt", "wont", "wouldnt", "shouldnt", "mustnt", "isnt", "arent", "wasnt", "werent", "hasnt", "havent", "hadnt",
}

// light are words that a negation reaches over, as adverbs in "ly" are: "Do not automatically save" and "I do not wish to receive" negate
// "save" and "receive". Any other word is what is negated itself, and no word behind it is.
var light = []string{
	"a", "an", "the", "any", "my", "your", "our", "this", "that", "me", "us", "it", "to", "be", "been", "being", "have", "has", "do", "want", "wish", "like", "need", "try",
	"ever", "yet", "now", "just", "also", "always", "again", "longer",
	"das", "die", "den", "der", "dem", "ein", "eine", "einen", "mir", "mich", "ich", "möchte", "will", "zu", "jetzt", "mehr", "immer", "wieder", "sofort", "automatisch",
	"le", "la", "les", "un", "une", "me", "de", "jamais", "plus", "veux", "automatiquement", "el", "los", "las", "una", "quiero", "automáticamente",
	"o", "os", "as", "quero", "mais", "automaticamente", "хочу", "больше", "автоматически",
}

// apostrophes makes one of the marks that readers and typists take for it.
var apostrophes = strings.NewReplacer("’", "'", "‘", "'", "´", "'", "`", "'", "′", "'")

// IsNegation reports whether a word says that what follows it is not so. A bracket or a quote before it and a comma behind it do not
// count; a full stop does, as in "no. 7".
func IsNegation(word string) bool {
	word = strings.TrimSuffix(strings.TrimLeft(apostrophes.Replace(strings.ToLower(word)), `([{"“„«'`), ",")
	return slices.Contains(negations, word) || slices.Contains(unmarked, word) || strings.HasSuffix(word, "n't")
}

// Negated reports whether the words before a text say that it is not so: the last one by a negation, or one before words that it
// reaches over. A "no" before a number, with which the text begins then, says which number.
func Negated(before []string, text string) bool {
	negated, _ := negatedBy(before)
	return negated && (!isNumber(text) || !strings.EqualFold(before[len(before)-1], "no"))
}

// negatedBy reports whether the words before a text say that it is not so, and if they do not, whether words before these could.
func negatedBy(before []string) (negated, open bool) {
	for _, word := range slices.Backward(before[max(0, len(before)-reach):]) {
		if IsNegation(word) {
			return true, false
		}
		if !isLight(word) {
			return false, false
		}
	}
	return false, len(before) < reach
}

// isLight reports whether a negation reaches over a word.
func isLight(word string) bool {
	word = strings.ToLower(word)
	return slices.Contains(light, word) || len(word) > 4 && strings.HasSuffix(word, "ly")
}

// isNumber reports whether a text begins with a word of digits and marks.
func isNumber(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return strings.ContainsFunc(word, unicode.IsDigit) && !strings.ContainsFunc(word, unicode.IsLetter)
}

// isNegated reports whether the words before those from a place of a row on say that they are not so. They may be in a row that goes on
// with this one.
func (s *searcher) isNegated(in *indexed, from int) bool {
	before, text := in.wordsBefore(from), in.plainOf(from, from+1)
	if _, open := negatedBy(before); !open || in.begins != nil || s.screen == nil {
		return Negated(before, text)
	}
	for _, i := range s.screen.negating() {
		if o := &s.screen.rows[i]; isCloseBeside(o.row.Box, in.row.Box) {
			return Negated(append(o.wordsBefore(o.words()), before...), text)
		}
	}
	return false
}

// wordsBefore returns the words of a row before a place that a negation can reach from. A "no" within running text, as in "there is no
// room for more", is returned as "": it denies what the text says, and is not a label's.
func (in *indexed) wordsBefore(at int) (words []string) {
	for i := max(0, at-reach); i < at; i++ {
		word := in.plainOf(i, i+1)
		if i > 0 && in.words() > mostOfLabel && strings.EqualFold(word, "no") {
			word = ""
		}
		words = append(words, word)
	}
	return words
}

// negatingRows returns the indexes of the rows whose last words negate what goes on beside them. A "no" by itself is an answer, or a
// cell of a table.
func negatingRows(rows []indexed) (list []int) {
	for i := range rows {
		words := rows[i].wordsBefore(rows[i].words())
		if negated, _ := negatedBy(words); negated && (len(words) > 1 || !strings.EqualFold(words[0], "no")) {
			list = append(list, i)
		}
	}
	return list
}

// isCloseBeside reports whether a row goes on with another to its right, a space farther.
func isCloseBeside(left, right image.Rectangle) bool {
	return geo.SameLine(left, right) && left.Min.X < right.Min.X && right.Min.X-left.Max.X <= closeBeside*min(left.Dy(), right.Dy())
}
