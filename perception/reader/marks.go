package reader

import (
	"image"
	"slices"
	"strings"
)

// isMark reports whether text is a punctuation mark that the network may misread.
func isMark(text string) bool { return strings.Contains(".,:;'’-–—_~…!\"”*", text) }

// settle moves marks that share a segment with letters to an adjacent segment without letters.
func (p *spelling) settle() {
	free := func(k int) bool {
		return k >= 0 && k < len(p.segments) && p.segments[k].letters == 0 &&
			float64(p.segments[k].box.Dx()) < 0.8*p.fit.Capital
	}
	for i := range p.letters {
		l := &p.letters[i]
		k := l.segment
		if p.segments[k].letters < 2 || !isMark(l.text) {
			continue
		}
		first := i == 0 || p.letters[i-1].segment < k
		last := i == len(p.letters)-1 || p.letters[i+1].segment > k
		switch {
		case first && free(k-1):
			l.segment = k - 1
		case last && free(k+1):
			l.segment = k + 1
		default:
			continue
		}
		p.segments[k].letters--
		p.segments[l.segment].letters++
	}
}

// trim removes marks without ink of their own at both ends. The network sees such marks at the
// edges of a strip.
func (p *spelling) trim() {
	imagined := func(l letter) bool {
		return strings.Contains("‘'’`“”\".,-_~|—", l.text) && p.segments[l.segment].letters > 1
	}
	for len(p.letters) > 1 && imagined(p.letters[0]) {
		p.segments[p.letters[0].segment].letters--
		p.letters = p.letters[1:]
		p.letters[0].space = false
	}
	for n := len(p.letters) - 1; n > 0 && imagined(p.letters[n]); n-- {
		p.segments[p.letters[n].segment].letters--
		p.letters = p.letters[:n]
	}
}

// addedConfidence is the confidence of a mark that the network missed and the ink shows.
const addedConfidence = 0.9

// addMarks adds marks that the network missed: segments without letters that have the shape of a
// mark.
func (p *spelling) addMarks() {
	if len(p.letters) == 0 {
		return
	}
	var out []letter
	next := 0
	for i, s := range p.segments {
		for next < len(p.letters) && p.letters[next].segment <= i {
			out = append(out, p.letters[next])
			next++
		}
		m := p.mark(s)
		if s.letters > 0 || m == "" || len(out) == 0 && m != "." {
			continue
		}
		if last := len(out) - 1; last >= 0 && isMark(out[last].text) || next < len(p.letters) && isMark(p.letters[next].text) {
			continue
		}
		out = append(out, letter{text: m, confidence: addedConfidence, segment: i})
		p.segments[i].letters++
	}
	p.letters = append(out, p.letters[next:]...)
}

// mark returns the mark that a segment looks like, by its shape and position: ".", "," or "-"; ""
// for others.
func (p *spelling) mark(s segment) string {
	capital := p.fit.Capital
	w, h := float64(s.box.Dx())/capital, float64(s.box.Dy())/capital
	below := (float64(s.box.Max.Y) - p.fit.Baseline) / capital
	rise := (p.fit.Baseline - float64(s.box.Min.Y)) / capital
	switch {
	case w <= 0.3 && h <= 0.32 && below > -0.12 && below < 0.15:
		return "."
	case w <= 0.35 && h <= 0.5 && rise < 0.35 && below >= 0.1 && below < 0.45:
		return ","
	case h <= 0.22 && w >= 0.22 && w <= 0.9 && rise > 0.25 && rise < 0.65:
		return "-"
	}
	return ""
}

// dropIcons removes a word of one or two letters at either end if it is likely an icon.
func (p *spelling) dropIcons() {
	if len(p.letters) == 0 {
		return
	}
	if n := p.wordEnd(0); n <= 2 && n < len(p.letters) && p.isIcon(0, n) {
		p.letters = slices.Delete(p.letters, 0, n)
		p.letters[0].space = false
	}
	n := len(p.letters) - 1
	for n > 0 && !p.letters[n].space {
		n--
	}
	if n > 0 && len(p.letters)-n <= 2 && p.isIcon(n, len(p.letters)) {
		p.letters = p.letters[:n]
	}
}

// isIcon reports whether the word of letters from..to, to exclusive, is likely an icon.
func (p *spelling) isIcon(from, to int) bool {
	own, others := p.ink(from, to), p.ink(0, from).Union(p.ink(to, len(p.letters)))
	sure, hangs := 1.0, false
	for _, l := range p.letters[from:to] {
		sure = min(sure, l.confidence)
		hangs = hangs || strings.Contains("gjpqyQJ,;$@()[]{}|/_&#%ß", l.text)
	}
	step := max(2, int(p.fit.Capital/7))
	high := own.Min.Y <= others.Min.Y-step
	low := !hangs && float64(own.Max.Y) >= p.fit.Baseline+float64(step)
	return sure < 0.4 && float64(between(own, others)) > 0.6*p.fit.Capital || sure < 0.995 && (high || low)
}

// between returns the horizontal gap between two boxes in pixels, in either order. It is negative
// if they overlap.
func between(a, b image.Rectangle) int { return max(b.Min.X-a.Max.X, a.Min.X-b.Max.X) }
