package reader

import (
	"image"
	"math"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/textline"
)

// spelling is the text of a patch with the ink of each letter.
type spelling struct {
	fit      textline.Fit
	segments []segment
	letters  []letter

	markedZeros bool // at least one zero has a dot or a stroke inside
}

// segment is the ink between two blank columns: letters that touch, or a mark.
type segment struct {
	box     image.Rectangle
	letters int
}

// letter is a character with the segment that it lies in.
type letter struct {
	text       string
	confidence float64
	segment    int
	space      bool    // a space precedes it
	other      string  // the network's second choice, or empty
	otherSure  float64 // confidence of the second choice
	fits       float64 // logarithm of the probability that it follows the letters before it
	hollow     bool    // a zero without a dot or a stroke inside
}

// spell assigns the characters of a strip to the ink of its patch, and corrects spaces and zeros by
// the ink.
func spell(patch *textline.Patch, s *textline.Strip, f textline.Fit, r lstm.Reading, net network) *spelling {
	p := &spelling{fit: f}
	for _, box := range patch.Segments() {
		p.segments = append(p.segments, segment{box: box})
	}
	p.place(s, r, net.lag)
	p.splitZeros(patch)
	p.spaceIcons()
	p.closeSpaces()
	return p
}

// place assigns each character to the segment at its column, or to the nearest one. A character
// lies lag columns of the strip right of its reported column. Frames count as spaces.
func (p *spelling) place(s *textline.Strip, r lstm.Reading, lag float64) {
	space, last := false, 0.0 // column of the last letter
	for _, c := range r {
		if strings.TrimSpace(c.Text) == "" || isFrame(c.Text) {
			space = true
			continue
		}
		if scriptOf(c.Text) != "" {
			p.placeUnread(p.nearest(s.X(float64(c.From))), p.nearest(s.X(float64(c.To))), c, space)
			space = false
			continue
		}
		x := s.X(float64(c.From+c.To)/2 + lag)
		k := p.nearest(x)
		if k < 0 {
			return
		}
		if n := len(p.letters) - 1; space && n >= 0 && p.letters[n].segment == k {
			k = p.part(k, int(math.Round((last+x)/2)))
		}
		last = x
		p.letters = append(p.letters, letter{
			text: c.Text, confidence: c.Confidence, segment: k, space: space && len(p.letters) > 0, other: c.Else, otherSure: c.ElseScore, fits: c.Fits,
		})
		p.segments[k].letters++
		space = false
	}
}

// isFrame reports whether text is a character of the Unicode blocks Box Drawing or Block Elements.
// Terminals draw frames, trees and bars with them: they part words and are no text.
func isFrame(text string) bool { return text >= "\u2500" && text < "\u25a0" }

// part splits segment k at column x, where the network read a space although a line or shadow joins
// the words. It returns the index of the right part. If x is outside the segment, it returns k.
func (p *spelling) part(k, x int) int {
	left := &p.segments[k]
	if x <= left.box.Min.X || x >= left.box.Max.X {
		return k
	}
	right := segment{box: image.Rect(x, left.box.Min.Y, left.box.Max.X, left.box.Max.Y)}
	left.box.Max.X = x
	p.segments = slices.Insert(p.segments, k+1, right)
	return k + 1
}

// Minimum widths between two letters, in capitals, that separate words although the network read no
// space: of an icon, and of white space, which is then wider than any cell.
const (
	iconWidth  = 0.6
	widestCell = 1.1
)

// spaceIcons adds spaces where an icon or wide white space separates letters.
func (p *spelling) spaceIcons() {
	for i := 1; i < len(p.letters); i++ {
		if p.letters[i].space || p.letters[i].segment == p.letters[i-1].segment {
			continue
		}
		p.letters[i].space = p.gap(i) > widestCell*p.fit.Capital
		for _, s := range p.segments[p.letters[i-1].segment+1 : p.letters[i].segment] {
			if s.letters == 0 && float64(min(s.box.Dx(), s.box.Dy())) > iconWidth*p.fit.Capital {
				p.letters[i].space = true
			}
		}
	}
}

// Measures of typefaces whose cells are so wide that gaps between letters look like spaces. They
// are in capitals unless noted.
const (
	wideGap    = 0.3  // minimum typical gap between letters of such a typeface
	leastSpace = 0.15 // minimum difference between a space and the typical gap
	aloneSpace = 0.4  // minimum width of a space between two single characters
	sameCell   = 0.15 // maximum deviation of a step from the typical one, in cells
)

