package evaluate

import (
	"image"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/windieos/windie/perception"
)

// score counts words: true words; foreign words, which are true words in unsupported scripts and
// need no correct text; correct words (hit); true words with any read word in their place (placed);
// and read words that do not exist (extra).
type score struct {
	words, foreign, hit, placed, extra int
	missed                             []missedWord
	sure                               confidences // confidences of the read words
}

// missedWord is a word that was missed or misread. Read is nil if it was missed.
type missedWord struct {
	Text string  `json:"text"`
	Read *string `json:"read"`
}

// add adds the counts of o. It does not add the missed words.
func (s *score) add(o score) {
	s.words, s.foreign = s.words+o.words, s.foreign+o.foreign
	s.hit, s.placed, s.extra = s.hit+o.hit, s.placed+o.placed, s.extra+o.extra
	s.sure.join(o.sure)
}

// recall is the share of readable true words that were read correctly.
func (s score) recall() float64 { return ratio(s.hit, s.words-s.foreign) }

// located is the share of true words at whose position the reader found any word.
func (s score) located() float64 { return ratio(s.placed, s.words) }

// precision is the share of read words that are correct, without ignored ones.
func (s score) precision() float64 { return ratio(s.hit, s.hit+s.extra) }

// ratio returns a / b. It returns 0 for 0 / 0, as b counts as at least 1.
func ratio(a, b int) float64 { return float64(a) / math.Max(float64(b), 1) }

// score compares rows with the truth. A read word belongs to a true word if its middle is at most
// three pixels outside of it. Only words with a letter or digit count.
func (t truth) score(rows []perception.Row) score {
	var read []perception.Word
	var unread []image.Rectangle
	for _, r := range rows {
		if r.Script != "" {
			unread = append(unread, r.Box)
		}
		for _, w := range r.Words {
			if hasText(w.Text) {
				read = append(read, w)
			}
		}
	}
	s := score{missed: []missedWord{}}
	used := make([]bool, len(read))
	for _, w := range t.Words {
		if w.Field || !hasText(w.Text) {
			continue
		}
		s.words++
		i := w.readAs(read, used, t.DPR)
		missed := missedWord{Text: w.Text}
		if !t.readable(w) {
			s.foreign++
			if i >= 0 || w.inOneOf(unread, t.DPR) {
				s.placed++
				continue
			}
		}
		if i >= 0 {
			s.placed++
			missed.Read = &read[i].Text
			if same(read[i].Text, w.Text) {
				s.hit++
				used[i] = true
				continue
			}
		}
		s.missed = append(s.missed, missed)
	}
	for i, w := range read {
		if !used[i] && t.ignores(w) {
			continue
		}
		s.sure.add(w.Confidence, used[i])
		if !used[i] {
			s.extra++
		}
	}
	return s
}

// readAs returns the index of an unused read word in the place of w: the first correct one, else
// the last one, else -1.
func (w trueWord) readAs(read []perception.Word, used []bool, dpr float64) int {
	best := -1
	for i, r := range read {
		x, y := middle(r)
		if used[i] || x < w.X*dpr-3 || x > (w.X+w.W)*dpr+3 || y < w.Y*dpr-3 || y > (w.Y+w.H)*dpr+3 {
			continue
		}
		best = i
		if same(r.Text, w.Text) {
			break
		}
	}
	return best
}

// inOneOf reports whether the word's middle is in one of boxes.
func (w trueWord) inOneOf(boxes []image.Rectangle, dpr float64) bool {
	at := image.Pt(int((w.X+w.W/2)*dpr), int((w.Y+w.H/2)*dpr))
	return slices.ContainsFunc(boxes, func(b image.Rectangle) bool { return at.In(b) })
}

// ignores reports whether a read word is in a form field, an ignored box, or a word of an
// unsupported script.
func (t truth) ignores(w perception.Word) bool {
	x, y := middle(w)
	x, y = x/t.DPR, y/t.DPR
	in := func(bx, by, bw, bh float64) bool { return bx <= x && x <= bx+bw && by <= y && y <= by+bh }
	return slices.ContainsFunc(t.Words, func(f trueWord) bool { return (f.Field || !t.readable(f)) && in(f.X, f.Y, f.W, f.H) }) ||
		slices.ContainsFunc(t.Ignore, func(b [4]float64) bool { return in(b[0], b[1], b[2], b[3]) })
}

// middle returns the middle of a word's box, in image pixels.
func middle(w perception.Word) (x, y float64) {
	return float64(w.Box.Min.X) + float64(w.Box.Dx())/2, float64(w.Box.Min.Y) + float64(w.Box.Dy())/2
}

// typographic replaces typographic marks with similar plain ones.
var typographic = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "−", "-", "·", ".", "•", ".",
	"›", ">", "»", ">", "‹", "<", "«", "<", "…", "...", "×", "x", "\u00a0", " ")

var space = regexp.MustCompile(`\s+`)

// same reports whether two words are equal, ignoring typographic variants and white space.
func same(a, b string) bool { return folded(a) == folded(b) }

// folded returns a text without white space, in NFKC and with plain marks for typographic ones. It keeps the case.
func folded(s string) string {
	return space.ReplaceAllString(norm.NFKC.String(typographic.Replace(s)), "")
}

// hasText reports whether a text has a letter or a number of any script.
func hasText(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}
