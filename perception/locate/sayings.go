package locate

import (
	"slices"
	"strings"

	"github.com/lithammer/fuzzysearch/fuzzy"

	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/match"
)

// The factors for what an element shows, 0 to 1. 1 is the word itself.
const (
	otherForm = 0.78 // another form of the word
	byMeaning = 0.76 // a synonym
	byCaption = 0.85 // in the text beside a control
	bySection = 0.5  // in the heading above
	byName    = 0.7  // in the name of its role
	byColumn  = 0.9  // in the head of its column
	elsewhere = 0.75 // further factor for a synonym if the word itself is on the screen
	leastUnit = 0.4  // minimum for each unit of a match
	mostMeant = 7    // maximum words of a text that may match by a synonym
)

// nearMiss is the maximum for a label that says something else than a text. It is less than
// needText.
const nearMiss = 0.45

// saying is the meaning of a text on the screen: the stems of its words and the numbers of its
// concepts.
type saying struct {
	stems []string
	ids   []int
	like  *wordLikes
}

// meaningOf returns the meaning of the words of a text. like is the cache that shows uses.
func meaningOf(words []string, like *wordLikes) (m saying) {
	m.like = like
	for i := range words {
		m.stems = append(m.stems, stem(words[i]))
		for n := 1; n <= maxConcept && i+n <= len(words); n++ {
			m.ids = append(m.ids, lexicons().written[stems(words[i:i+n])]...)
		}
	}
	return m
}

// shows returns how well a text shows a unit by its words or their meaning, 0 to 1. words are the
// words of the text.
func (m *saying) shows(u *unit, words []string) float64 {
	if len(words) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range u.words {
		best := 0.0
		for k, l := range words {
			best = max(best, m.like.of(l, w))
			if best < otherForm && len(w) > 2 && m.stems[k] == stem(w) {
				best = otherForm
			}
		}
		if best < 0.5 {
			sum = 0
			break
		}
		sum += best
	}
	if literal := sum / float64(len(u.words)); literal > 0 {
		return literal
	}
	if len(words) <= mostMeant && slices.ContainsFunc(u.means, func(id int) bool { return slices.Contains(m.ids, id) }) {
		return byMeaning
	}
	return 0
}

// section is the heading above an element.
type section struct {
	saying
	words []string
}

// shows returns how well the heading shows a unit, 0 to 1. It is 0 for a nil section: there is no heading.
func (x *section) shows(u *unit) float64 {
	if x == nil {
		return 0
	}
	return x.saying.shows(u, x.words)
}

// wordLikes caches how well words match.
type wordLikes struct {
	by    map[string]map[string]float64
	words map[string]float64 // the entry of by for the word last
	last  string
}

// of returns how well word l of the screen matches word w of a description, 0 to 1.
func (t *wordLikes) of(l, w string) float64 {
	if t.by == nil {
		t.by = map[string]map[string]float64{}
	}
	if t.words == nil || t.last != w {
		if t.by[w] == nil {
			t.by[w] = map[string]float64{}
		}
		t.words, t.last = t.by[w], w
	}
	v, known := t.words[l]
	if !known {
		v = likeWord(l, w)
		t.words[l] = v
	}
	return v
}

// likeWord returns how well two words match, 0 to 1.
func likeWord(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case len(a) == 1 && abbreviations[b] == a:
		return 0.95
	case strings.ContainsAny(b, "0123456789"): // a different number is a different thing
		return 0
	case len(a) < 4 || len(b) < 4:
		return 0
	case strings.HasPrefix(a, b) || strings.HasPrefix(b, a):
		return 0.8 * float64(min(len(a), len(b))) / float64(max(len(a), len(b)))
	case len(b) >= 6 && geo.Abs(len(a)-len(b)) <= 1 && match.Same(b, a):
		return 0.8
	}
	return 0
}

// fit returns how well a text matches a label, 0 to 1. Both must be in lower case.
func fit(label, text string) float64 {
	switch {
	case label == "" || text == "":
		return 0
	case label == text:
		return 1
	}
	l, t := letters(label), letters(text)
	if strings.Contains(label, text) {
		part := float64(len(text)) / float64(len(label))
		if hasWhole(label, text) {
			return 0.55 + 0.35*part
		}
		return min(0.3+0.4*part, nearMiss)
	}
	most := max(2, len(t)/6)
	if geo.Abs(len(l)-len(t)) > most {
		return 0
	}
	far := 0
	if l != t {
		far = fuzzy.LevenshteinDistance(l, t)
	}
	switch {
	case far > most:
		return 0
	case !match.Same(text, label):
		return max(0, nearMiss-0.1*float64(far))
	case far == 0:
		return 0.97
	}
	return 0.85 - 0.1*float64(min(far, 2))
}

// hasWhole reports whether a label has a text at least once as whole words that nothing negates.
func hasWhole(label, text string) bool {
	for from := 0; ; from++ {
		i := strings.Index(label[from:], text)
		if i < 0 {
			return false
		}
		from += i
		if isWhole(label, from, from+len(text)) && !match.Negated(strings.Fields(label[:from]), text) {
			return true
		}
	}
}

// isWhole reports whether text[from:to] begins and ends at the borders of words.
func isWhole(text string, from, to int) bool {
	return (from == 0 || !isLetter(text[from-1])) && (to == len(text) || !isLetter(text[to])) &&
		!isWithinNumber(text, from) && !isWithinNumber(text, to)
}

// isWithinNumber reports whether an index of a text is before or after a sign between two digits.
func isWithinNumber(text string, at int) bool {
	isNumber := func(i int) bool {
		return i > 0 && i+1 < len(text) && isDigit(text[i-1]) && strings.IndexByte(".,:/-", text[i]) >= 0 && isDigit(text[i+1])
	}
	return isNumber(at) || isNumber(at-1)
}

// isDigit accepts ASCII digits only.
func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// isLetter accepts ASCII digits, and each byte of a letter outside ASCII. Text must be in lower case.
func isLetter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80
}