// closeSpaces removes spaces that are hardly wider than the gaps between letters, in typefaces with
// wide cells.
func (p *spelling) closeSpaces() {
	// all gaps, and gaps between letters only: digits have wide gaps in many typefaces
	var all, written []float64
	var steps []float64 // distances between middles of consecutive letters
	for i := 1; i < len(p.letters); i++ {
		l, last := &p.letters[i], &p.letters[i-1]
		if l.space || l.segment == last.segment {
			continue
		}
		all = append(all, p.gap(i))
		if hasLetter(l.text) && hasLetter(last.text) {
			written = append(written, p.gap(i))
		}
		if p.alone(i) && p.alone(i-1) {
			steps = append(steps, p.middle(i)-p.middle(i-1))
		}
	}
	slices.Sort(all)
	slices.Sort(written)
	isWide := func(gaps []float64) bool { return gaps[len(gaps)/2] >= wideGap*p.fit.Capital }
	widest, cell := 0.0, 0.0
	switch {
	// the label of a key
	case len(p.letters) == 2 && isCapital(p.letters[0].text) && !hasLetter(p.letters[1].text):
		widest = aloneSpace * p.fit.Capital
	case len(written) > 0 && isWide(written) && isWide(all):
		widest, cell = all[len(all)/2]+leastSpace*p.fit.Capital, median(steps)
	}
	// letter i is in the cell after the letter before it; a point, for example, has much white
	// space beside it
	isNext := func(i int) bool {
		return p.alone(i) && p.alone(i-1) && math.Abs(p.middle(i)-p.middle(i-1)-cell) <= sameCell*cell
	}
	for i := 1; i < len(p.letters); i++ {
		l, gap := &p.letters[i], p.gap(i) // the gap is 0 where a line joins words
		if l.space && gap > 0 && (gap <= widest || isNext(i)) && scriptOf(l.text) == "" && scriptOf(p.letters[i-1].text) == "" {
			l.space = false
		}
	}
}

// placeUnread assigns a letter of unknown script to each segment in from..to.
func (p *spelling) placeUnread(from, to int, c lstm.Char, space bool) {
	for k := max(from, 0); k <= to; k++ {
		p.letters = append(p.letters, letter{text: c.Text, confidence: c.Confidence, segment: k, space: space && len(p.letters) > 0})
		p.segments[k].letters++
		space = false
	}
}

// nearest returns the index of the segment at or nearest to column x, or -1 if there are none.
func (p *spelling) nearest(x float64) int {
	best, least := -1, math.Inf(1)
	for i, s := range p.segments {
		if d := max(float64(s.box.Min.X)-x, x-float64(s.box.Max.X), 0); d < least {
			best, least = i, d
		}
	}
	return best
}

// sureness returns the mean certainty of the letters, 0..1. It is lower if the fit contradicts
// their heights, and lower still if the script is unknown, so that any readable alternative wins.
func (p *spelling) sureness() float64 {
	if len(p.letters) == 0 {
		return 0
	}
	sure := certainty(p.letters) * (0.5 + 0.5*p.fitting())
	if p.has(isUnread) {
		sure *= unreadWorth
	}
	return sure
}

// Weight of the character sequence in rank. For short texts it says nothing.
const (
	leastFitting = 4   // minimum letters
	fitWeight    = 0.1 // weight relative to the sureness
)

// rank compares attempts to read one patch. It combines the sureness with the probability of the
// sequence of letters. If an attempt assumes a wrong height, it reads small letters as capitals or
// the reverse, which the sequence reveals.
func (p *spelling) rank() float64 {
	if len(p.letters) < leastFitting {
		return p.sureness()
	}
	sum := 0.0
	for _, l := range p.letters {
		sum += l.fits
	}
	return p.sureness() * math.Exp(fitWeight*sum/float64(len(p.letters)))
}

// unreadWorth is the minimum sureness of a reading that replaces an unreadable script.
const unreadWorth = 0.5

// isUnread reports whether a text is in a script that the network does not know.
func isUnread(text string) bool { return scriptOf(text) != "" }

// certainty returns the geometric mean of the letters' confidences.
func certainty(letters []letter) float64 {
	sum := 0.0
	for _, l := range letters {
		sum += math.Log(max(l.confidence, 1e-6))
	}
	return math.Exp(sum / float64(len(letters)))
}

