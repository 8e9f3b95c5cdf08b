package reader

import (
	"image"
	"math"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/textline"
)

// spelling is what was read of a patch, held against its ink.
type spelling struct {
	fit      textline.Fit
	mended   bool
	segments []segment
	letters  []letter

	markedZeros bool // some have a dot or a stroke in them
}

// segment is ink between two blank columns: letters that touch, or a mark beside them.
type segment struct {
	box     image.Rectangle
	letters int
}

// letter is a character that was read, with the segment it is of.
type letter struct {
	text       string
	confidence float64
	segment    int
	space      bool    // white space before it
	other      string  // the network's second choice; empty for none
	otherSure  float64 // the confidence of that
	fits       float64 // how likely it is to follow those before it, as a logarithm
	hollow     bool    // a zero without a dot or a stroke in it
}

// spell places what was read of a strip on the ink of its patch, and mends it if the network needs that.
func spell(patch *textline.Patch, s *textline.Strip, f textline.Fit, r lstm.Reading, net network) *spelling {
	p := &spelling{fit: f}
	for _, box := range patch.Segments() {
		p.segments = append(p.segments, segment{box: box})
	}
	p.place(s, r, net.lag)
	if !net.mended {
		p.tellZeros(patch)
		p.spaceIcons()
		p.closeSpaces()
		return p
	}
	p.mended = true
	p.settle()
	p.trim()
	p.addMarks()
	p.fixCase()
	p.addSpaces()
	p.dropIcons()
	return p
}

