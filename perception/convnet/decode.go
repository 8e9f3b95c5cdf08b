package convnet

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/ngram"
)

// peak is a run of steps with the same best class.
type peak struct {
	class, next      int // next is the second best class, without the blank; 0 if there is none
	score, nextScore float64
	from, to         int // steps, to exclusive
}

// scores runs the last layer over the steps in a, and returns the reading of its peaks.
func (m *Model) scores(w *workspace, steps, width int) lstm.Reading {
	w.peaks, w.candidates, w.steps = w.peaks[:0], w.candidates[:0], w.steps[:0]
	last := 0
	l := &m.head
	m.each(w, l, w.a[maxReach/2*m.rows.Outputs:], m.rows.Outputs, steps, func(x int, sums []int32) {
		if x*stride >= width {
			return
		}
		w.scores = slices.Grow(w.scores[:0], l.Outputs)[:l.Outputs]
		class, lead := m.kernel.Best(l, sums, w.scores)
		w.steps = append(w.steps, int32(len(w.candidates)))
		if lead > -leastChance {
			w.candidates = append(w.candidates, candidate{class, 0})
		} else {
			w.candidates = candidates(w.candidates, w.scores, class)
		}
		if class != 0 {
			p := peak{class: class, next: bestLetter(w.scores, class), from: x, to: x + 1}
			p.score, p.nextScore = certainty(w.scores, class, p.next)
			if class == last {
				w.peaks[len(w.peaks)-1].join(p)
			} else {
				w.peaks = append(w.peaks, p)
			}
		}
		last = class
	})
	return m.spell(m.choose(w))
}

// join extends p to the end of o. The more certain of the two determines the scores.
func (p *peak) join(o peak) {
	if o.score > p.score {
		p.score, p.next, p.nextScore = o.score, o.next, o.nextScore
	}
	p.to = o.to
}

// bestLetter returns the class with the highest score, except the blank and but.
func bestLetter(scores []float32, but int) (best int) {
	top := float32(math.Inf(-1))
	for c, s := range scores {
		if s > top && c > 0 && c != but {
			best, top = c, s
		}
	}
	return best
}

const negligible = -12 // e^-12 is negligible beside 1

// candidates appends the classes of a step whose probability is near the highest. The best class
// comes first.
func candidates(list []candidate, scores []float32, best int) []candidate {
	top, sum := scores[best], 0.0
	from := len(list)
	list = append(list, candidate{best, 0})
	for c, s := range scores {
		d := s - top
		if d <= negligible {
			continue
		}
		sum += math.Exp(float64(d))
		if d > leastChance && c != best {
			list = append(list, candidate{c, float64(d)})
		}
	}
	for i := from; i < len(list); i++ {
		list[i].chance -= math.Log(sum)
	}
	return list
}

// certainty returns the softmax probabilities of two classes.
func certainty(scores []float32, best, next int) (ofBest, ofNext float64) {
	top := scores[best]
	sum := 0.0
	for _, s := range scores {
		if d := s - top; d > negligible {
			sum += math.Exp(float64(d))
		}
	}
	if next > 0 {
		ofNext = math.Exp(float64(scores[next]-top)) / sum
	}
	return 1 / sum, ofNext
}

// spell returns the characters of peaks.
func (m *Model) spell(peaks []peak) lstm.Reading {
	text := make([]rune, len(peaks))
	for i, p := range peaks {
		text[i] = m.alphabet[p.class-1]
	}
	m.agree(peaks, text)
	text = unfold(text)
	var out lstm.Reading
	var state ngram.State
	if m.table != nil {
		state = m.table.Start()
	}
	for i, p := range peaks {
		c := lstm.Char{Text: string(text[i]), Confidence: p.score, From: p.from * stride, To: p.to * stride}
		if p.next > 0 {
			c.Else, c.ElseScore = string(m.alphabet[p.next-1]), p.nextScore
		}
		if m.table != nil {
			state, c.Fits = m.table.Next(state, m.symbols[p.class].symbol)
		}
		out = append(out, c)
	}
	return out
}

// leastDoubt is the minimum probability of the network's second choice to replace a letter whose
// alphabet differs from the alphabet of its word.
const leastDoubt = 0.01

// agree corrects words whose letters no single alphabet has, such as a П among Latin letters. It
// replaces the few deviating letters with the network's second choices, if the word is then in one
// alphabet.
func (m *Model) agree(peaks []peak, text []rune) {
	for i := 0; i < len(text); i++ {
		end := i
		for end < len(text) && text[end] != ' ' {
			end++
		}
		word := text[i:end]
		if len(word) > 2 && len(spelling(word)) == 0 {
			m.agreeIn(peaks[i:end], word)
		}
		i = end
	}
}

