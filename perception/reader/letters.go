package reader

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/textline"
)

const (
	twins = "cosuvwxz"            // letters with the same shape in both cases
	small = "aemnrgqy"            // letters without ascender whose capitals look different
	tall  = "bdfhklt0123456789&#" // characters as high as capitals; capitals themselves are tall too
)

// isTall reports whether the first character of s is as high as a capital. It returns false for
// capital twins, because their shape does not show the case.
func isTall(s string) bool {
	r := []rune(s)[0]
	return strings.ContainsRune(tall, r) || unicode.IsUpper(r) && !isTwin(s)
}

// isSmall reports whether s is a letter without ascender whose capital looks different.
func isSmall(s string) bool { return strings.Contains(small, s) }

// isTwin reports whether s is a letter whose capital and small form differ only in size. s may be
// either of them.
func isTwin(s string) bool { return len(s) == 1 && strings.Contains(twins, strings.ToLower(s)) }

// isLower reports whether s is a small letter that its shape distinguishes from the capital.
func isLower(s string) bool { return unicode.IsLower([]rune(s)[0]) && !isTwin(s) }

// isCapital reports whether s is a capital that its shape distinguishes from the small letter.
func isCapital(s string) bool { return unicode.IsUpper([]rune(s)[0]) && !isTwin(s) }

// fixCase turns twins into capitals on a line that is otherwise in capitals.
func (p *spelling) fixCase() {
	if p.fit.Letters != textline.Tall || !p.has(isCapital) || p.has(isLower) {
		return
	}
	for i := range p.letters {
		if l := &p.letters[i]; isTwin(l.text) {
			l.text = strings.ToUpper(l.text)
		}
	}
}

// has reports whether a function returns true for at least one letter.
func (p *spelling) has(is func(string) bool) bool {
	return slices.ContainsFunc(p.letters, func(l letter) bool { return is(l.text) })
}

// fitting returns the share of letters, 0..1, whose height agrees with the fit.
func (p *spelling) fitting() float64 {
	right, wrong := 0, 0
	for _, l := range p.letters {
		high := isTall(l.text) || isTwin(l.text) && l.text == strings.ToUpper(l.text)
		switch {
		case !high && !isSmall(l.text) && !isTwin(l.text):
		case high == (p.fit.Letters == textline.Tall):
			right++
		default:
			wrong++
		}
	}
	if right+wrong == 0 || p.fit.Letters == textline.Both {
		return 1
	}
	return float64(right) / float64(right+wrong)
}

// addSpaces adds spaces at gaps that are as wide as the spaces on the line.
func (p *spelling) addSpaces() {
	if pitch := p.pitch(); pitch > 0 {
		p.spaceByPitch(pitch)
		return
	}
	var spaces, others []float64
	for i := 1; i < len(p.letters); i++ {
		if g := p.gap(i); p.letters[i].space {
			spaces = append(spaces, g)
		} else {
			others = append(others, g)
		}
	}
	least := max(0.38*p.fit.Capital, 3*median(others))
	if len(spaces) > 1 {
		least = max(0.8*median(spaces), 0.2*p.fit.Capital)
	}
	few := clearGap * p.fit.Capital
	fewWide := p.breaksAt(few)
	for i := 1; i < len(p.letters); i++ {
		if g := p.gap(i); g >= least && !p.loose(i) || fewWide && g >= few && !p.narrow(i) {
			p.letters[i].space = true
		}
	}
}

const (
	clearGap   = 0.32 // in capitals: the width of a space in narrow typefaces
	clearBreak = 1.6  // minimum ratio between gaps wider than clearGap and all other gaps
)

// breaksAt reports whether the gaps clearly fall into two groups: a few much wider than width, and
// the rest narrower.
func (p *spelling) breaksAt(width float64) bool {
	wide, narrow := math.Inf(1), 0.0
	few, many := 0, 0
	for i := 1; i < len(p.letters); i++ {
		switch g := p.gap(i); {
		case p.letters[i].space || p.narrow(i):
		case g >= width:
			wide, few = min(wide, g), few+1
		default:
			narrow, many = max(narrow, g), many+1
		}
	}
	return 2*few <= many && wide >= clearBreak*narrow
}

// spaceByPitch sets the spaces of a monospaced line.
func (p *spelling) spaceByPitch(pitch float64) {
	for i := 1; i < len(p.letters); i++ {
		if p.alone(i) && p.alone(i-1) {
			step, gap := p.middle(i)-p.middle(i-1), p.gap(i)
			p.letters[i].space = p.letters[i].space && gap > 0.5*pitch || step > 1.7*pitch && gap > 0.5*pitch
		}
	}
}

// pitch returns the distance between letters of a monospaced line, in pixels. For other lines it
// returns 0.
func (p *spelling) pitch() float64 {
	var steps []float64
	for i := 1; i < len(p.letters); i++ {
		if p.alone(i) && p.alone(i-1) && !p.letters[i].space {
			steps = append(steps, p.middle(i)-p.middle(i-1))
		}
	}
	if len(steps) < 6 {
		return 0
	}
	typical, same := median(steps), 0
	for _, s := range steps {
		if s > 0.9*typical && s < 1.1*typical {
			same++
		}
	}
	if same*10 < len(steps)*8 || typical < 0.5*p.fit.Capital {
		return 0
	}
	return typical
}

// narrow reports whether letter i or the letter before it is slim. In some typefaces slim letters
// have wide gaps beside them.
func (p *spelling) narrow(i int) bool {
	slim := func(text string) bool { return strings.Contains("iIljtfr|", text) }
	return p.loose(i) || slim(p.letters[i-1].text) || slim(p.letters[i].text)
}

// loose reports whether letter i or the one before it is a mark or a 1, which may have a wide cell.
func (p *spelling) loose(i int) bool {
	mark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) || r == '1' }
	return mark([]rune(p.letters[i-1].text)[0]) || mark([]rune(p.letters[i].text)[0])
}