// place gives each character the segment that it was seen in or nearest to. Characters are lag columns of
// the strip right of where they are reported.
func (p *spelling) place(s *textline.Strip, r lstm.Reading, lag float64) {
	space, last := false, 0.0 // the column of the last letter
	for _, c := range r {
		if strings.TrimSpace(c.Text) == "" {
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

// part cuts segment k at column x, where a space was read: a line or a shadow joins words. It returns the right part.
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

// How wide what stands between two letters must be, in capitals, for them to be of two words though the network
// saw no space: an icon that it read as nothing, or white that is wider than any cell.
const (
	iconWidth  = 0.6
	widestCell = 1.1
)

// spaceIcons puts spaces where an icon or much white is between letters.
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

// A typeface with wide cells has gaps like spaces everywhere. All are in capitals.
const (
	wideGap    = 0.3  // between letters, where most are at least as wide
	leastSpace = 0.15 // how much wider than these the gap of a space is there, at least
	aloneSpace = 0.4  // how wide that is at least between two letters
	sameCell   = 0.15 // how far steps from one cell to the next are off the typical one, in cells
)

// closeSpaces takes out the spaces that are hardly wider than the gaps between letters of the line, where these are wide.
func (p *spelling) closeSpaces() {
	var all, written []float64 // gaps, and those between letters: figures have wide ones in many typefaces
	var steps []float64        // from the middle of a letter to that of the next
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
	most, cell := 0.0, 0.0
	switch {
	case len(p.letters) == 2 && isCapital(p.letters[0].text) && !hasLetter(p.letters[1].text): // the name of a key
		most = aloneSpace * p.fit.Capital
	case len(written) > 0 && isWide(written) && isWide(all):
		most, cell = all[len(all)/2]+leastSpace*p.fit.Capital, median(steps)
	}
	isNext := func(i int) bool { // in the cell next to that of the letter before it, as a point, which has much white beside it
		return p.alone(i) && p.alone(i-1) && math.Abs(p.middle(i)-p.middle(i-1)-cell) <= sameCell*cell
	}
	for i := 1; i < len(p.letters); i++ {
		l, gap := &p.letters[i], p.gap(i) // none where a line joins words
		if l.space && gap > 0 && (gap <= most || isNext(i)) && scriptOf(l.text) == "" && scriptOf(p.letters[i-1].text) == "" {
			l.space = false
		}
	}
}

// placeUnread gives what stands for letters that the network does not know to each of their segments.
func (p *spelling) placeUnread(from, to int, c lstm.Char, space bool) {
	for k := max(from, 0); k <= to; k++ {
		p.letters = append(p.letters, letter{text: c.Text, confidence: c.Confidence, segment: k, space: space && len(p.letters) > 0})
		p.segments[k].letters++
		space = false
	}
}

// nearest returns the segment that column x is in or nearest to, or -1.
func (p *spelling) nearest(x float64) int {
	best, least := -1, math.Inf(1)
	for i, s := range p.segments {
		if d := max(float64(s.box.Min.X)-x, x-float64(s.box.Max.X), 0); d < least {
			best, least = i, d
		}
	}
	return best
}

// sureness is the mean certainty of the letters, less if the fit excludes their heights, and less than of
// any that are read if they are not.
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

// Texts of few letters are as likely as the table knows them, and say nothing.
const (
	leastFitting = 4   // letters
	fitWeight    = 0.1 // of how likely they are to follow each other, beside how sure each is
)

// rank is what attempts to read one patch are compared by: the sureness, and how likely the letters are to follow
// each other. Heights that are guessed wrongly make capitals of small letters, and the other way round.
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

// unreadWorth is how sure to be of a reading in place of one that says that the text is not readable.
const unreadWorth = 0.5

func isUnread(text string) bool { return scriptOf(text) != "" }

// certainty is the geometric mean of the letters' confidences.
func certainty(letters []letter) float64 {
	sum := 0.0
	for _, l := range letters {
		sum += math.Log(max(l.confidence, 1e-6))
	}
	return math.Exp(sum / float64(len(letters)))
}

// text returns the spelling's words, mended.
func (p *spelling) text() *lineText {
	t := &lineText{capital: float32(p.fit.Capital), baseline: float32(p.fit.Baseline), pitch: float32(p.pitch()), markedZeros: p.markedZeros}
	from := 0 // the word's first segment
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
		said := b.String()
		if p.mended {
			said = mend(said)
		} else if isUnread(p.letters[start].text) {
			said = p.letters[start].text
		} else {
			said = tidy(said)
		}
		t.words = append(t.words, word{
			text: said, confidence: float32(certainty(p.letters[start:end])),
			x0: int16(box.Min.X), y0: int16(box.Min.Y), x1: int16(box.Max.X), y1: int16(box.Max.Y),
			hollowZeros: hasHollowZeros(p.letters[start:end]),
		})
		start, from = end, to+1
	}
	return t
}

// How far apart the segments without letters are that are of a word, in capitals: marks that were not read, and
// the letters of a script that the network does not know, of which it may report one for many.
const (
	apartReach  = 0.6 // letters of such a script that are further apart are of two words
	looseReach  = 0.3
	unreadReach = 0.45
)

// unread returns the last segment without letters that follows on k, none of them further off than reach.
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

// widestGap returns the segment before the widest gap between two.
func (p *spelling) widestGap(from, to int) int {
	best, widest := from, -1
	for k := from; k < to; k++ {
		if g := between(p.segments[k].box, p.segments[k+1].box); g > widest {
			best, widest = k, g
		}
	}
	return best
}

// span returns the box around segments from..to, both included.
func (p *spelling) span(from, to int) (box image.Rectangle) {
	for _, s := range p.segments[from : to+1] {
		box = box.Union(s.box)
	}
	return box
}

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

// ink returns the box around letters from..to.
func (p *spelling) ink(from, to int) (box image.Rectangle) {
	for _, l := range p.letters[from:to] {
		box = box.Union(p.segments[l.segment].box)
	}
	return box
}

// alone reports whether letter i is all that was read of its segment.
func (p *spelling) alone(i int) bool { return p.segments[p.letters[i].segment].letters == 1 }

// gap is the widest run of blank columns before letter i and after the one before it.
func (p *spelling) gap(i int) float64 {
	widest := 0
	for k := p.letters[i-1].segment + 1; k <= p.letters[i].segment; k++ {
		widest = max(widest, p.segments[k].box.Min.X-p.segments[k-1].box.Max.X)
	}
	return float64(widest)
}

// middle is the column that letter i stands around.
func (p *spelling) middle(i int) float64 {
	b := p.segments[p.letters[i].segment].box
	return float64(b.Min.X+b.Max.X) / 2
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}
