package locate

import (
	"slices"
	"strings"

	"github.com/lithammer/fuzzysearch/fuzzy"

	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/match"
)

// How much of what an element shows counts as what was said.
const (
	otherForm = 0.78 // another form of a word
	byMeaning = 0.76 // another word for it
	byCaption = 0.85 // what stands beside a control
	bySection = 0.5  // the heading that it is under
	byName    = 0.7  // the name of what it is
	byColumn  = 0.9  // the name of its column
	elsewhere = 0.75 // another word for it, where the word itself stands elsewhere
	leastUnit = 0.4  // of each unit, at least
	mostMeant = 7    // words of a text that other words are understood in
)

// nearMiss is how well a label matches a text at most that says another thing: less than needText.
const nearMiss = 0.45

// saying is what a text of the screen means, with its words as stems.
type saying struct {
	stems []string
	ids   []int
	like  *wordLikes
}

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

// shows returns how well a text shows a unit by its words or what they mean.
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

// section is the heading that something is under.
type section struct {
	saying
	words []string
}

func (x *section) shows(u *unit) float64 {
	if x == nil {
		return 0
	}
	return x.saying.shows(u, x.words)
}

// wordLikes keeps how well words match: each pair is compared once.
type wordLikes struct {
	by    map[string]map[string]float64
	words map[string]float64 // by[last]
	last  string
}

// of returns how well a word l of the screen matches a word w of a description.
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

// likeWord returns how well two words match.
func likeWord(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case len(a) == 1 && abbreviations[b] == a:
		return 0.95
	case strings.ContainsAny(b, "0123456789"): // another number is another thing
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

// fit returns how well a text matches a label. Both are in lower case.
func fit(label, text string) float64 {
	switch {
	case label == "" || text == "":
		return 0
	case label == text:
		return 1
	}
	l, t := letters(label), letters(text)
	if at := strings.Index(label, text); at >= 0 {
		part := float64(len(text)) / float64(len(label))
		if isWhole(label, at, at+len(text)) && !match.Negated(strings.Fields(label[:at]), text) {
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

// isWhole reports whether words begin and end at these places of a text.
func isWhole(text string, from, to int) bool {
	return (from == 0 || !isLetter(text[from-1])) && (to == len(text) || !isLetter(text[to])) &&
		!isWithinNumber(text, from) && !isWithinNumber(text, to)
}

// isWithinNumber reports whether a place of a text is before or after a mark between two digits.
func isWithinNumber(text string, at int) bool {
	isNumber := func(i int) bool {
		return i > 0 && i+1 < len(text) && isDigit(text[i-1]) && strings.IndexByte(".,:/-", text[i]) >= 0 && isDigit(text[i+1])
	}
	return isNumber(at) || isNumber(at-1)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isLetter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80
}
