package reader

import (
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

// isCapital reports whether s is a capital that its shape distinguishes from the small letter.
func isCapital(s string) bool { return unicode.IsUpper([]rune(s)[0]) && !isTwin(s) }

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
