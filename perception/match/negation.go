package match

import (
	"image"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/geo"
)

// reach is the maximum number of words between a text and a negation before it.
const reach = 4

// mostOfLabel is the maximum number of words of a label; longer rows are running text.
const mostOfLabel = 5

// closeBeside is the maximum gap between two rows, in heights of their letters, for the end of one
// to negate the beginning of the other.
const closeBeside = 1

// negations are words that negate the text after them. Words that end in "n't" do so too.
var negations = []string{
	"not", "no", "never", "without", "cannot", "non", "nicht", "kein", "keine", "keinen", "keinem", "keiner", "ohne", "ne", "pas", "sans", "sin", "não", "не", "без",
}

// unmarked are words that end in "n't", read or typed without the apostrophe.
var unmarked = []string{
	"dont", "doesnt", "didnt", "cant", "couldnt", "wont", "wouldnt", "shouldnt", "mustnt", "isnt", "arent", "wasnt", "werent", "hasnt", "havent", "hadnt",
}

// light are words that a negation reaches across. Adverbs in "ly" are light too: "Do not automatically
// save" and "I do not wish to receive" negate "save" and "receive". A negation applies to the first other
// word, and to no word after it.
var light = []string{
	"a", "an", "the", "any", "my", "your", "our", "this", "that", "me", "us", "it", "to", "be", "been", "being", "have", "has", "do", "want", "wish", "like", "need", "try",
	"ever", "yet", "now", "just", "also", "always", "again", "longer",
	"das", "die", "den", "der", "dem", "ein", "eine", "einen", "mir", "mich", "ich", "möchte", "will", "zu", "jetzt", "mehr", "immer", "wieder", "sofort", "automatisch",
	"le", "la", "les", "un", "une", "me", "de", "jamais", "plus", "veux", "automatiquement", "el", "los", "las", "una", "quiero", "automáticamente",
	"o", "os", "as", "quero", "mais", "automaticamente", "хочу", "больше", "автоматически",
}

// apostrophes replaces each mark that looks like an apostrophe with an apostrophe.
var apostrophes = strings.NewReplacer("’", "'", "‘", "'", "´", "'", "`", "'", "′", "'")

// IsNegation reports whether a word negates the text after it. It ignores a bracket or a quote
// before the word, and a comma after the word. It does not ignore a full stop, so "no." in "no. 7"
// is not a negation.
func IsNegation(word string) bool {
	word = strings.TrimSuffix(strings.TrimLeft(apostrophes.Replace(strings.ToLower(word)), `([{"“„«'`), ",")
	return slices.Contains(negations, word) || slices.Contains(unmarked, word) || strings.HasSuffix(word, "n't")
}

// Negated reports whether the words before a text negate the text: the last word is a negation, or
// only words such as "the", "to" and "want" are between the negation and the text. If the text
// begins with a number, a "no" before it is not a negation, because it means "number".
func Negated(before []string, text string) bool {
	negated, _ := negatedBy(before)
	return negated && (!isNumber(text) || !strings.EqualFold(before[len(before)-1], "no"))
}

// negatedBy reports whether the words before a text negate it. If they do not, open reports whether
// further words before them could.
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

// isLight reports whether a negation reaches across a word.
func isLight(word string) bool {
	word = strings.ToLower(word)
	return slices.Contains(light, word) || len(word) > 4 && strings.HasSuffix(word, "ly")
}

// isNumber reports whether a text begins with a word of digits and marks.
func isNumber(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return strings.ContainsFunc(word, unicode.IsDigit) && !strings.ContainsFunc(word, unicode.IsLetter)
}

// isNegated reports whether the words before word from of a row negate it. The words may be in a
// row that this row continues.
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

// wordsBefore returns the words before position at that a negation can be among. It returns a "no"
// within running text as "", because "no" in "there is no room for more" belongs to the sentence
// and negates no label.
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

// negatingRows returns the indexes of the rows whose last words negate the row beside them. A
// single "no" does not count, because it is an answer or a cell of a table.
func negatingRows(rows []indexed) (list []int) {
	for i := range rows {
		words := rows[i].wordsBefore(rows[i].words())
		if negated, _ := negatedBy(words); negated && (len(words) > 1 || !strings.EqualFold(words[0], "no")) {
			list = append(list, i)
		}
	}
	return list
}

// isCloseBeside reports whether right continues left, at most one space away.
func isCloseBeside(left, right image.Rectangle) bool {
	return geo.SameLine(left, right) && left.Min.X < right.Min.X && right.Min.X-left.Max.X <= closeBeside*min(left.Dy(), right.Dy())
}