// text returns the corrected words of the spelling.
func (p *spelling) text() *lineText {
	t := &lineText{capital: float32(p.fit.Capital), baseline: float32(p.fit.Baseline), pitch: float32(p.pitch()), markedZeros: p.markedZeros}
	from := 0 // the first segment of the word
	for start := 0; start < len(p.letters); {
		end := p.wordEnd(start)
		var b strings.Builder
		for _, l := range p.letters[start:end] {
			b.WriteString(l.text)
		}
		reach := looseReach
		if isUnread(p.letters[start].text) && certainty(p.letters[start:end]) >= likelyScript {
			reach = unreadReach
		}
		from = max(from, p.unread(p.letters[start].segment, -1, reach))
		to := p.unread(p.letters[end-1].segment, 1, reach)
		if end < len(p.letters) {
			to = max(p.letters[end-1].segment, p.widestGap(p.letters[end-1].segment, p.letters[end].segment))
		}
		box := p.span(min(from, p.letters[start].segment), to)
		text := tidy(b.String())
		if isUnread(p.letters[start].text) {
			text = p.letters[start].text
		}
		t.words = append(t.words, word{
			text: text, confidence: float32(certainty(p.letters[start:end])),
			x0: int16(box.Min.X), y0: int16(box.Min.Y), x1: int16(box.Max.X), y1: int16(box.Max.Y),
			hollowZeros: hasHollowZeros(p.letters[start:end]),
		})
		start, from = end, to+1
	}
	return t
}

// Maximum distances in capitals within a word. They apply to segments without letters: unread
// marks, and letters of an unknown script, for which the network may report one character for
// several.
const (
	apartReach  = 0.6 // letters of an unknown script that are farther apart belong to two words
	looseReach  = 0.3
	unreadReach = 0.45
)

// unread returns the last of the segments without letters that follow k in direction step, each at
// most reach capitals from the one before. Without one it returns k.
func (p *spelling) unread(k, step int, reach float64) int {
	for {
		n := k + step
		if n < 0 || n >= len(p.segments) || p.segments[n].letters > 0 ||
			float64(between(p.segments[k].box, p.segments[n].box)) > reach*p.fit.Capital {
			return k
		}
		k = n
	}
}

// widestGap returns the segment before the widest gap between segments from and to.
func (p *spelling) widestGap(from, to int) int {
	best, widest := from, -1
	for k := from; k < to; k++ {
		if g := between(p.segments[k].box, p.segments[k+1].box); g > widest {
			best, widest = k, g
		}
	}
	return best
}

// between returns the horizontal gap between two boxes in pixels, in either order. It is negative
// if they overlap.
func between(a, b image.Rectangle) int { return max(b.Min.X-a.Max.X, a.Min.X-b.Max.X) }

// span returns the box around segments from..to, both included.
func (p *spelling) span(from, to int) (box image.Rectangle) {
	for _, s := range p.segments[from : to+1] {
		box = box.Union(s.box)
	}
	return box
}

// wordEnd returns the index behind the last letter of the word that begins at letter start. A word
// ends before a space, before a letter of another script, and at a wide gap in an unknown script.
func (p *spelling) wordEnd(start int) int {
	end := start + 1
	script := scriptOf(p.letters[start].text)
	for end < len(p.letters) && !p.letters[end].space && scriptOf(p.letters[end].text) == script {
		if script != "" && p.gap(end) > apartReach*p.fit.Capital {
			break // icons beside each other
		}
		end++
	}
	return end
}

// alone reports whether letter i is the only letter of its segment.
func (p *spelling) alone(i int) bool { return p.segments[p.letters[i].segment].letters == 1 }

// gap returns the widest run of blank columns between letter i and the one before it, in pixels.
func (p *spelling) gap(i int) float64 {
	widest := 0
	for k := p.letters[i-1].segment + 1; k <= p.letters[i].segment; k++ {
		widest = max(widest, p.segments[k].box.Min.X-p.segments[k-1].box.Max.X)
	}
	return float64(widest)
}

// middle returns the middle column of the segment of letter i.
func (p *spelling) middle(i int) float64 {
	b := p.segments[p.letters[i].segment].box
	return float64(b.Min.X+b.Max.X) / 2
}

// median returns the middle value, or the larger of the two middle values. It returns 0 if there
// are no values. It sorts values in place.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}
