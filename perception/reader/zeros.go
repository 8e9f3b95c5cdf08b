package reader

import (
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/textline"
)

// Darkness of the middle of a zero, relative to its darkest pixel: the minimum with a dot or a
// stroke inside, and the maximum without.
const (
	markedZero = 0.55
	hollowZero = 0.25
)

// splitZeros turns hollow zeros into the letter O, in words with other letters, on a line whose
// other zeros have a dot or a stroke inside. In other typefaces the same shape is a zero, and the
// network sees one character at a time.
func (p *spelling) splitZeros(patch *textline.Patch) {
	for i := range p.letters {
		l := &p.letters[i]
		if l.text != "0" || p.segments[l.segment].letters != 1 {
			continue
		}
		dark := darkMiddle(patch, p.segments[l.segment].box)
		l.hollow = dark <= hollowZero
		p.markedZeros = p.markedZeros || dark >= markedZero
	}
	if !p.markedZeros {
		return
	}
	for i := range p.letters {
		if p.letters[i].hollow && p.hasLetterBeside(i) {
			p.letters[i].text, p.letters[i].hollow = "O", false
		}
	}
}

// hasHollowZeros reports whether letters contain zeros and all of them are hollow.
func hasHollowZeros(letters []letter) (has bool) {
	for _, l := range letters {
		if l.text == "0" && !l.hollow {
			return false
		}
		has = has || l.hollow
	}
	return has
}

// Maximum relative difference between lines of one typeface.
const (
	samePitch   = 0.02 // in their pitch
	sameCapital = 0.08
)

// splitZerosBeside does the same as splitZeros across monospaced lines: it changes a line if
// another line of its typeface has marked zeros and none has a hollow zero in a number.
func splitZerosBeside(lines []line) {
	var marked, hollow []*lineText // monospaced lines
	for _, l := range lines {
		if l.text.pitch == 0 {
			continue
		}
		if l.text.markedZeros {
			marked = append(marked, l.text)
		}
		if slices.ContainsFunc(l.text.words, func(w word) bool { return w.hollowZeros && !hasLetter(w.text) }) {
			hollow = append(hollow, l.text)
		}
	}
	for i, l := range lines {
		if l.text.pitch == 0 || !slices.ContainsFunc(marked, l.text.isLike) || slices.ContainsFunc(hollow, l.text.isLike) {
			continue
		}
		corrected := *l.text
		corrected.words = slices.Clone(corrected.words)
		for n, w := range corrected.words {
			if w.hollowZeros && hasLetter(w.text) {
				corrected.words[n].text = strings.ReplaceAll(w.text, "0", "O")
			}
		}
		lines[i].text = &corrected
	}
}

// isLike reports whether two monospaced lines have the same typeface and size.
func (t *lineText) isLike(o *lineText) bool {
	near := func(a, b float32, part float64) bool { return math.Abs(float64(a-b)) <= part*float64(b) }
	return near(t.pitch, o.pitch, samePitch) && near(t.capital, o.capital, sameCapital)
}

// hasLetter reports whether a text has a letter of any alphabet.
func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// hasLetterBeside reports whether the word of letter i has a letter besides i.
func (p *spelling) hasLetterBeside(i int) bool {
	isLetter := func(n int) bool { return unicode.IsLetter([]rune(p.letters[n].text)[0]) }
	for n := i; n > 0 && !p.letters[n].space; n-- {
		if isLetter(n - 1) {
			return true
		}
	}
	for n := i + 1; n < len(p.letters) && !p.letters[n].space; n++ {
		if isLetter(n) {
			return true
		}
	}
	return false
}

// darkMiddle returns the darkness of the middle of a box, relative to its darkest pixel, 0..1.
func darkMiddle(patch *textline.Patch, box image.Rectangle) float64 {
	box = box.Intersect(image.Rect(0, 0, patch.Width, patch.Height))
	centre := image.Rect((3*box.Min.X+2*box.Max.X)/5, (3*box.Min.Y+2*box.Max.Y)/5, (2*box.Min.X+3*box.Max.X+4)/5, (2*box.Min.Y+3*box.Max.Y+4)/5)
	middle, darkest := uint8(0), uint8(1)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			v := patch.Ink[y*patch.Width+x]
			if darkest = max(darkest, v); (image.Point{X: x, Y: y}).In(centre) {
				middle = max(middle, v)
			}
		}
	}
	return float64(middle) / float64(darkest)
}
