package reader

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception/textline"
)

const (
	twins = "cosuvwxz"            // letters that look alike in both cases
	small = "aemnrgqy"            // without ascender, unlike their capitals
	tall  = "bdfhklt0123456789&#" // and capitals
)

func isTall(s string) bool {
	r := []rune(s)[0]
	return strings.ContainsRune(tall, r) || unicode.IsUpper(r) && !isTwin(s)
}

func isSmall(s string) bool { return strings.Contains(small, s) }

func isTwin(s string) bool { return len(s) == 1 && strings.Contains(twins, strings.ToLower(s)) }

// isLower reports whether s is a small letter, by its shape.
func isLower(s string) bool { return unicode.IsLower([]rune(s)[0]) && !isTwin(s) }

// isCapital reports whether s is a capital, by its shape.
func isCapital(s string) bool { return unicode.IsUpper([]rune(s)[0]) && !isTwin(s) }

// fixCase makes twins capitals on a line of capitals.
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

func (p *spelling) has(is func(string) bool) bool {
	return slices.ContainsFunc(p.letters, func(l letter) bool { return is(l.text) })
}

// fitting is the part of the letters that have the height of the fit.
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

// addSpaces puts spaces where the gap is as wide as others that are spaces.
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
	clearGap   = 0.32 // capitals: a space in narrow typefaces
	clearBreak = 1.6  // how much wider a gap of that is than any other
)

// breaksAt reports whether no gap between letters is near a width: a few are much wider than it, and the
// others narrower.
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

// spaceByPitch does so in a typeface of one width.
func (p *spelling) spaceByPitch(pitch float64) {
	for i := 1; i < len(p.letters); i++ {
		if p.alone(i) && p.alone(i-1) {
			step, gap := p.middle(i)-p.middle(i-1), p.gap(i)
			p.letters[i].space = p.letters[i].space && gap > 0.5*pitch || step > 1.7*pitch && gap > 0.5*pitch
		}
	}
}

// pitch is how far apart the letters of a typeface of one width are, or 0 for others.
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

// narrow reports whether letter i or the one before is narrow, with wide gaps beside it in some
// typefaces.
func (p *spelling) narrow(i int) bool {
	slim := func(text string) bool { return strings.Contains("iIljtfr|", text) }
	return p.loose(i) || slim(p.letters[i-1].text) || slim(p.letters[i].text)
}

// loose reports whether letter i or the one before is a mark, or a figure in a wide cell.
func (p *spelling) loose(i int) bool {
	mark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) || r == '1' }
	return mark([]rune(p.letters[i-1].text)[0]) || mark([]rune(p.letters[i].text)[0])
}
