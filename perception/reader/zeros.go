package reader

import (
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/textline"
)

// How dark the middle of a zero with a dot or a stroke in it is at least, and that of one without at most, as a part of its
// darkest pixel.
const (
	markedZero = 0.55
	hollowZero = 0.25
)

// tellZeros makes letters of hollow zeros, in words with other letters, on a line where zeros have a dot or a stroke in them:
// what is O beside such zeros is 0 in other typefaces, and the network sees one character at a time.
func (p *spelling) tellZeros(patch *textline.Patch) {
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

// hasHollowZeros reports whether letters have a zero, and hollow ones alone.
func hasHollowZeros(letters []letter) (has bool) {
	for _, l := range letters {
		if l.text == "0" && !l.hollow {
			return false
		}
		has = has || l.hollow
	}
	return has
}

// How far lines of one typeface differ, as a part.
const (
	samePitch   = 0.02 // in how far their letters are apart
	sameCapital = 0.08
)

// tellZerosBeside makes letters of hollow zeros on lines of a typeface of one width whose zeros are marked on other lines, and
// hollow in no number.
func tellZerosBeside(lines []line) {
	var marked, hollow []*lineText // lines of a typeface of one width
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
		told := *l.text
		told.words = slices.Clone(told.words)
		for n, w := range told.words {
			if w.hollowZeros && hasLetter(w.text) {
				told.words[n].text = strings.ReplaceAll(w.text, "0", "O")
			}
		}
		lines[i].text = &told
	}
}

// isLike reports whether two lines of a typeface of one width are of the same.
func (t *lineText) isLike(o *lineText) bool {
	near := func(a, b float32, part float64) bool { return math.Abs(float64(a-b)) <= part*float64(b) }
	return near(t.pitch, o.pitch, samePitch) && near(t.capital, o.capital, sameCapital)
}

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// hasLetterBeside reports whether the word of letter i has a letter.
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

// darkMiddle returns how dark the middle of a box is, as a part of its darkest pixel.
func darkMiddle(patch *textline.Patch, box image.Rectangle) float64 {
	box = box.Intersect(image.Rect(0, 0, patch.Width, patch.Height))
	centre := image.Rect((3*box.Min.X+2*box.Max.X)/5, (3*box.Min.Y+2*box.Max.Y)/5, (2*box.Min.X+3*box.Max.X+4)/5, (2*box.Min.Y+3*box.Max.Y+4)/5)
	middle, most := uint8(0), uint8(1)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			v := patch.Ink[y*patch.Width+x]
			if most = max(most, v); (image.Point{X: x, Y: y}).In(centre) {
				middle = max(middle, v)
			}
		}
	}
	return float64(middle) / float64(most)
}