// agreeIn corrects one word, in the alphabet that has most of its letters.
func (m *Model) agreeIn(peaks []peak, word []rune) {
	letters, best, fewest := 0, &scripts[0], len(word)
	for i := range scripts {
		misfits := 0
		letters = 0
		for _, r := range word {
			if unicode.IsLetter(r) {
				letters++
				if !scripts[i].has(r) {
					misfits++
				}
			}
		}
		if misfits < fewest {
			best, fewest = &scripts[i], misfits
		}
	}
	if 3*fewest > letters {
		return
	}
	changed := append([]rune(nil), word...)
	for i, r := range word {
		if !unicode.IsLetter(r) || best.has(r) {
			continue
		}
		p := peaks[i]
		if p.next == 0 || p.nextScore < leastDoubt || !best.takes(m.alphabet[p.next-1]) {
			return
		}
		changed[i] = m.alphabet[p.next-1]
	}
	copy(word, changed)
}

// script is an alphabet that shares letters of the same shape with Latin.
type script struct {
	own    string // letters that only this script has
	latin  string // shared letters as the network reads them
	shared string // the same letters in this script
}

var scripts = []script{
	{},
	{
		own:    "БГДЖЗИЙЛПУФЦЧШЩЪЫЬЭЮЯбвгджзийклмнптфцчшщъыьэюяЂЄЉЊЋЎЏђєљњўџҐґ",
		latin:  "ABEKMHOPCTXSIJÏËaeopcyxsijïëħ",
		shared: "АВЕКМНОРСТХЅІЈЇЁаеорсухѕіјїёћ",
	},
	{
		own:    "ΔΘΛΞΣΨΩάέήίαβγδεζηθιλμξπςστυφχψωϋύώΐΰΆΈΉΊΌΎΏ",
		latin:  "ABГEZHIKMNOПPTYФXoóкvpïÏ",
		shared: "ΑΒΓΕΖΗΙΚΜΝΟΠΡΤΥΦΧοόκνρϊΪ",
	},
}

// unfold chooses the alphabet of each word among those that have all of its letters: the one of
// most other words, then Latin. If no alphabet has all letters, it chooses Latin.
func unfold(text []rune) []rune {
	type word struct{ from, to int }
	var words []word
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && text[end] != ' ' {
			end++
		}
		if end > i {
			words = append(words, word{i, end})
		}
		i = end + 1
	}
	votes := make([]int, len(scripts))
	for _, w := range words {
		if fit := spelling(text[w.from:w.to]); len(fit) == 1 {
			votes[fit[0]]++
		}
	}
	usual := 0
	for i, n := range votes {
		if n > votes[usual] {
			usual = i
		}
	}
	out := append([]rune(nil), text...)
	for _, w := range words {
		fit := spelling(text[w.from:w.to])
		chosen := 0
		for i, f := range fit {
			if i == 0 || f == usual && !isTechnical(text[w.from:w.to]) {
				chosen = f
			}
		}
		scripts[chosen].set(out[w.from:w.to])
	}
	return inLanguage(out)
}

// languages lists languages whose letters look like letters of other languages. Romanian has commas
// below where others have cedillas; Icelandic has its own letter that looks like a d with a stroke.
var languages = []struct {
	shows        string // letters that prove that the line is in this language
	looks, spelt string
}{{"ăĂţŢ", "ŞşŢţ", "ȘșȚț"}, {"ðþÞ", "Đ", "Ð"}}

// inLanguage replaces look-alike letters with the letters of the language that the rest of the line
// proves.
func inLanguage(line []rune) []rune {
	for _, l := range languages {
		if !strings.ContainsAny(string(line), l.shows) {
			continue
		}
		looks, spelt := []rune(l.looks), []rune(l.spelt)
		for i, r := range line {
			if k := slices.Index(looks, r); k >= 0 {
				line[i] = spelt[k]
			}
		}
	}
	return line
}

// isTechnical reports whether a word is an option, a measure or a code. Such words are Latin in any
// text.
func isTechnical(word []rune) bool {
	return word[0] == '-' || slices.ContainsFunc(word, unicode.IsDigit)
}

// spelling returns the indices of the scripts that have all letters of a word; nil for a word
// without letters.
func spelling(word []rune) (fit []int) {
	letters := false
	for i := range scripts {
		ok := true
		for _, r := range word {
			if !unicode.IsLetter(r) || r == 'ª' || r == 'º' {
				continue
			}
			letters = true
			ok = ok && scripts[i].has(r)
		}
		if ok && letters {
			fit = append(fit, i)
		}
	}
	return fit
}

// has reports whether a letter, as the network reads it, belongs to the script.
func (s *script) has(r rune) bool {
	if s.own == "" {
		return unicode.Is(unicode.Latin, r) || r == 'μ'
	}
	return strings.ContainsRune(s.own, r) || strings.ContainsRune(s.latin, r)
}

// takes reports whether a character may be in a word of the script: one of its letters, or a digit.
func (s *script) takes(r rune) bool { return s.has(r) || unicode.IsDigit(r) }

// set replaces the letters of a word with the script's letters.
func (s *script) set(word []rune) {
	latin, shared := []rune(s.latin), []rune(s.shared)
	for i, r := range word {
		for k, l := range latin {
			if r == l {
				word[i] = shared[k]
				break
			}
		}
	}
}
